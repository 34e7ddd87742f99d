package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hearth/relay/console"
)

// What is logged is kept as well, with what belongs to it, and the level holds
// for both from the moment it is set.
func TestLogbook(t *testing.T) {
	var out bytes.Buffer
	book := newLogbook(slog.LevelInfo)
	log := book.logger(&out)
	log.Debug("unheard")
	log.Info("listening", "url", "http://127.0.0.1:1")
	wantPulse(t, book.changed)
	log.With("stream", "a b").WithGroup("client").Warn("refused", "address", "10.0.0.1")
	book.level.Set(slog.LevelDebug)
	log.Debug("heard\x00\xff")
	book.level.Set(slog.LevelError)
	log.Warn("unheard")

	want := []console.LogLine{
		{Number: 1, Level: slog.LevelInfo, Text: "listening url=http://127.0.0.1:1"},
		{Number: 2, Level: slog.LevelWarn, Text: `refused stream="a b" client.address=10.0.0.1`},
		{Number: 3, Level: slog.LevelDebug, Text: "heard\x00\uFFFD"},
	}
	if diff := cmp.Diff(want, book.recent(), cmpopts.IgnoreFields(console.LogLine{}, "Time")); diff != "" {
		t.Error(diff)
	}
	if got := strings.Count(out.String(), "\n"); got != len(want) || strings.Contains(out.String(), "unheard") {
		t.Errorf("written:\n%s", &out)
	}
}

// The book holds the latest lines, none of them without an end.
func TestLogbookBounds(t *testing.T) {
	book := newLogbook(slog.LevelInfo)
	log := book.logger(new(bytes.Buffer))
	for i := range logLines + 10 {
		log.Info("line", "number", i+1)
	}
	lines := book.recent()
	if len(lines) != logLines || lines[0].Text != "line number=11" || lines[0].Number != 11 || lines[logLines-1].Text != fmt.Sprint("line number=", logLines+10) {
		t.Errorf("%d lines from %q to %q", len(lines), lines[0].Text, lines[len(lines)-1].Text)
	}
	log.Info("long", "text", strings.Repeat("ä", maxLogLine))
	lines = book.recent()
	if got := lines[len(lines)-1].Text; len(got) > maxLogLine+len("…") || !strings.HasSuffix(got, "ä…") {
		t.Errorf("a line of %d bytes ends in %q", len(got), got[len(got)-8:])
	}
}
