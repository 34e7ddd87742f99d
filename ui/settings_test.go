package ui

import (
	"errors"
	"log/slog"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

func openSettings(t *testing.T, values console.Values) (*scene, *settings) {
	t.Helper()
	s := openScene(t)
	s.values = values
	s.window.choose(4)
	s.look()
	return s, s.window.screens[4].(*settings)
}

var plainValues = console.Values{
	Name:   console.Value[string]{Value: "shelf", Origin: console.OriginFile},
	Port:   console.Value[int]{Value: 2451, Origin: console.OriginDefault},
	Open:   console.Value[bool]{Origin: console.OriginDefault},
	Folder: console.Value[string]{Value: "/data", Origin: console.OriginFlag},

	Interfaces: console.Value[[]string]{Origin: console.OriginDefault},
	Advertise:  console.Value[[]string]{Origin: console.OriginDefault},

	Desktop: console.Desktop{
		Login:    console.Value[bool]{Origin: console.OriginDefault},
		Tray:     console.Value[bool]{Origin: console.OriginDefault},
		Theme:    console.Value[console.Theme]{Value: console.ThemeSystem, Origin: console.OriginDefault},
		LogLevel: console.Value[slog.Level]{Origin: console.OriginDefault},
	},
}

// Only what was changed is sent, and the answer is shown.
func TestSaveSendsWhatChanged(t *testing.T) {
	s, v := openSettings(t, plainValues)
	reads(t, v.body, "shelf", "2451", "/data", "Only apps on this machine")
	if !v.save.Disabled() {
		t.Error("there is something to save in an untouched form")
	}
	v.port.entry.SetText(" 2452 ")
	s.answer = "Hearth listens on port 2452 now."
	test.Tap(v.save)
	s.values.Port = console.Value[int]{Value: 2452, Origin: console.OriginFile}
	s.settle()
	port := 2452
	if diff := cmp.Diff([]console.Change{{Port: &port}}, s.changes); diff != "" {
		t.Errorf("what was sent (-want +got):\n%s", diff)
	}
	reads(t, v.body, s.answer)
	if !v.save.Disabled() {
		t.Error("there is something to save after it was saved")
	}
}

// While something is typed that is not saved, nothing is said of where it came from.
func TestUnsavedIsTold(t *testing.T) {
	_, v := openSettings(t, plainValues)
	readsNot(t, v.body, "Not saved yet.")
	v.name.entry.SetText("Another")
	reads(t, v.name.origin, "Not saved yet.")
	v.name.entry.SetText(plainValues.Name.Value)
	reads(t, v.name.origin, originSentence(plainValues.Name.Origin))
}

// What cannot be is told at once, and what the relay refuses as well; the form
// keeps what was typed.
func TestSaveTellsWhatIsWrong(t *testing.T) {
	s, v := openSettings(t, plainValues)
	for _, typed := range []string{"http", "-1", "65536", ""} {
		v.port.entry.SetText(typed)
		test.Tap(v.save)
		s.settle()
		reads(t, v.body, "a number from 0 to 65535")
	}
	if len(s.changes) != 0 {
		t.Errorf("sent %+v", s.changes)
	}
	v.port.entry.SetText("80")
	s.err = errors.New("port 80 is taken by another program")
	test.Tap(v.save)
	s.settle()
	reads(t, v.body, "Port 80 is taken by another program.")
	if v.port.entry.Text != "80" || v.save.Disabled() {
		t.Error("the form lost what was typed")
	}
}

// What comes from a flag or the environment is shown as text with the reason,
// and is never sent.
func TestFixedSettings(t *testing.T) {
	values := plainValues
	values.Name.Origin = console.OriginEnvironment
	values.Port.Origin = console.OriginFlag
	values.Open = console.Value[bool]{Value: true, Origin: console.OriginFlag}
	_, v := openSettings(t, values)
	if v.name.entry.Visible() || v.port.entry.Visible() || v.open.Visible() {
		t.Error("a fixed setting can be changed")
	}
	reads(t, v.body, "shelf", "2451", "Given in the environment", "Given on the command line", "Open to everyone on this network", openWarning)
	if !v.save.Disabled() {
		t.Error("there is something to save")
	}
}

// A look at the relay while someone types changes neither what is typed nor the
// switch that waits to be saved.
func TestTypingIsKept(t *testing.T) {
	s, v := openSettings(t, plainValues)
	v.name.entry.SetText("attic")
	s.values.Port.Value = 2460 // changed elsewhere
	s.look()
	if v.name.entry.Text != "attic" || v.port.entry.Text != "2460" {
		t.Errorf("the form has %q and %q", v.name.entry.Text, v.port.entry.Text)
	}
	change, err := v.change()
	name := "attic"
	if diff := cmp.Diff(console.Change{Name: &name}, change); diff != "" || err != nil {
		t.Errorf("what would be sent (-want +got):\n%s%v", diff, err)
	}
}

// Interfaces and addresses are typed with commas or blanks in between; an empty
// field asks for none of them to be named.
func TestListsAreTyped(t *testing.T) {
	values := plainValues
	values.Interfaces = console.Value[[]string]{Value: []string{"eth0", "!eth1"}, Origin: console.OriginFile}
	values.Advertise = console.Value[[]string]{Value: []string{"192.0.2.1"}, Origin: console.OriginFlag}
	_, v := openSettings(t, values)
	reads(t, v.body, "eth0, !eth1", "192.0.2.1")
	for _, test := range []struct {
		typed string
		want  []string
	}{{" eth0,wlan0  eth2,", []string{"eth0", "wlan0", "eth2"}}, {"", []string{}}} {
		v.interfaces.entry.SetText(test.typed)
		change, err := v.change()
		if diff := cmp.Diff(console.Change{Interfaces: &test.want}, change); diff != "" || err != nil {
			t.Errorf("%q asks for (-want +got):\n%s%v", test.typed, diff, err)
		}
	}
}

// Letting the network in is asked twice, takes effect at once, and is red; keeping
// it out is not asked.
func TestOpenIsConfirmed(t *testing.T) {
	s, v := openSettings(t, plainValues)
	button := func(text string) *widget.Button { return findButton(t, s.canvas.Overlays().Top(), text) }

	v.open.SetChecked(true)
	if s.canvas.Overlays().Top() == nil {
		t.Fatal("nothing is asked")
	}
	test.Tap(button("Keep it closed"))
	if v.open.Checked || len(s.changes) > 0 {
		t.Error("the network is let in after No")
	}
	v.open.SetChecked(true)
	test.Tap(button("Open it"))
	s.values.Open = console.Value[bool]{Value: true, Origin: console.OriginFile}
	s.settle()
	if v.warning.style.ColorName != theme.ColorNameError {
		t.Error("the warning is not red")
	}
	if len(s.changes) != 1 || s.changes[0].Open == nil || !*s.changes[0].Open {
		t.Fatalf("sent %+v", s.changes)
	}
	v.open.SetChecked(false)
	if s.canvas.Overlays().Top() != nil {
		t.Error("keeping the network out is asked")
	}
	s.settle()
	if len(s.changes) != 2 || *s.changes[1].Open {
		t.Errorf("sent %+v", s.changes)
	}
}

// The wheel scrolls the form also where the pointer is over a field to type in.
func TestWheelOverField(t *testing.T) {
	s, v := openSettings(t, plainValues)
	at := func() fyne.Position { return fyne.CurrentApp().Driver().AbsolutePositionForObject(v.name.entry) }
	before := at()
	test.Scroll(s.canvas, before.AddXY(20, 10), 0, -60)
	if after := at(); after.Y >= before.Y {
		t.Errorf("the wheel moved the field by %v", after.Y-before.Y)
	}
}
