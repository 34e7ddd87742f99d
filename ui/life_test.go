package ui

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// liveScene is the window on a desktop.
func liveScene(t *testing.T, values console.Values) (*scene, *life) {
	t.Helper()
	s := openScene(t)
	s.values = values
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	l := newLife(fyne.CurrentApp(), s.frame, s.window.shell, values, false)
	s.window.live(l)
	return s, l
}

// Closing hides the window only where a tray brings it back and its owner wants
// that. The first time he is asked, and his answer is kept.
func TestCloseAsks(t *testing.T) {
	s, l := liveScene(t, plainValues)
	l.hosted = true
	l.closed()
	test.Tap(findButton(t, s.canvas.Overlays().Top(), "Keep it running"))
	s.values.Tray = console.Value[bool]{Value: true, Origin: console.OriginFile}
	s.settle()
	if len(s.changes) != 1 || s.changes[0].Tray == nil || !*s.changes[0].Tray {
		t.Fatalf("sent %+v", s.changes)
	}
	if !l.hidden.Load() {
		t.Error("the window is not hidden")
	}
	l.show()
	l.closed()
	if s.canvas.Overlays().Top() != nil || !l.hidden.Load() {
		t.Error("it is asked twice")
	}
}

// Where no tray is, nothing hides, whatever is wanted; a hidden window shows
// when its tray has gone.
func TestNoTray(t *testing.T) {
	values := plainValues
	values.Tray = console.Value[bool]{Value: true, Origin: console.OriginFile}
	s, l := liveScene(t, values)
	l.closed()
	if l.hidden.Load() {
		t.Error("the window is hidden where nothing brings it back")
	}
	l.host(true)
	l.closed()
	if !l.hidden.Load() {
		t.Error("the window is not hidden")
	}
	l.showWithoutTray()
	if !l.hidden.Load() {
		t.Error("the window shows though a tray is there")
	}
	l.host(false)
	l.showWithoutTray()
	if l.hidden.Load() {
		t.Error("the window stays hidden without a tray")
	}
	s.window.visit(s.window.settings)
	s.look()
	reads(t, s.window.settings.body, "This desktop has no tray")
	l.host(true)
	s.look()
	readsNot(t, s.window.settings.body, "This desktop has no tray")
}

// While it is hidden, the window reads nothing but how the relay is.
func TestHiddenRests(t *testing.T) {
	s, l := liveScene(t, plainValues)
	s.window.visit(s.window.network)
	l.hidden.Store(true)
	s.err = errors.New("the network was looked at")
	s.look()
	readsNot(t, s.window.content, "the network was looked at")
	l.show()
	s.look()
	reads(t, s.window.content, "the network was looked at")
}

// Letting the network in from the tray asks the same as in the settings; keeping
// it out does not. What fails is said in the window.
func TestOpenFromTray(t *testing.T) {
	s, l := liveScene(t, plainValues)
	l.hidden.Store(true)
	l.open(true)
	if l.hidden.Load() {
		t.Error("the question cannot be seen")
	}
	reads(t, s.canvas.Overlays().Top(), openWarning)
	test.Tap(findButton(t, s.canvas.Overlays().Top(), "Keep it closed"))
	s.settle()
	if len(s.changes) != 0 {
		t.Errorf("sent %+v", s.changes)
	}
	l.open(true)
	test.Tap(findButton(t, s.canvas.Overlays().Top(), "Open it"))
	s.settle()
	l.open(false)
	s.settle()
	if len(s.changes) != 2 || !*s.changes[0].Open || *s.changes[1].Open {
		t.Errorf("sent %+v", s.changes)
	}
	s.err = errors.New("port 80 is taken")
	l.open(false)
	s.settle()
	reads(t, s.canvas.Overlays().Top(), "Port 80 is taken.")
}

// What needs a person is told on the desktop, once.
func TestNotification(t *testing.T) {
	s, l := liveScene(t, plainValues)
	trouble := console.Overview{Problem: "The disk is nearly full."}
	test.AssertNotificationSent(t, fyne.NewNotification("Hearth needs you", trouble.Problem), func() {
		l.hear(trouble, nil)
		s.settle()
	})
	test.AssertNotificationSent(t, nil, func() {
		l.hear(trouble, nil)
		s.settle()
	})
}

// A relay that cannot go on is told in the window and on the desktop.
func TestFailureIsTold(t *testing.T) {
	s, l := liveScene(t, plainValues)
	l.hidden.Store(true)
	test.AssertNotificationSent(t, fyne.NewNotification("Hearth has stopped", "The port has gone."), func() {
		l.fail(errors.New("the port has gone"))
		s.settle()
	})
	if l.hidden.Load() {
		t.Error("the window is hidden")
	}
	reads(t, s.canvas.Overlays().Top(), "The relay cannot go on", "The port has gone.", "What was written is safe.", "Quit")
}

// A chosen look holds whatever the desktop's is, at once and on every screen.
func TestLook(t *testing.T) {
	s, l := liveScene(t, plainValues)
	s.window.visit(s.window.streams) // drawn before the change
	s.window.visit(s.window.settings)
	s.look()
	for _, look := range []console.Theme{console.ThemeDark, console.ThemeLight} {
		values := plainValues
		values.Theme = console.Value[console.Theme]{Value: look, Origin: console.OriginFile}
		l.settled(values)
		want := hearthTheme{}.Color(theme.ColorNameForeground, map[console.Theme]fyne.ThemeVariant{console.ThemeDark: theme.VariantDark, console.ThemeLight: theme.VariantLight}[look])
		if got := theme.Color(theme.ColorNameForeground); got != want {
			t.Errorf("%s: the text is %v, not %v", look, got, want)
		}
		if got := (snug{}).Color(theme.ColorNameForeground, fyne.CurrentApp().Settings().ThemeVariant()); got != want {
			t.Errorf("%s: the text of lists is %v, not %v", look, got, want)
		}
		if !s.window.faded.screens[s.window.streams] || s.window.faded.screens[s.window.settings] {
			t.Errorf("%s: other screens than those off the stage have old colours", look)
		}
	}
	s.window.visit(s.window.streams)
	if s.window.faded.screens[s.window.streams] {
		t.Error("a screen comes on the stage with old colours")
	}
}

// Why a start failed is told with what to do.
func TestTelling(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	quit := false
	content := newTelling("port 80 is in use", "stop that program", func() { quit = true })
	reads(t, content, "Hearth cannot start", "Port 80 is in use.", "Stop that program.")
	test.Tap(findButton(t, content, "Quit"))
	if !quit {
		t.Error("Quit does nothing")
	}
}
