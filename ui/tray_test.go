package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
)

// trayPlace is a desktop's tray that remembers what it was given.
type trayPlace struct {
	menus, icons int
	icon         fyne.Resource
}

func (p *trayPlace) SetSystemTrayMenu(*fyne.Menu)         { p.menus++ }
func (p *trayPlace) SetSystemTrayIcon(icon fyne.Resource) { p.icons++; p.icon = icon }
func (p *trayPlace) SetSystemTrayWindow(fyne.Window)      {}

// The tray says how the relay is by icon and words, and offers what fits; it is
// touched only when something changed.
func TestTrayTells(t *testing.T) {
	test.NewTempApp(t)
	place := &trayPlace{}
	var did []string
	tr := newTray(place, trayActs{
		show: func() { did = append(did, "show") },
		open: func(on bool) { did = append(did, map[bool]string{true: "open", false: "close"}[on]) },
		quit: func() { did = append(did, "quit") },
	}, false)
	o := console.Overview{Name: "Shelf", URLs: []string{"http://192.168.1.20:2451"}}
	icons := map[string]bool{}
	for _, step := range []struct {
		change func()
		fixed  bool
		labels []string
	}{
		{func() {}, false, []string{"Shelf: running for this machine only", "Open Hearth", "Copy 192.168.1.20:2451", "Open to this network…", "Quit Hearth"}},
		{func() { o.Open = true }, false, []string{"Shelf: open to this network", "Open Hearth", "Copy 192.168.1.20:2451", "Close to this network", "Quit Hearth"}},
		{func() { o.Problem = "The disk is nearly full." }, true, []string{"Shelf: needs you", "Open Hearth", "Copy 192.168.1.20:2451", "Close to this network", "Quit Hearth"}},
		{func() { o.Problem, o.Damaged = "", make([]console.Damage, 1) }, true, []string{"Shelf: needs you", "Open Hearth", "Copy 192.168.1.20:2451", "Close to this network", "Quit Hearth"}},
		{func() { o.URLs, o.Open, o.Damaged = nil, false, nil }, false, []string{"Shelf: running for this machine only", "Open Hearth", "Copy the address", "Open to this network…", "Quit Hearth"}},
	} {
		step.change()
		tr.show(o, step.fixed)
		menus, drawn := place.menus, place.icons
		tr.show(o, step.fixed)
		if place.menus != menus || place.icons != drawn {
			t.Error("the tray is made anew though nothing changed")
		}
		icons[place.icon.Name()] = true
		var labels []string
		for _, item := range tr.menu.Items {
			if item.IsSeparator {
				continue
			}
			labels = append(labels, item.Label)
			if network := item.Label == "Close to this network" || item.Label == "Open to this network…"; network && item.Disabled != step.fixed {
				t.Errorf("%q disabled: %t", item.Label, item.Disabled)
			}
			if item.Action != nil && !item.Disabled {
				item.Action()
			}
		}
		if !slices.Equal(labels, step.labels) {
			t.Errorf("the menu is %q", labels)
		}
	}
	if len(icons) != 3 {
		t.Errorf("the icons are %v", icons)
	}
	if got := fyne.CurrentApp().Clipboard().Content(); got != "http://192.168.1.20:2451" {
		t.Errorf("copied %q", got)
	}
	if want := []string{"show", "open", "quit", "show", "close", "quit", "show", "quit", "show", "quit", "show", "open", "quit"}; !slices.Equal(did, want) {
		t.Errorf("it did %q", did)
	}
	tr.unreachable()
	if tr.menu.Items[0].Label != "Shelf: needs you" {
		t.Errorf("a relay that does not answer is %q", tr.menu.Items[0].Label)
	}
}

// Where the relay runs as a service, the tray says that it goes on, and closing
// the window asks nothing.
func TestServiceGoesOn(t *testing.T) {
	s, l := liveScene(t, plainValues)
	tr := newTray(new(trayPlace), trayActs{}, true)
	if quit := tr.menu.Items[len(tr.menu.Items)-1]; quit.Label != "Quit (the relay goes on)" || !quit.IsQuit {
		t.Errorf("the tray offers %q", quit.Label)
	}
	l.service, l.hosted = true, true
	l.closed()
	if s.canvas.Overlays().Top() != nil || l.hidden.Load() {
		t.Error("closing asks, or hides")
	}
	own := newOwnSettings(true, func(console.DesktopChange) {}, func() {})
	if said := own.keepSays.text.String(); !strings.Contains(said, "goes on when this window is closed") {
		t.Errorf("the settings say %q", said)
	}
	h := newHeaderBar(func() {}, func() {}, func(lead) {}, "Start it again.")
	h.show(console.Overview{}, nil)
	if said := h.waiting.text; said != "· 0 waiting now · a service, which goes on without this window" {
		t.Errorf("the header says %q", said)
	}
	h.unreachable(errors.New("its service does not run"))
	if said := h.problem.text.String(); said != "The relay does not answer this window: its service does not run. Start it again." {
		t.Errorf("the header says %q", said)
	}
}
