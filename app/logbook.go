package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"hearth/relay/console"
)

const (
	// logLines is how many lines of the log the window can show: hours of a
	// relay that is well, and the story of one that is not.
	logLines = 1000

	// maxLogLine bounds one of them, in bytes: the longest are the stacks of
	// faults, whose ends say least.
	maxLogLine = 8 << 10
)

// logbook keeps the latest lines of the log beside writing all of them, and
// decides which are written at all.
type logbook struct {
	level   slog.LevelVar
	changed chan struct{} // a pulse after a line was kept

	mu    sync.Mutex
	lines []console.LogLine // a ring once it is full; the oldest is at next
	next  int
	count uint64
}

func newLogbook(level slog.Level) *logbook {
	b := &logbook{changed: make(chan struct{}, 1)}
	b.level.Set(level)
	return b
}

// logger logs to out, one line a record, and into the book.
func (b *logbook) logger(out io.Writer) *slog.Logger {
	text := new(bytes.Buffer)
	return slog.New(&bookHandler{
		book: b, mu: new(sync.Mutex), text: text,
		written: slog.NewTextHandler(out, &slog.HandlerOptions{Level: &b.level}),
		kept:    slog.NewTextHandler(text, &slog.HandlerOptions{Level: &b.level, ReplaceAttr: attrsOnly}),
	})
}

// recent returns what is kept, the oldest line first.
func (b *logbook) recent() []console.LogLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.lines[b.next:], b.lines[:b.next])
}

func (b *logbook) keep(line console.LogLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	line.Number = b.count
	if len(b.lines) < logLines {
		b.lines = append(b.lines, line)
	} else {
		b.lines[b.next] = line
		b.next = (b.next + 1) % logLines
	}
	pulse(b.changed)
}

// bookHandler writes records and keeps them in the book.
type bookHandler struct {
	book          *logbook
	written, kept slog.Handler

	mu   *sync.Mutex // guards text, as do all handlers that share it
	text *bytes.Buffer
}

// Enabled implements [slog.Handler].
func (h *bookHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.book.level.Level()
}

// Handle implements [slog.Handler].
func (h *bookHandler) Handle(ctx context.Context, r slog.Record) error {
	h.book.keep(console.LogLine{Time: r.Time, Level: r.Level, Text: h.format(ctx, r)})
	return h.written.Handle(ctx, r)
}

// format makes of a record what is left of it beside its time and level.
func (h *bookHandler) format(ctx context.Context, r slog.Record) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Reset()
	_ = h.kept.Handle(ctx, r) // a buffer takes everything
	line := strings.TrimSpace(r.Message + " " + strings.TrimSpace(h.text.String()))
	if len(line) > maxLogLine {
		line = strings.ToValidUTF8(line[:maxLogLine], "") + "…"
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// WithAttrs implements [slog.Handler].
func (h *bookHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.written, with.kept = h.written.WithAttrs(attrs), h.kept.WithAttrs(attrs)
	return &with
}

// WithGroup implements [slog.Handler].
func (h *bookHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.written, with.kept = h.written.WithGroup(name), h.kept.WithGroup(name)
	return &with
}

// attrsOnly leaves a record's own attributes alone.
func attrsOnly(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}
