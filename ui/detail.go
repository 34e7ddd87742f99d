package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// detail shows one stream: what it is, its entries newest first, and the bytes
// of one of them.
type detail struct {
	shell  *shell
	stream console.Stream
	shown  bool

	name, kind, head, created, written *words
	identity, link                     *words
	damage                             *prose
	trouble                            *prose
	entries                            *rowList
	pager                              *pager
	position                           uint64 // of the entry whose bytes are shown; 0 for none
	dump                               dump
	dumpTitle                          *words
	dumpList                           *rowList
	dumpPane                           *fyne.Container
	content                            *fyne.Container
	empty, full                        fyne.CanvasObject
}

var entryColumns = columns{least: 84, list: []column{
	{title: "Position", width: 76, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "Epoch", width: 38, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 2},
	{title: "Size", width: 52, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "Link", width: 66, style: fyne.TextStyle{Monospace: true}, color: theme.ColorNameForeground, rank: 1},
	{title: "When", color: colorMuted},
}}

func newDetail(s *shell) *detail {
	d := &detail{
		shell: s, name: strong(""), kind: caption(""), head: newWords("", theme.ColorNameForeground),
		created: newWords("", theme.ColorNameForeground), written: newWords("", theme.ColorNameForeground),
		identity: code(""), link: code(""), dumpTitle: caption(""),
		damage: newProse("", theme.ColorNameError), trouble: newProse("", theme.ColorNameError),
	}
	for _, w := range []*words{d.name, d.identity, d.link, d.created, d.written, d.dumpTitle} {
		w.shrinks = true
	}
	d.name.size = theme.SizeNameSubHeadingText
	d.damage.Hide()
	d.trouble.Hide()

	copyCursor := newCopyButton("Copy cursor", func() string { return cursor(d.stream) })
	title := stretched(smallGap, 0, d.name, chip(d.kind, theme.ColorNameBackground), copyCursor.Button)
	copyIdentity := newCopyButton("", func() string { return d.stream.Identity })
	copyLink := newCopyButton("", func() string { return d.stream.Link })
	facts := stacked(0,
		fact("Identity", 0, d.identity, copyIdentity.Button),
		fact("Head", 1, d.head, d.link, copyLink.Button),
		fact("Created", 0, d.created),
		fact("Last write", 0, d.written),
		d.damage, d.trouble,
	)
	d.entries = newRowList(&entryColumns, fineRow, (*entryRows)(d))
	d.dumpList = newRowList(&dumpColumns, 17, &d.dump)
	d.dumpList.HideSeparators = true
	d.dumpPane = capped(stacked(0, widget.NewSeparator(), inset(d.dumpTitle, gap, smallGap)), d.dumpList.bare())
	d.dumpPane.Hide()

	d.full = capped(
		stacked(0, inset(title, gap, 10), widget.NewSeparator(), inset(facts, gap, smallGap), widget.NewSeparator()),
		container.New(upperAndLower{}, d.entries.framed(newHeader(&entryColumns)), d.dumpPane),
	)
	d.empty = emptyState("No stream selected", newProse("Select a stream to see its entries.", colorMuted))
	d.content = container.NewStack(d.empty)
	return d
}

// fact is a line with what it is called; the given one of its values gives way.
func fact(name string, which int, values ...fyne.CanvasObject) fyne.CanvasObject {
	line := append([]fyne.CanvasObject{fixedWidth(68, newWords(name, colorMuted))}, values...)
	return container.New(atLeast(26), stretched(smallGap, 1+which, line...))
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
		d.pager = newPager(s.StreamRef, s.Head, d.shell.console, d.shell.later, d.entriesArrived)
		d.hideEntry()
		d.setShown(d.trouble, "")
		d.put(d.full)
		d.set(s)
		d.entries.ScrollToTop()
	case s.Head == d.stream.Head:
		d.set(s)
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

// set puts a stream's facts on the screen.
func (d *detail) set(s console.Stream) {
	d.stream, d.shown = s, true
	d.name.set(s.Name)
	d.kind.set(spaceAndKind(s))
	d.identity.set(s.Identity)
	d.head.set(number(s.Head))
	d.link.set("link " + shortened(s.Link, 12))
	d.setShown(d.damage, sentence(s.Damage))
	d.age()
}

func (d *detail) clear() {
	d.shown, d.pager = false, nil
	d.stream = console.Stream{}
	d.put(d.empty)
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
	d.entries.Refresh()
}

func (d *detail) entriesArrived(p *pager, err error) {
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

// entryRows is the entries of the detail's stream as rows.
type entryRows detail

func (e *entryRows) count() int { return int(min(e.stream.Head, maxRows)) }

func (e *entryRows) row(i int) rowState {
	position := e.stream.Head - uint64(i)
	entry, ok := e.pager.at(position)
	if !ok {
		return rowState{cells: []string{number(position), "", "…"}}
	}
	return rowState{cells: []string{
		number(position), number(entry.Epoch), byteSize(uint64(entry.Size)), shortened(entry.Link, 8), ago(entry.WrittenAt, e.shell.now()),
	}}
}

func (e *entryRows) chosen() int {
	if e.position == 0 || e.position > e.stream.Head {
		return -1
	}
	return int(e.stream.Head - e.position)
}

// choose shows the bytes of an entry.
func (e *entryRows) choose(i int) {
	d := (*detail)(e)
	position := d.stream.Head - uint64(i)
	if position == d.position {
		return
	}
	d.position = position
	pager := d.pager
	current := func() bool { return d.pager == pager && d.position == position }
	d.shell.later(func(ctx context.Context) (func(), error) {
		data, err := d.shell.console.EntryData(ctx, pager.ref, position)
		if err != nil {
			return nil, err
		}
		size := len(data)
		data = slices.Clone(data[:min(size, dumpLimit)]) // the rest need not stay in memory
		return func() {
			if current() {
				d.showEntry(dumpTitle(position, size), data)
			}
		}, nil
	}, func(err error) {
		if current() {
			d.showEntry(fmt.Sprintf("Entry %s cannot be shown: %v", number(position), err), nil)
		}
	})
}

func (d *detail) showEntry(title string, data []byte) {
	d.dump.data = data
	d.dumpTitle.set(title)
	d.dumpPane.Show()
	d.full.Refresh()
	d.dumpList.ScrollToTop()
	d.dumpList.Refresh()
}

func (d *detail) hideEntry() {
	d.position = 0
	d.dump.data = nil
	d.dumpPane.Hide()
	d.full.Refresh()
}
