package relay

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"hearth/relay/access"
	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/streamhttp"
)

// observer writes down what is served: a line each in the log, the figures, and
// the refusals for the window. What entries hold is in none of them.
type observer struct {
	logger   *slog.Logger
	metrics  *metrics
	nudge    func() // tells the window that something is new
	news     *happenings
	refusals refusals
	activity activity
	waiting  atomic.Int64
}

var _ streamhttp.Observer = (*observer)(nil)

// Wrote implements [streamhttp.Observer].
func (o *observer) Wrote(ctx context.Context, v access.Visitor, ref store.Ref, w store.Written, bytes int, took time.Duration) {
	entries := w.Last - w.First + 1
	o.activity.wrote(time.Now(), client(v), v.Key, ref, int(entries), bytes)
	if w.Repeated {
		o.metrics.repeats.Inc()
	} else {
		o.metrics.writes.Inc()
		o.metrics.entriesWritten.Add(float64(entries))
		o.metrics.bytesWritten.Add(float64(bytes))
	}
	o.metrics.writeTime.Observe(took.Seconds())
	o.logger.LogAttrs(ctx, slog.LevelInfo, "write", slog.String("client", client(v)), slog.String("space", ref.Space),
		slog.String("stream", ref.Name), slog.Uint64("first", w.First), slog.Uint64("entries", entries),
		slog.Int("bytes", bytes), slog.Bool("repeated", w.Repeated), slog.Duration("took", took))
}

// Read implements [streamhttp.Observer].
func (o *observer) Read(ctx context.Context, v access.Visitor, ref store.Ref, p store.Page, bytes int, took time.Duration, err error) {
	o.activity.read(time.Now(), client(v), v.Key, ref.Name)
	o.metrics.reads.Inc()
	o.metrics.entriesRead.Add(float64(p.Count))
	o.metrics.bytesRead.Add(float64(bytes))
	o.metrics.readTime.Observe(took.Seconds())
	line := []slog.Attr{
		slog.String("client", client(v)), slog.String("space", ref.Space), slog.String("stream", ref.Name),
		slog.Uint64("last", p.Last), slog.Int("entries", p.Count), slog.Int("bytes", bytes), slog.Duration("took", took),
	}
	if err != nil {
		line = append(line, slog.Any("broken_off", err))
	}
	o.logger.LogAttrs(ctx, slog.LevelInfo, "read", line...)
}

// Waiting implements [streamhttp.Observer].
func (o *observer) Waiting(delta int) {
	o.waiting.Add(int64(delta))
	o.nudge()
}

// Waited implements [streamhttp.Observer].
func (o *observer) Waited(ctx context.Context, v access.Visitor, watched, differ int, took time.Duration) {
	o.activity.waited(time.Now(), client(v), v.Key)
	o.metrics.waits.Inc()
	o.logger.LogAttrs(ctx, slog.LevelDebug, "wait", slog.String("client", client(v)), slog.String("space", v.Space),
		slog.Int("watched", watched), slog.Int("differ", differ), slog.Duration("took", took))
}

// Refused implements [streamhttp.Observer].
func (o *observer) Refused(ctx context.Context, r streamhttp.Refusal) {
	shown := console.Refusal{
		Code: string(r.Problem.Code), Status: r.Status, Message: r.Problem.Message,
		Action: console.Action(r.Action), Stream: r.Stream, Position: r.Position,
	}
	if r.Problem.Head != nil {
		shown.Head = *r.Problem.Head
	}
	if r.Problem.Epoch != nil {
		shown.Epoch = *r.Problem.Epoch
	}
	if r.Problem.Limit != nil {
		shown.Limit = *r.Problem.Limit
	}
	o.refused(ctx, r.Visitor, shown, r.Err)
}

// refused puts on record that a visitor was refused, for a cause that he need not
// have been told.
func (o *observer) refused(ctx context.Context, v access.Visitor, r console.Refusal, cause error) {
	o.metrics.refusals.WithLabelValues(r.Code).Inc()
	level := slog.LevelInfo
	if r.Code == string(protocol.Internal) {
		level = slog.LevelError
	}
	r.Stream = shorten(r.Stream) // what the client sent is bounded here, and quoted by the log
	o.logger.LogAttrs(ctx, level, "refusal", slog.String("client", client(v)), slog.String("action", string(r.Action)),
		slog.String("stream", r.Stream), slog.String("code", r.Code), slog.Any("error", cause))
	now := time.Now()
	r.Space, r.Client, r.Key = v.Space, client(v), v.Key
	r.First, r.Last, r.Times = now, now, 1
	o.refusals.add(r)
	o.activity.refused(now, r)
	o.news.refused(v, r.Code, string(r.Action), r.Stream)
	o.nudge()
}

// client returns the address that a visitor comes from.
func client(v access.Visitor) string {
	if !v.Remote.IsValid() {
		return ""
	}
	return v.Remote.Unmap().String()
}

// shorten cuts a name that is no stream's down to what is worth keeping.
func shorten(name string) string {
	if len(name) > protocol.MaxName {
		return strings.ToValidUTF8(name[:protocol.MaxName], "") + "…" // the cut may go through a letter
	}
	return name
}
