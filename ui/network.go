package ui

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// foundMost bounds how many relays are shown: anyone on the network can
// announce as many as they like.
const foundMost = 64

// nameMost is how much of a name that others chose is shown, in letters.
const nameMost = 40

// network is the screen of how the relay is announced and what else is there.
type network struct {
	shell  *shell
	last   console.Neighbourhood
	urls   []string
	loaded bool

	reach, announced, found *fyne.Container
	trouble                 *prose
	ages                    []func() // for each time that is shown
	body                    fyne.CanvasObject
}

func newNetwork(s *shell) *network {
	v := &network{shell: s, reach: stacked(0), announced: stacked(0), found: stacked(0), trouble: newProse("", theme.ColorNameWarning)}
	v.trouble.Hide()
	v.body = scrolled(stacked(gap,
		v.trouble,
		section("Where apps reach this relay", v.reach),
		section("How it is announced", v.announced),
		section("Relays on this network", v.found),
	))
	return v
}

// section is a sheet with a heading.
func section(title string, content fyne.CanvasObject) fyne.CanvasObject {
	return sheet(stacked(0, inset(strong(title), gap, 10), widget.NewSeparator(), inset(content, gap, 6)))
}

func (v *network) title() string              { return "Network" }
func (v *network) content() fyne.CanvasObject { return v.body }
func (v *network) restless() bool             { return true } // the network changes without a word

func (v *network) load(ctx context.Context) (func(), error) {
	n, err := v.shell.console.Neighbourhood(ctx)
	if err != nil {
		return nil, fmt.Errorf("the network cannot be looked at: %w", err)
	}
	return func() { v.show(n) }, nil
}

// reachable tells the screen where clients reach the relay.
func (v *network) reachable(urls []string) {
	if reflect.DeepEqual(v.urls, urls) {
		return
	}
	v.urls = urls
	v.reach.Objects = nil
	for _, url := range urls {
		v.reach.Add(address(url))
	}
	v.reach.Refresh()
}

// address is a URL that can be copied.
func address(url string) fyne.CanvasObject {
	text := code(url)
	text.shrinks = true
	return container.New(atLeast(30), stretched(smallGap, 0, text, newCopyButton("", func() string { return url }).Button))
}

func (v *network) show(n console.Neighbourhood) {
	if v.loaded && reflect.DeepEqual(v.last, n) {
		return
	}
	v.last, v.loaded, v.ages = n, true, nil
	v.trouble.set(n.Trouble)
	v.trouble.Hidden = n.Trouble == ""

	v.announced.Objects = nil
	for _, a := range n.Announced {
		v.announced.Add(fact(a.Interface, 0, newProse(strings.Join(a.Addresses, ", "), theme.ColorNameForeground), caption("as “"+shortened(a.Instance, nameMost)+"”")))
	}
	if n.Quiet != "" {
		v.announced.Add(inset(newProse(n.Quiet, colorMuted), 0, 4))
	}
	v.found.Objects = nil
	for i, r := range n.Found[:min(len(n.Found), foundMost)] {
		if i > 0 {
			v.found.Add(inset(widget.NewSeparator(), 0, 4))
		}
		v.found.Add(v.relay(r))
	}
	switch more := len(n.Found) - foundMost; {
	case more > 0:
		v.found.Add(caption(fmt.Sprintf("and %s more", number(more))))
	case len(n.Found) == 0:
		v.found.Add(inset(newProse("None was found yet. Start Hearth on another machine, with its network switch on, and it shows here.", colorMuted), 0, 4))
	}
	v.body.Refresh()
}

// relay is a relay that was found, with its addresses.
func (v *network) relay(r console.FoundRelay) fyne.CanvasObject {
	name := strong(shortened(r.Name, nameMost))
	entry := "open without a key"
	if r.NeedsKey {
		entry = "needs a key"
	}
	title := []fyne.CanvasObject{name}
	if r.Self {
		title = append(title, chip(caption("this relay"), theme.ColorNameBackground))
	}
	about := caption("")
	about.shrinks = true
	age := func() {
		parts := []string{r.Host, entry}
		if r.ID != "" {
			parts = append(parts, "id "+shortened(r.ID, 8))
		}
		about.set(strings.Join(append(parts, "seen "+ago(r.SeenAt, v.shell.now())), " · "))
	}
	age()
	v.ages = append(v.ages, age)
	lines := stacked(2, flush(title...), about)
	for _, url := range r.URLs {
		lines.Add(address(url))
	}
	return inset(lines, 0, 4)
}

func (v *network) age() {
	for _, age := range v.ages {
		age()
	}
}
