package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"hearth/relay/console"
)

// tray is the program's place in the desktop's tray.
type tray struct {
	desk    desktop.App
	acts    trayActs
	service bool // the relay goes on without the program
	shown   trayState
	menu    *fyne.Menu
}

// trayActs is what can be done from the tray.
type trayActs struct {
	show func()
	open func(on bool) // lets the network in, or keeps it out
	quit func()
}

// trayState is all that the tray shows.
type trayState struct {
	mood  mood
	name  string
	url   string
	open  bool
	fixed bool // whether the network may come in was given for this run
}

// newTray makes the tray's icon and menu. It has to be called before the
// toolkit runs.
func newTray(desk desktop.App, acts trayActs, service bool) *tray {
	t := &tray{desk: desk, acts: acts, service: service, shown: trayState{name: "Hearth"}}
	desk.SetSystemTrayIcon(t.shown.mood.icon())
	t.menu = fyne.NewMenu("Hearth", t.items()...)
	desk.SetSystemTrayMenu(t.menu)
	return t
}

// show brings the tray in line with the relay. Nothing happens while nothing
// changed: a menu that is made anew closes before one's eyes.
func (t *tray) show(o console.Overview, fixed bool) {
	s := trayState{mood: moodOf(o), name: o.Name, open: o.Open, fixed: fixed}
	if len(o.URLs) > 0 {
		s.url = o.URLs[0]
	}
	t.set(s)
}

// unreachable says that nothing is known of the relay.
func (t *tray) unreachable() {
	s := t.shown
	s.mood = moodTrouble
	t.set(s)
}

func (t *tray) set(s trayState) {
	before := t.shown
	if s == before {
		return
	}
	t.shown = s
	if s.mood != before.mood {
		t.desk.SetSystemTrayIcon(s.mood.icon())
	}
	t.menu.Items = t.items()
	t.desk.SetSystemTrayMenu(t.menu)
}

// again sets what the toolkit may have lost while it came into the tray: its name
// and its icon, each of which it reads at one moment and sends from another on.
func (t *tray) again() {
	setTrayTitle("Hearth")
	t.desk.SetSystemTrayIcon(t.shown.mood.icon())
}

func (t *tray) items() []*fyne.MenuItem {
	s := t.shown
	state := newMenuItem(s.name+": "+s.mood.String(), func() {})
	state.Disabled = true
	window := newMenuItem("Open Hearth", t.acts.show)
	address := newMenuItem("Copy the address", func() { fyne.CurrentApp().Clipboard().SetContent(s.url) })
	address.Disabled = s.url == ""
	if s.url != "" {
		address.Label = "Copy " + strings.TrimPrefix(s.url, "http://")
	}
	network := newMenuItem("Open to this network…", func() { t.acts.open(true) })
	if s.open {
		network = newMenuItem("Close to this network", func() { t.acts.open(false) })
	}
	network.Disabled = s.fixed
	quit := newMenuItem("Quit Hearth", t.acts.quit)
	if t.service {
		quit.Label = "Quit (the relay goes on)"
	}
	quit.IsQuit = true
	return []*fyne.MenuItem{
		state, fyne.NewMenuItemSeparator(), window, address, network, fyne.NewMenuItemSeparator(), quit,
	}
}
