package ui

import (
	"context"
	"errors"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// detail shows one stream: what it is, its entries newest first, and what one of
// them holds.
type detail struct {
	shell  *shell
	stream console.Stream
	shown  bool

	name, kind, head, created, written *words
	identity, link, hour               *words
	hourBars                           *bars
	damage                             *prose
	trouble                            *prose
	epochs                             *epochs
	check                              *check
	facts                              *fyne.Container
	entries                            *rowList
	pager                              *pager[console.Entry] // nil for a stream of events
	pane                               *entryPane
	events                             *events
	asking                             *dialog.CustomDialog // about a cursor; nil if it was never opened
	content, full                      *fyne.Container
	storeys                            storeys
	ofEntries, ofEvents                []fyne.CanvasObject // the lower storeys
	empty                              fyne.CanvasObject
}

// newDetail makes the detail; named says which stream has an identity.
func newDetail(s *shell, named func(identity string) string) *detail {
	plain := func() *words { return newWords("", theme.ColorNameForeground) }
	d := &detail{
		shell: s, name: strong(""), kind: caption(""), head: plain(), created: plain(), written: plain(), hour: plain(),
		identity: code(""), link: code(""), hourBars: newBars(fyne.NewSize(120, chartHeight)),
		damage: newProse("", theme.ColorNameError), trouble: newProse("", theme.ColorNameError), epochs: newEpochs(s),
	}
	for _, w := range []*words{d.name, d.identity, d.link, d.created, d.written, d.hour} {
		w.shrinks = true
	}
	d.name.middle = true
	d.name.size = theme.SizeNameSubHeadingText
	d.damage.Hide()
	d.trouble.Hide()

	title := laid(atLeast(32), stretched(smallGap, 0, d.name, chip(d.kind, theme.ColorNameBackground)))
	copyIdentity := newCopyButton("", func() string { return d.stream.Identity })
	copyLink := newCopyButton("", func() string { return d.stream.Link })
	copyCursor := newCopyButton("Copy cursor", func() string { return cursor(d.stream) })
	d.check = newCheckUp(s, "Check", func() { d.full.Refresh() })
	d.check.begin.SetIcon(theme.ConfirmIcon())
	mine := newIconButton("Is it mine?", theme.QuestionIcon(), func() {
		d.asking = newMine(s, d.stream, named).ask(d.content)
	})
	d.facts = stacked(0, widget.NewSeparator(), inset(stacked(0,
		fact("Identity", 0, d.identity, copyIdentity.Button),
		fact("Head", 1, d.head, d.link, copyLink.Button),
		d.epochs.content,
		fact("Created", 0, d.created),
		fact("Last write", 0, d.written),
		fact("Last hour", 0, d.hour, d.hourBars),
		inset(flush(copyCursor.Button, mine, d.check.begin), 0, 4), d.check.under, d.check.told,
		d.damage, d.trouble,
	), gap, 6))
	d.entries = newRowList(&entryColumns, fineRow, (*entryRows)(d))
	d.pane = newEntryPane(s, func() { d.full.Refresh(); d.entries.Refresh() })
	d.events = newEvents(s, func() { d.full.Refresh() })
	ruled := func(o fyne.CanvasObject) fyne.CanvasObject {
		return stacked(0, widget.NewSeparator(), o, widget.NewSeparator())
	}
	d.ofEntries = []fyne.CanvasObject{ruled(newHeader(&entryColumns)), d.entries.bare(), d.pane.content}
	d.ofEvents = []fyne.CanvasObject{ruled(d.events.heading), d.events.body, d.events.pane.content}
	d.full = laid(&d.storeys, append([]fyne.CanvasObject{stacked(0, inset(title, gap, 8)), d.facts}, d.ofEntries...)...)
	d.empty = emptyState("No stream selected", newProse("Select a stream to see its entries.", colorMuted))
	d.content = container.NewStack(d.empty)
	return d
}

const (
	entriesLeast = 150 // of a list of entries, or of an open one: some rows
	eventsLeast  = 240 // the same of events, whose rows are higher
	factWidth    = 68  // of what the lines are called
	buttonHeight = 40  // of a line with a button that does something
)

// fact is a line with what it is called; the given one of its values gives way.
func fact(name string, which int, values ...fyne.CanvasObject) fyne.CanvasObject {
	line := append([]fyne.CanvasObject{fixedWidth(factWidth, newWords(name, colorMuted))}, values...)
	return laid(atLeast(26), stretched(smallGap, 1+which, line...))
}

// cursor is where a reader stands who has the whole stream, as the contract
// spells it ("Cursors").
func cursor(s console.Stream) string {
	return fmt.Sprintf("%d.%s.%s", s.Head, s.Identity, s.Link)
}

// show shows a stream; the same one, moved on, keeps its place.
func (d *detail) show(s console.Stream) {
	same := d.shown && s.StreamRef == d.stream.StreamRef && s.Identity == d.stream.Identity && s.Head >= d.stream.Head
	switch {
	case !same:
		d.check.about(s.StreamRef)
		d.setShown(d.trouble, "")
		d.begin(s)
		d.set(s)
		d.put(d.full)
	case s.Head == d.stream.Head:
		d.set(s)
	case s.Kind == console.KindEvents:
		d.events.advance(s.Head, func() { d.set(s) })
	default:
		pager := d.pager
		pager.advance(s.Head, func() {
			if grown := int(s.Head) - int(d.stream.Head); d.pager == pager && grown >= 0 {
				d.setShown(d.trouble, "")
				d.set(s)
				d.entries.keepPlace(grown)
			}
		})
	}
}

// begin shows what a stream holds, from its head on.
func (d *detail) begin(s console.Stream) {
	d.pane.close()
	d.events.end()
	d.pager = nil
	lower := d.ofEntries
	d.storeys.least = entriesLeast
	if s.Kind == console.KindEvents {
		lower = d.ofEvents
		d.storeys.least = eventsLeast
		d.events.begin(s)
	} else {
		d.pager = newPager(s.StreamRef, s.Head, func(ctx context.Context, before uint64, limit int) ([]console.Entry, error) {
			return d.shell.console.Entries(ctx, s.StreamRef, before, limit)
		}, d.shell.later, d.entriesArrived)
		d.entries.ScrollToTop()
	}
	copy(d.full.Objects[len(d.full.Objects)-len(lower):], lower)
	d.full.Refresh()
}

// set puts a stream's facts on the screen.
func (d *detail) set(s console.Stream) {
	d.stream, d.shown = s, true
	d.name.set(streamName(s.StreamRef))
	d.kind.set(spaceAndKind(s))
	d.identity.set(s.Identity)
	d.head.set(number(s.Head))
	d.link.set("link " + shortened(s.Link, 12))
	d.hour.set(counted(batches(&s.Hour), "batch", "batches"))
	d.hourBars.set(charted(&s.Hour))
	d.setShown(d.damage, sentence(s.Damage))
	if d.epochs.content.(*fyne.Container).Hidden = s.Kind == console.KindEvents; s.Kind != console.KindEvents { // which have none
		d.epochs.show(s)
	}
	d.age()
}

func (d *detail) clear() {
	d.shown, d.pager = false, nil
	d.stream = console.Stream{}
	d.events.end()
	d.put(d.empty)
}

// escape closes what the detail has put over the window, or else the entry that
// is open.
func (d *detail) escape() {
	if d.events.filter.types.shut() {
		return
	}
	if windowOf(d.content).Canvas().Overlays().Top() == nil {
		d.pane.close()
		d.events.pane.close()
		return
	}
	for _, over := range []*dialog.CustomDialog{d.asking, d.epochs.dialog} {
		if over != nil {
			over.Hide()
		}
	}
}

func (d *detail) put(o fyne.CanvasObject) {
	if d.content.Objects[0] != o {
		d.content.Objects = []fyne.CanvasObject{o}
		d.content.Refresh()
	}
}

func (d *detail) setShown(p *prose, text string) {
	p.set(text)
	if p.Visible() == (text != "") {
		return
	}
	if text == "" {
		p.Hide()
	} else {
		p.Show()
	}
	d.full.Refresh()
}

// age lets the times grow older.
func (d *detail) age() {
	if !d.shown {
		return
	}
	d.created.set(exact(d.stream.CreatedAt, d.shell.now()))
	d.written.set(exact(d.stream.WrittenAt, d.shell.now()))
	if d.pager == nil {
		d.events.age()
		return
	}
	d.entries.Refresh()
	d.pane.age()
}

func (d *detail) entriesArrived(p *pager[console.Entry], err error) {
	if p != d.pager {
		return // of a stream that was shown before
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		d.setShown(d.trouble, sentence("the entries cannot be shown: "+err.Error()))
		return
	}
	d.setShown(d.trouble, "")
	d.entries.Refresh()
}
