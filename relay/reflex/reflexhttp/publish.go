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
	// Room for a long answer has to be there before: once events are appended there
	// is no refusing any more.
	if size := answerSize(events); size > shortAnswer {
		room, err := x.handler.options.Sending.Share(x.r).Reserve(ctx, size)
		if err != nil {
			return err
		}
		defer room.Release()
	}
	published, err := x.handler.options.Service.Publish(ctx, callerOf(x.visitor), x.stream, events)
	if err != nil {
		return err
	}
	x.handler.options.Observer.Published(ctx, x.visitor, x.ref(), published, len(body.Bytes), time.Since(start))
	body.Release() // who takes the answer slowly does not need it for that
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

// shortAnswer is up to how many bytes an answer needs no room: the system takes
// them at once, and whoever publishes a few events does not wait for those who
// read.
const shortAnswer = 64 << 10

// answerSize returns how many bytes the answer to events has at the most.
func answerSize(p reflex.Publication) int64 {
	const (
		outcome = 128 // of one, with an id that is drawn
		escaped = 6   // a byte of one that is given, at the worst
	)
	size := len("[]")
	for _, e := range p.Events {
		size += outcome + escaped*len(e.ID)
	}
	return int64(size)
}
