package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// Anyone on the network can announce as many relays as they like, with as many
// addresses.
const (
	foundMost = 64 // relays that are shown
	urlsMost  = 6  // addresses of one relay: two of each kind on three networks

	// nameMost is how much of a name that others chose is shown, in letters: as
	// much as fits into a DNS label (RFC 1035, section 2.3.4).
	nameMost = 63
)

// foundList is the relays that were found, live.
type foundList struct {
	now     func() time.Time
	last    []console.FoundRelay
	loaded  bool
	rows    []*foundRow // of those that are shown
	content *fyne.Container
}

func newFoundList(now func() time.Time) *foundList {
	return &foundList{now: now, content: stacked(0)}
}

// show says whether relays came, went or changed. Those that were just seen
// again keep their rows, and with them the keyboard its place.
func (l *foundList) show(found []console.FoundRelay) bool {
	found = ordered(found)
	same := l.loaded && slices.EqualFunc(l.last, found, sameRelay)
	l.last, l.loaded = found, true
	if same {
		for i, row := range l.rows {
			row.relay = found[i]
		}
		l.age()
		return false
	}
	l.rows, l.content.Objects = nil, nil
	for i, r := range found[:min(len(found), foundMost)] {
		if i > 0 {
			l.content.Add(widget.NewSeparator())
		}
		row := newFoundRow(r)
		l.rows = append(l.rows, row)
		l.content.Add(row.content)
	}
	switch more := len(found) - foundMost; {
	case more > 0:
		l.content.Add(widget.NewSeparator())
		l.content.Add(inset(caption(fmt.Sprintf("and %s more", number(more))), gap, 10))
	case len(found) == 0:
		l.content.Add(inset(newProse("None was found yet. Start Hearth on another machine, with its network switch on, and it shows here.", colorMuted), gap, 10))
	}
	l.age()
	return true
}

func (l *foundList) age() {
	for _, row := range l.rows {
		row.age(l.now())
	}
}

// ordered puts this relay first and those last that do not answer any more, so
// that however many others there are it is among those that show.
func ordered(found []console.FoundRelay) []console.FoundRelay {
	rank := func(r console.FoundRelay) int {
		switch {
		case r.Self:
			return 0
		case r.Stale:
			return 2
		default:
			return 1
		}
	}
	return slices.SortedStableFunc(slices.Values(found), func(a, b console.FoundRelay) int { return rank(a) - rank(b) })
}

// sameRelay says that two differ in nothing but when they were seen.
func sameRelay(a, b console.FoundRelay) bool {
	a.SeenAt = b.SeenAt
	return reflect.DeepEqual(a, b)
}

// foundRow is one relay with its addresses.
type foundRow struct {
	relay   console.FoundRelay
	about   *words
	content fyne.CanvasObject
}

func newFoundRow(r console.FoundRelay) *foundRow {
	row := &foundRow{relay: r, about: caption("")}
	row.about.shrinks = true
	name := strong(abridged(r.Name, nameMost))
	name.shrinks, name.middle = true, true
	title := []fyne.CanvasObject{name}
	if r.Stale {
		title = append(title, chip(warning("does not answer any more"), theme.ColorNameBackground))
	}
	if r.Self {
		title = append(title, chip(caption("this relay"), theme.ColorNameBackground))
	}
	lines := stacked(2, stretched(smallGap, 0, title...), row.about)
	for _, url := range r.URLs[:min(len(r.URLs), urlsMost)] {
		lines.Add(address(url, ""))
	}
	switch more := len(r.URLs) - urlsMost; {
	case more > 0:
		lines.Add(caption("and " + counted(uint64(more), "more address", "more addresses")))
	case len(r.URLs) == 0:
		lines.Add(caption("It has not told its address."))
	}
	row.content = inset(lines, gap, 10)
	return row
}

func warning(text string) *words {
	w := caption(text)
	w.color = theme.ColorNameWarning
	return w
}

func (r *foundRow) age(now time.Time) {
	entry := "does not say whether it needs a key"
	switch r.relay.Key {
	case console.KeyNeeded:
		entry = "needs a key"
	case console.KeyNotNeeded:
		entry = "open without a key"
	case console.KeyNotTold:
	}
	parts := []string{abridged(r.relay.Host, nameMost), entry}
	if r.relay.ID != "" {
		parts = append(parts, "id "+shortened(r.relay.ID, 8))
	}
	seen := "seen "
	if r.relay.Stale {
		seen = "last seen "
	}
	r.about.set(strings.Join(append(parts, seen+ago(r.relay.SeenAt, now)), " · "))
}
