package ui

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
)

// The log shows live, the newest line first, each level by a word; a chosen line
// shows whole and stays chosen; all of it can be copied.
func TestLogPane(t *testing.T) {
	s, v := openSettings(t, plainValues)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	s.log = []console.LogLine{
		{Number: 7, Time: at, Level: slog.LevelInfo, Text: "listening"},
		{Number: 8, Time: at, Level: slog.LevelWarn, Text: "slow disk"},
	}
	test.Tap(findButton(t, v.body, "Show the log"))
	s.look()
	reads(t, v.body, "The latest 2 lines", "03:04:05", "warning", "slow disk", "info", "listening")
	v.log.list.choose(0)
	reads(t, v.log.lower, "2026-01-02 03:04:05.000 warning slow disk")
	s.log = append(s.log, console.LogLine{Number: 9, Time: at, Level: slog.LevelError, Text: "full " + strings.Repeat("x", 9000)})
	s.look()
	reads(t, v.body, "error", "full xxx")
	if got := v.log.chosen(); got != 1 {
		t.Errorf("row %d is chosen now", got)
	}
	test.Tap(findButton(t, v.body, "Copy all"))
	if got := fyne.CurrentApp().Clipboard().Content(); strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, "2026-01-02 03:04:05.000 info listening\n") {
		t.Errorf("copied %.80q", got)
	}
	// The chosen line leaves the log in time.
	s.log = []console.LogLine{{Number: 99, Time: at, Level: slog.LevelDebug, Text: "much later"}}
	s.look()
	if got := v.log.chosen(); got != -1 {
		t.Errorf("row %d is chosen", got)
	}
	test.Tap(findButton(t, v.body, "Settings"))
	reads(t, v.body, "The relay", "Hearth on this desktop")
}
