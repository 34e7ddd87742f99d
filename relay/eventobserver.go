package relay

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"hearth/relay/access"
	"hearth/relay/console"
	"hearth/relay/guard"
	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
	"hearth/relay/store"
)

// eventObserver writes down what is served of reflexr.v1, into the same log, the
// same figures and the same window.
type eventObserver struct {
	*observer
	following atomic.Int64 // live sockets that are open
}

var _ reflexhttp.Observer = (*eventObserver)(nil)

// Published implements [reflexhttp.Observer].
func (o *eventObserver) Published(ctx context.Context, v access.Visitor, ref store.Ref, events []store.Published, bytes int, took time.Duration) {
	if len(events) == 0 {
		return // nothing was asked for
	}
	added := 0
	for _, e := range events {
		if !e.Duplicate {
			added++
		}
	}
	o.published(v, ref, len(events), added, bytes, took)
	o.logger.LogAttrs(ctx, slog.LevelInfo, "publish", slog.String("client", client(v)), slog.String("space", ref.Space),
		slog.String("stream", ref.Name), slog.Uint64("last", events[len(events)-1].Seq), slog.Int("events", len(events)),
		slog.Int("duplicates", len(events)-added), slog.Int("bytes", bytes), slog.Duration("took", took))
}

// published counts events of which so many were added.
func (o *eventObserver) published(v access.Visitor, ref store.Ref, events, added, bytes int, took time.Duration) {
	o.activity.wrote(time.Now(), client(v), v.Key, ref, events, bytes)
	o.metrics.eventsPublished.Add(float64(added))
	o.metrics.eventDuplicates.Add(float64(events - added))
	o.metrics.writeTime.Observe(took.Seconds())
}

// commandOK is what commands that were accepted count as.
const commandOK = "ok"

// Commanded implements [reflexhttp.Observer].
func (o *eventObserver) Commanded(ctx context.Context, v access.Visitor, ref store.Ref, r reflex.CommandResult, bytes int, took time.Duration) {
	result := commandOK
	if r.Rejection != nil {
		result = string(r.Rejection.Type)
	}
	o.metrics.commands.WithLabelValues(result).Inc()
	var p reflex.Published
	if r.OK && json.Unmarshal(r.Outcome, &p) == nil {
		added := 1
		if p.Duplicate {
			added = 0
		}
		o.published(v, ref, 1, added, bytes, took)
	}
	o.logger.LogAttrs(ctx, slog.LevelInfo, "command", slog.String("client", client(v)), slog.String("space", ref.Space),
		slog.String("stream", shorten(ref.Name)), slog.String("result", result), slog.Int("bytes", bytes), slog.Duration("took", took))
}

// Paged implements [reflexhttp.Observer].
func (o *eventObserver) Paged(ctx context.Context, v access.Visitor, ref store.Ref, p reflex.Page, bytes int, took time.Duration, err error) {
	o.activity.read(time.Now(), client(v), v.Key, ref.Name)
	o.metrics.reads.Inc()
	o.metrics.eventsRead.Add(float64(p.Count))
	o.metrics.bytesRead.Add(float64(bytes))
	o.metrics.readTime.Observe(took.Seconds())
	line := []slog.Attr{
		slog.String("client", client(v)), slog.String("space", ref.Space), slog.String("stream", ref.Name),
		slog.Int("events", p.Count), slog.Int("bytes", bytes), slog.Duration("took", took),
	}
	if err != nil {
		line = append(line, slog.Any("broken_off", err))
	}
	o.logger.LogAttrs(ctx, slog.LevelInfo, "read events", line...)
}

// Following implements [reflexhttp.Observer].
func (o *eventObserver) Following(ctx context.Context, v access.Visitor, ref store.Ref) {
	o.following.Add(1)
	o.activity.followed(time.Now(), client(v), v.Key, ref.Name)
	o.logger.LogAttrs(ctx, slog.LevelInfo, "follow", slog.String("client", client(v)), slog.String("space", ref.Space),
		slog.String("stream", ref.Name))
	o.nudge()
}

// Followed implements [reflexhttp.Observer].
func (o *eventObserver) Followed(ctx context.Context, v access.Visitor, ref store.Ref, events uint64, code int, took time.Duration) {
	o.following.Add(-1)
	o.metrics.eventsSent.Add(float64(events))
	o.logger.LogAttrs(ctx, slog.LevelInfo, "followed", slog.String("client", client(v)), slog.String("space", ref.Space),
		slog.String("stream", ref.Name), slog.Uint64("events", events), slog.Int("close", code), slog.Duration("took", took))
	o.nudge()
}

// actions are what the console calls what clients of reflexr.v1 do.
var actions = map[reflexhttp.Action]console.Action{
	reflexhttp.Publish: console.ActionWrite,
	reflexhttp.Command: console.ActionWrite,
	reflexhttp.Read:    console.ActionRead,
	reflexhttp.Follow:  console.ActionFollow,
	reflexhttp.Other:   console.ActionOther,
}

// Refused implements [reflexhttp.Observer].
func (o *eventObserver) Refused(ctx context.Context, r reflexhttp.Refusal) {
	shown := console.Refusal{
		Code: string(r.Rejection.Type), Status: r.Rejection.Type.Status(), Message: r.Rejection.Message,
		Action: actions[r.Action], Stream: r.Stream, Limit: uint64(r.Rejection.Limit),
	}
	// A person is told more exactly than a program why something was not let in.
	if e, ok := errors.AsType[*guard.RefusedError](r.Err); ok {
		shown.Code = e.Code
	}
	o.refused(ctx, r.Visitor, shown, r.Err)
}
