package reflexhttp

import (
	"net/http"
	"time"

	"hearth/relay/reflex"
	"hearth/relay/store"
)

// command carries out a command (contract, "Commands"). From here on all that is
// answered is its result, with the id of the command once that is known.
func (x *exchange) command() error {
	var frame reflex.Frame
	x.wrap = func(r *reflex.Rejection) any { return reflex.Refused(frame.CommandID, r) }
	body, err := x.body(maxBody)
	if err != nil {
		return err
	}
	defer body.Release()
	start := time.Now()
	if frame, err = reflex.DecodeFrame(body.Bytes); err != nil {
		return err
	}
	ctx := x.r.Context()
	result := x.handler.options.Service.Do(ctx, callerOf(x.visitor), x.stream, frame)
	if result.Rejection != nil && ctx.Err() != nil {
		return ctx.Err() // the client went away before its turn
	}
	x.handler.options.Observer.Commanded(ctx, x.visitor, x.ref(), result, len(body.Bytes), time.Since(start))
	if result.Rejection != nil {
		x.reject(x.record(result.Rejection))
		return nil
	}
	return x.answer(http.StatusOK, result)
}

// ref returns the stream that the path names.
func (x *exchange) ref() store.Ref { return store.Ref{Space: x.visitor.Space, Name: x.stream} }
