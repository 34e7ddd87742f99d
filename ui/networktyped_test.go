package ui

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
)

// An address that is typed is asked, by the button or by return, and what came of
// it is told; without one nothing is asked.
func TestTypedRelay(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	typed, screen := s.window.network.typed, s.window.network.content()
	test.Tap(typed.button)
	if s.asked != "" || len(s.work) > 0 {
		t.Errorf("asked %q", s.asked)
	}
	s.found = console.Check{Title: "http://nas:2451", Outcome: console.OutcomeGood, Detail: "A relay answers there."}
	typed.field.SetText("nas")
	test.Tap(typed.button)
	test.Tap(typed.button) // once is enough
	if len(s.work) != 1 {
		t.Errorf("it is asked %d times", len(s.work))
	}
	s.settle()
	if s.asked != "nas" {
		t.Errorf("asked %q", s.asked)
	}
	reads(t, screen, "http://nas:2451", "A relay answers there.")

	s.err = errors.New("no way")
	typed.field.SetText("attic")
	typed.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	s.settle()
	reads(t, screen, "attic", "No way.")
	readsNot(t, screen, "A relay answers there.")
}
