package reflexhttp

import (
	"bytes"
	"net/http"
	"time"

	"hearth/relay/reflex"
)

// publish appends events, all of them or none (contract, "REST"). It answers where
// each of them is.
func (x *exchange) publish() error {
	body, err := x.body(maxBody)
	if err != nil {
		return err
	}
	defer body.Release()
	start := time.Now()
	events, err := reflex.DecodePublication(body.Bytes)
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	published, err := x.handler.options.Service.Publish(ctx, callerOf(x.visitor), x.stream, events)
	if err != nil {
		return err
	}
	x.handler.options.Observer.Published(ctx, x.visitor, x.ref(), published, len(body.Bytes), time.Since(start))
	var list bytes.Buffer
	list.WriteByte('[')
	for i, p := range published {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(p.AppendOutcome(list.AvailableBuffer()))
	}
	list.WriteByte(']')
	// A publisher that is gone by now finds its events there all the same.
	_ = x.send(http.StatusOK, list.Bytes())
	return nil
}
