package ui

import (
	"context"
	"errors"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"go.uber.org/goleak"

	"hearth/relay/console"
)

// The header is one sentence about the relay; trouble and openness are words,
// not colours alone, and trouble leads to where it is solved.
func TestHeader(t *testing.T) {
	s := openScene(t)
	h := s.window.header
	show := func(o console.Overview) { h.show(o, condition{overview: o}.matters()) }
	show(console.Overview{URLs: []string{"http://127.0.0.1:2451"}, Waiting: 3})
	reads(t, h.content, "All is well", "127.0.0.1:2451", "this machine only", "3 waiting now")
	readsNot(t, h.content, "See what")
	readsNot(t, h.content, "more")
	test.Tap(h.copy.Button)
	if got := fyne.CurrentApp().Clipboard().Content(); got != "http://127.0.0.1:2451" {
		t.Errorf("copied %q", got)
	}
	show(console.Overview{Open: true, Problem: "The disk is nearly full: free some space."})
	reads(t, h.content, "Something is wrong", "The disk is nearly full: free some space.", "open to this network")
	test.Tap(findButton(t, h.content, "Settings"))
	if s.window.current.Load() != int32(s.window.place(s.window.settings)) {
		t.Error("the problem leads nowhere")
	}
	show(console.Overview{Open: true}) // as its owner chose
	reads(t, h.content, "All is well", "open to this network")
	readsNot(t, h.content, "The disk")
	h.unreachable(errors.New("it has stopped"))
	reads(t, h.content, "Not reachable", "it has stopped.")

	// All addresses are one press away, each to be copied, with a code.
	many := []string{"http://192.168.1.5:2451", "http://[2001:db8::5]:2451", "http://127.0.0.1:2451"}
	show(console.Overview{Open: true, URLs: many})
	s.window.connect.show(console.Overview{Open: true, URLs: many})
	reads(t, h.content, "192.168.1.5:2451", "+ 2 more")
	test.Tap(h.more)
	reads(t, s.canvas.Overlays().Top(), many...)
}

// What wants a look is counted in the header, which leads to it, until it has
// been seen.
func TestHeaderCountsWhatWantsALook(t *testing.T) {
	s := openScene(t)
	s.post("notes", []byte("no CBOR"))
	s.look()
	reads(t, s.window.header.content, "Running, and one thing wants a look")
	test.Tap(s.window.header.look)
	s.look()
	readsNot(t, s.window.header.content, "See what") // it is there
	reads(t, s.window.overview.content(), "1 refusal is new.")
	test.Tap(findButton(t, s.window.overview.content(), "See refusals"))
	s.look()
	test.Tap(s.window.refusals.mark)
	reads(t, s.window.header.content, "All is well")
}

// A relay that does not answer is never called well.
func TestUnreachableIsNotWell(t *testing.T) {
	s := openScene(t)
	s.look()
	reads(t, s.window.header.content, "All is well")
	if err := s.relay.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.look()
	s.window.judge()
	reads(t, s.window.header.content, "Not reachable")
}

// Return on a screen's place in the rail shows it.
func TestScreensByKeyboard(t *testing.T) {
	s := openScene(t)
	s.window.rail.items[3].TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := s.window.current.Load(); got != 3 {
		t.Errorf("return on Network shows screen %d", got)
	}
}

// Tab reaches every screen of the rail, the controls and the list.
func TestTabReachesAll(t *testing.T) {
	s := openScene(t)
	s.write("notes", "one")
	s.look()
	reached := map[fyne.Focusable]bool{}
	for range 30 {
		s.canvas.FocusNext()
		reached[s.canvas.Focused()] = true
	}
	for _, item := range s.window.rail.items {
		if !reached[item.pressable] {
			t.Errorf("%s is not reached", item.title.text)
		}
	}
	if !reached[s.window.streams.filter] || !reached[s.window.streams.list] {
		t.Error("the filter or the list is not reached")
	}
}

// Every screen fits a window of 800 by 600, also with long names.
func TestSmallWindow(t *testing.T) {
	s := openScene(t)
	s.write("a-name-that-is-as-long-as-a-name-may-be-which-is-64-characters.0", "one")
	s.post("notes", []byte("no CBOR"))
	s.values = plainValues
	s.look()
	s.window.streams.list.choose(0)
	s.settle()
	far := slices.Repeat([]string{"http://192.168.111.222:24510"}, 12)
	s.window.header.show(console.Overview{Open: true, URLs: far, Waiting: 12_000}, make([]matter, 12))
	for i, screen := range s.window.screens {
		s.window.choose(i)
		s.look()
		if got := s.window.content.MinSize(); got.Width > 800 || got.Height > 600 {
			t.Errorf("%s needs %v", screen.title(), got)
		}
	}
}

// A console that panics, here because there is none, is told in the window, and
// the window goes on.
func TestPanicIsTold(t *testing.T) {
	s := &scene{t: t}
	s.open(struct{ console.Console }{})
	for i := range s.window.screens {
		s.window.choose(i)
		s.window.load(t.Context())()
		reads(t, s.window.content, "Not reachable", "A fault in this program", "Try again")
	}
}

// What a screen reads while the person goes elsewhere is not put on the other
// screen.
func TestLateAnswer(t *testing.T) {
	s := openScene(t)
	s.err = errors.New("the network is gone")
	s.window.visit(s.window.network)
	show := s.window.load(t.Context())
	s.window.visit(s.window.streams)
	show()
	readsNot(t, s.window.content, "the network is gone")
}

// Work aside ends with the window: nothing of it is shown afterwards, and no
// goroutine stays.
func TestAsideEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, cancel := context.WithCancel(t.Context())
	a := &aside{ctx: ctx}
	a.later(func(ctx context.Context) (func(), error) {
		<-ctx.Done()
		return func() { t.Error("shown after the end") }, nil
	}, func(error) { t.Error("failed after the end") })
	cancel()
	a.group.Wait()
}
