package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// Everything is checked from the overview, and what came of it is told there.
func TestCheckEverything(t *testing.T) {
	s := openOverview(t)
	s.write("notes", "one", "two")
	s.write("tasks", "three")
	s.look()
	v := s.window.overview
	reads(t, v.content(), "Checked", "not yet")
	test.Tap(findButton(t, v.content(), "Check everything"))
	if !v.check.begin.Disabled() {
		t.Error("a second check can be begun beside the first")
	}
	reads(t, v.content(), "Checking…", "Cancel")
	s.settle()
	s.look()
	reads(t, v.content(), "All sound: 3 entries in 2 streams.", "just now")
	readsNot(t, v.content(), "Cancel")
	if v.check.begin.Disabled() {
		t.Error("it cannot be checked again")
	}
	s.now = s.now.Add(2*time.Hour + time.Minute)
	v.age()
	reads(t, v.content(), "2 h ago")
}

// verifying is a console whose checks a test steers.
type verifying struct {
	console.Console
	verify func(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error)
}

func (v verifying) Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	return v.verify(ctx, only, progress)
}

// How far a check has come is told; one that is cancelled ends, and what it still
// finds is not told.
func TestCheckCancelled(t *testing.T) {
	s := openOverview(t)
	c := s.window.overview.check
	ended := false
	c.undertaking.shell.console = verifying{c.undertaking.shell.console, func(ctx context.Context, _ console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
		progress(25_000_000, 100_000_000)
		s.settle() // what it tells of is shown while it goes on
		reads(t, s.window.overview.content(), "Checking… 25 MB of 100 MB")
		if c.bar.Value != 0.25 {
			t.Errorf("the bar is at %v", c.bar.Value)
		}
		test.Tap(findButton(t, s.window.overview.content(), "Cancel"))
		<-ctx.Done()
		ended = true
		return console.Verification{}, ctx.Err()
	}}
	test.Tap(c.begin)
	s.settle()
	if !ended || c.begin.Disabled() {
		t.Error("it goes on")
	}
	reads(t, s.window.overview.content(), "The check was cancelled.")
}

// A stream is checked where it is shown; another one begins anew.
func TestCheckStream(t *testing.T) {
	s := openScene(t)
	s.write("notes", "one", "two")
	s.write("tasks", "three")
	s.look()
	s.window.streams.open(console.StreamRef{Space: "default", Name: "notes"})
	s.look()
	d := s.window.streams.detail
	test.Tap(findButton(t, d.content, "Check"))
	s.settle()
	reads(t, d.content, "Sound: each of its 2 entries follows from the first one.")
	s.window.streams.open(console.StreamRef{Space: "default", Name: "tasks"})
	s.look()
	readsNot(t, d.content, "Sound:")

	s.window.shell.console = verifying{s.window.shell.console, func(context.Context, console.StreamRef, func(done, total uint64)) (console.Verification, error) {
		return console.Verification{}, errors.New("the disk is gone")
	}}
	test.Tap(d.check.begin)
	s.settle()
	reads(t, d.content, "It cannot be checked: the disk is gone.")
}

// What is damaged is told with its place, and what to do.
func TestVerdictOn(t *testing.T) {
	notes := console.StreamRef{Space: "default", Name: "notes"}
	damage := []console.Damage{{StreamRef: notes, Position: 7, Reason: "its link does not follow from what precedes it"}}
	for want, test := range map[string]struct {
		v    console.Verification
		only console.StreamRef
	}{
		"Damaged at position 7: its link does not follow from what precedes it.": {console.Verification{Damaged: damage}, notes},
		"1 stream is damaged; it is marked among the streams. Nothing was changed: keep a copy of the data folder, then bring back a backup.": {
			v: console.Verification{Damaged: damage},
		},
		"The index is wrong. Nothing was changed: keep a copy of the data folder, then bring back a backup.": {
			v: console.Verification{Faults: []string{"The index is wrong."}},
		},
	} {
		if text, color := verdictOn(test.v, test.only); text != want || color != theme.ColorNameError {
			t.Errorf("told is %q", text)
		}
	}
}
