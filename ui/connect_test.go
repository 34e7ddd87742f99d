package ui

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"hearth/relay/console"
)

// A camera reads from the code the address that was put in, at every scale of
// the display.
func TestCodeIsRead(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	for _, address := range []string{
		"http://192.0.2.20:2451",
		"http://[2001:db8:1111:2222:3333:4444:5555:6666]:24510",
		"https://a-name-that-is-as-long-as-a-label-of-a-name-may-be-on-the-network.local:2451",
	} {
		for _, scale := range []int{1, 2} {
			q := newQRCode()
			if err := q.set(address); err != nil {
				t.Fatal(err)
			}
			image, err := gozxing.NewBinaryBitmapFromImage(q.draw(qrSide*scale, qrSide*scale))
			if err != nil {
				t.Fatal(err)
			}
			read, err := qrcode.NewQRCodeReader().Decode(image, nil)
			if err != nil {
				t.Fatalf("%s at scale %d: %v", address, scale, err)
			}
			if read.GetText() != address {
				t.Errorf("read %q, want %q", read.GetText(), address)
			}
		}
	}
}

// The dialog lists every address; the chosen one is shown as a code, unless it
// would lead a device to itself.
func TestConnect(t *testing.T) {
	s := openScene(t)
	c := s.window.connect
	c.show(console.Overview{Open: true, URLs: []string{"http://192.0.2.20:2451", "http://[2001:db8::20]:2451", "http://127.0.0.1:2451"}})
	c.open()
	reads(t, c.body, "http://192.0.2.20:2451", "http://[2001:db8::20]:2451", "http://127.0.0.1:2451", "this machine only", "there is no key")
	if c.code.text != "http://192.0.2.20:2451" {
		t.Errorf("the code is of %q", c.code.text)
	}
	c.chosen = "http://127.0.0.1:2451"
	c.fill()
	reads(t, c.body, "No code")

	c.show(console.Overview{URLs: []string{"http://127.0.0.1:2451"}}) // it was closed meanwhile
	reads(t, c.body, "Other devices cannot reach it yet.")
	readsNot(t, c.body, "192.0.2.20")
	test.Tap(findButton(t, c.body, "Open to this network…"))
	test.Tap(findButton(t, s.canvas.Overlays().Top(), "Open it"))
	s.settle()
	if len(s.changes) != 1 || s.changes[0].Open == nil || !*s.changes[0].Open {
		t.Fatalf("sent %+v", s.changes)
	}
	c.show(console.Overview{Open: true, URLs: []string{"http://192.0.2.20:2451", "http://127.0.0.1:2451"}})
	reads(t, c.body, "scan the code")
	if c.dialog == nil || c.code.text != "http://192.0.2.20:2451" {
		t.Errorf("the code is of %q once the network is let in", c.code.text)
	}
}

// Whom a device does not find, the dialog leads to the test of the network.
func TestConnectLeadsToTest(t *testing.T) {
	s := openScene(t)
	c := s.window.connect
	c.show(console.Overview{Open: true, URLs: []string{"http://192.0.2.20:2451"}})
	c.open()
	test.Tap(findButton(t, c.body, "Test the network"))
	if s.canvas.Overlays().Top() != nil || s.window.current.Load() != int32(s.window.place(s.window.network)) {
		t.Error("the network is not shown")
	}
	reads(t, s.window.network.test.content, "Asking the devices on the network")
	s.settle()
}

// Why the network could not be let in is told where it was asked for.
func TestConnectRefused(t *testing.T) {
	s := openScene(t)
	c := s.window.connect
	c.show(console.Overview{URLs: []string{"http://127.0.0.1:2451"}})
	c.open()
	test.Tap(findButton(t, c.body, "Open to this network…"))
	s.err = errors.New("the port is taken")
	test.Tap(findButton(t, s.canvas.Overlays().Top(), "Open it"))
	s.settle()
	reads(t, c.body, "The port is taken.")
}

// Esc closes the dialog, and F1 opens the list of shortcuts, also where a line
// of the window has the focus.
func TestDialogsByKeyboard(t *testing.T) {
	s := openScene(t)
	s.window.connect.open()
	s.canvas.OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.canvas.Overlays().Top() != nil || s.window.connect.dialog != nil {
		t.Error("the dialog is still there")
	}
	s.window.rail.items[0].TypedKey(&fyne.KeyEvent{Name: helpKey})
	top := s.canvas.Overlays().Top()
	if top == nil {
		t.Fatal("F1 shows nothing")
	}
	reads(t, top, "What the keyboard does", "Ctrl+1", "Show Overview", "Ctrl+5", "Show Settings", "Ctrl+F", "Esc")
}

// The key for filters goes to the one of the screen, or to the streams'.
func TestFindFilter(t *testing.T) {
	s := openScene(t)
	for _, test := range []struct {
		screen screen
		want   fyne.Focusable
	}{
		{s.window.refusals, s.window.refusals.filter.words},
		{s.window.streams, s.window.streams.filter},
		{s.window.overview, s.window.streams.filter},
	} {
		s.write("notes", "one")
		s.post("notes", []byte("no CBOR"))
		s.look()
		s.window.visit(test.screen)
		s.look()
		s.window.find()
		s.look()
		if got := s.canvas.Focused(); got != test.want {
			t.Errorf("%s: the focus is on %T", test.screen.title(), got)
		}
	}
}
