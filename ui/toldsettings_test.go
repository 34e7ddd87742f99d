package ui

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// What the relay tells of itself is switched at once, each kind by itself, and a switch
// that the relay refuses goes back.
func TestToldIsSwitched(t *testing.T) {
	if diff := cmp.Diff(len(console.Happenings()), len(happeningNames)); diff != "" {
		t.Fatalf("the kinds that have a switch:\n%s", diff)
	}
	values := plainValues
	values.Untold = console.Value[[]console.Happening]{Value: []console.Happening{console.HappeningChecks}, Origin: console.OriginFile}
	s, v := openSettings(t, values)
	moved, checks := v.told.checks[console.HappeningMoved], v.told.checks[console.HappeningChecks]
	if checks.Checked || !moved.Checked {
		t.Fatalf("checks are told: %v, moves: %v", checks.Checked, moved.Checked)
	}
	s.answer = "On _relay all is told but checks, streams_moved."
	test.Tap(moved)
	both := []console.Happening{console.HappeningChecks, console.HappeningMoved}
	s.values.Untold.Value = both
	s.settle()
	if diff := cmp.Diff([]console.Change{{Untold: &both}}, s.changes); diff != "" {
		t.Errorf("what was sent (-want +got):\n%s", diff)
	}
	reads(t, v.told.content, s.answer)

	s.err = errors.New("the settings cannot be kept")
	test.Tap(checks)
	s.settle()
	reads(t, v.told.content, "The settings cannot be kept.")
	if checks.Checked {
		t.Error("a switch that was refused stays")
	}
}
