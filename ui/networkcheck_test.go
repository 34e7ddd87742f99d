package ui

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// What the self-test found is told check by check: how it came out as a word, what
// was seen, and what to do about it.
func TestNetworkSelfTest(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network.test
	s.checks = []console.Check{
		{Title: "Multicast on eth0", Outcome: console.OutcomeGood, Detail: "It goes out."},
		{
			Title: "Firewall", Outcome: console.OutcomeUnknown, Detail: "This machine has ufw.", Todo: "Let it in.",
			Command: "sudo ufw allow 2451/tcp && sudo ufw allow 5353/udp",
		},
		{Title: "Still at the same addresses", Outcome: console.OutcomeBad, Detail: "It was elsewhere.", Todo: "Devices need the new address."},
	}
	test.Tap(findButton(t, v.content, "Test the network"))
	if !v.button.Disabled() {
		t.Error("a second run can be started beside the first")
	}
	reads(t, v.content, "Asking the devices on the network", "Cancel")
	s.settle()
	if v.button.Disabled() {
		t.Error("the test cannot be run again")
	}
	readsNot(t, v.content, "Cancel")
	reads(t, v.content, // the word that stands to the left comes last here
		"One thing wants a look. Tested just now.",
		"Multicast on eth0 It goes out. OK",
		"Firewall This machine has ufw. Let it in. Run this in a terminal: sudo ufw allow 2451/tcp && sudo ufw allow 5353/udp Not seen",
		"Still at the same addresses It was elsewhere. Devices need the new address. Not OK")

	s.now = s.now.Add(time.Hour)
	s.window.network.age()
	reads(t, v.content, "Tested 1 h ago.")

	s.checks = s.checks[:2]
	test.Tap(v.button)
	s.settle()
	reads(t, v.content, "Nothing is wrong as far as can be seen from here. Tested just now.")

	s.checks = s.checks[:1]
	test.Tap(v.button)
	readsNot(t, v.content, "Firewall")
	s.settle()
	reads(t, v.content, "All of it is fine. Tested just now.")
}

// A command can be selected and copied.
func TestCommandIsCopied(t *testing.T) {
	openScene(t)
	command := "sudo ufw allow 2451/tcp"
	selectable := false
	for _, o := range test.LaidOutObjects(typed(command)) {
		switch o := o.(type) {
		case *widget.Label:
			selectable = o.Selectable && o.Text == command
		case *widget.Button:
			test.Tap(o)
		}
	}
	if !selectable {
		t.Error("the command cannot be selected")
	}
	if got := fyne.CurrentApp().Clipboard().Content(); got != command {
		t.Errorf("copied is %q", got)
	}
}

// patient is a network whose self-test takes until it is given up.
type patient struct {
	console.Console
	given chan error
}

func (p patient) SelfTest(ctx context.Context) ([]console.Check, error) {
	<-ctx.Done()
	p.given <- ctx.Err()
	return []console.Check{{Title: "Too late"}}, nil
}

// A self-test that is cancelled ends at once, and what it still finds is not shown,
// not even while the next one runs.
func TestNetworkSelfTestCancelled(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network.test
	usual := v.shell.console
	p := patient{usual, make(chan error, 1)}
	v.shell.console = p
	test.Tap(v.button)
	reads(t, v.content, "Cancel")
	test.Tap(findButton(t, v.content, "Cancel"))
	reads(t, v.content, "The test was cancelled.")
	if v.button.Disabled() {
		t.Error("the test cannot be run again")
	}
	first := s.work
	s.work = nil
	v.shell.console = p
	test.Tap(v.button)
	second := s.work
	s.work = first
	s.settle()
	if err := <-p.given; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled test was told %v", err)
	}
	readsNot(t, v.content, "Too late")
	reads(t, v.content, "Asking the devices on the network")

	v.shell.console = usual
	s.checks = []console.Check{{Title: "In time", Outcome: console.OutcomeGood}}
	s.work = second
	s.settle()
	reads(t, v.content, "In time")
	readsNot(t, v.content, "Too late")
}

// A self-test that fails says why, and can be run again.
func TestNetworkSelfTestFails(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network.test
	s.err = errors.New("no interface is up")
	test.Tap(v.button)
	s.settle()
	reads(t, v.content, "The network cannot be tested: no interface is up.")
	if v.button.Disabled() {
		t.Error("the test cannot be run again")
	}
	v.age()
	reads(t, v.content, "The network cannot be tested: no interface is up.")
}

// In a small window the progress of the self-test, and the way to cancel it, come into
// view.
func TestNetworkSelfTestShows(t *testing.T) {
	s := openScene(t)
	s.frame.Resize(fyne.NewSize(800, 600))
	s.window.visit(s.window.network)
	for i := range 20 {
		s.neighbourhood.Announced = append(s.neighbourhood.Announced, console.Announcement{Interface: strconv.Itoa(i), Instance: "shelf"})
	}
	s.look()
	v := s.window.network.test
	v.start()
	cancel := findButton(t, v.content, "Cancel")
	top := fyne.CurrentApp().Driver().AbsolutePositionForObject(cancel).Y
	if bottom := top + cancel.Size().Height; top < 0 || bottom > 600 {
		t.Errorf("the button to cancel reaches from %v to %v, in a window that is 600 high", top, bottom)
	}
}
