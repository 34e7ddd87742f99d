package ui

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// What concerns this desktop alone is sent at once, one by one; what is refused
// goes back to what holds. A look at the settings sends nothing.
func TestOwnSettings(t *testing.T) {
	s, v := openSettings(t, plainValues)
	s.look()
	if len(s.changes) != 0 {
		t.Fatalf("sent %+v", s.changes)
	}
	var settled int
	v.shell.settled = func(console.Values) { settled++ }
	v.own.login.SetChecked(true)
	v.own.keep.SetChecked(true)
	v.own.look.SetSelected("Dark")
	v.own.level.SetSelected("Errors alone (error)")
	s.answer = "That holds now."
	s.values.Login = console.Value[bool]{Value: true, Origin: console.OriginFile}
	s.values.Tray = console.Value[bool]{Value: true, Origin: console.OriginFile}
	s.values.Theme = console.Value[console.Theme]{Value: console.ThemeDark, Origin: console.OriginFile}
	s.values.LogLevel = console.Value[slog.Level]{Value: slog.LevelError, Origin: console.OriginFile}
	s.settle()
	on, dark, level := true, console.ThemeDark, slog.LevelError
	if diff := cmp.Diff([]console.Change{
		{DesktopChange: console.DesktopChange{Login: &on}},
		{DesktopChange: console.DesktopChange{Tray: &on}},
		{DesktopChange: console.DesktopChange{Theme: &dark}},
		{DesktopChange: console.DesktopChange{LogLevel: &level}},
	}, s.changes); diff != "" {
		t.Errorf("what was sent (-want +got):\n%s", diff)
	}
	reads(t, v.own.content, s.answer, "From the desktop's list of what starts at login", "From the settings that were saved.")
	if settled != 4 {
		t.Errorf("the window heard of %d changes", settled)
	}

	s.err = errors.New("the folder is read-only")
	v.own.login.SetChecked(false)
	s.settle()
	if !v.own.login.Checked {
		t.Error("the switch says what is not so")
	}
	reads(t, v.own.content, "The folder is read-only.")
}

// A level that was given for this run is shown, and cannot be changed.
func TestFixedLevel(t *testing.T) {
	values := plainValues
	values.LogLevel = console.Value[slog.Level]{Value: slog.LevelDebug + 1, Origin: console.OriginFlag}
	_, v := openSettings(t, values)
	reads(t, v.own.content, "DEBUG+1", "Given on the command line")
	if v.own.levelFrame.Visible() {
		t.Error("a fixed level can be changed")
	}
}
