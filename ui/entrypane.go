package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

// entryPane shows what one entry holds.
type entryPane struct {
	shell    *shell
	pager    *pager[console.Entry] // of the entry's stream
	stream   console.Stream        // as it was when the entry was opened
	position uint64                // 0 for none
	entry    console.Entry         // zero if it is not known
	readout  readout
	liked    render.Kind // what the person chose last, of what there was

	name, facts *words
	tabs        []*tab // in the order of the readout's kinds
	tabLine     *fyne.Container
	lines       *rowList
	save        *saver
	trouble     *prose
	content     *fyne.Container
	moved       func() // after the pane was opened or closed
}

func newEntryPane(s *shell, moved func()) *entryPane {
	p := &entryPane{shell: s, moved: moved, name: strong(""), facts: caption(""), tabLine: beside(2), trouble: newProse("", theme.ColorNameError)}
	p.name.shrinks, p.facts.shrinks = true, true
	p.readout.kind = kindHex
	p.lines = newRowList(&readoutColumns, 17, &p.readout)
	p.lines.HideSeparators = true
	p.lines.resized = func(size fyne.Size) { p.readout.fit(lettersIn(size.Width - 2*gap)) }
	p.trouble.Hide()

	copyText := newCopyButton("", p.readout.text)
	p.save = newSaver(s, func() saved {
		return saved{p.stream.StreamRef, p.position, fileName(p.stream.Name, p.position, p.readout.kinds()[0])}
	}, p.facts.set, p.say)
	leave := newIconButton("", theme.CancelIcon(), p.close)
	leave.Importance = widget.LowImportance
	title := stretched(0, 0, p.name, copyText.Button, p.save.Button, leave)
	head := stacked(2, title, p.facts, p.trouble, inset(flush(p.tabLine), -smallGap, 2))
	p.content = capped(stacked(0, widget.NewSeparator(), inset(head, gap, 4)), p.lines.bare())
	p.content.Hide()
	return p
}

// lettersIn is how many letters of the lists' monospace fit into a width.
func lettersIn(width float32) int {
	size := fyne.CurrentApp().Settings().Theme().Size(theme.SizeNameCaptionText) + 1
	return int(width / fyne.MeasureText("0", size, fyne.TextStyle{Monospace: true}).Width)
}

// open shows an entry of a stream.
func (p *entryPane) open(pager *pager[console.Entry], stream console.Stream, position uint64) {
	if p.pager == pager && p.position == position {
		return
	}
	p.pager, p.stream, p.position = pager, stream, position
	p.entry, _ = pager.held(position)
	current := func() bool { return p.pager == pager && p.position == position }
	p.shell.later(func(ctx context.Context) (func(), error) {
		data, err := p.shell.console.EntryData(ctx, pager.ref, position)
		if err != nil {
			return nil, err
		}
		size, views := len(data), render.Views(data)
		data = slices.Clone(data[:min(size, dumpLimit)]) // the rest need not stay in memory
		return func() {
			if current() {
				p.show(size, data, views)
			}
		}, nil
	}, func(err error) {
		if current() {
			p.show(0, nil, nil)
			p.name.set(fmt.Sprintf("Entry %s cannot be shown: %v", number(position), err))
		}
	})
}

func (p *entryPane) show(size int, data []byte, views []render.View) {
	p.readout.size, p.readout.data, p.readout.views = size, data, views
	kinds := p.readout.kinds()
	kind := kinds[0]
	if slices.Contains(kinds, p.liked) {
		kind = p.liked
	}
	p.say("")
	p.offer(kinds)
	p.content.Show()
	p.read(kind)
	p.moved()
}

// offer makes a tab for each way to read the entry. Tabs that are right already
// stay, and with them the place of the keyboard.
func (p *entryPane) offer(kinds []render.Kind) {
	if slices.EqualFunc(p.tabs, kinds, func(t *tab, k render.Kind) bool { return t.title.text == string(k) }) {
		return
	}
	p.tabs = nil
	p.tabLine.RemoveAll()
	for _, k := range kinds {
		t := newTab(string(k), func() {
			p.liked = k
			p.read(k)
		})
		p.tabs = append(p.tabs, t)
		p.tabLine.Add(t.pressable)
	}
}

// read shows the entry in one way.
func (p *entryPane) read(kind render.Kind) {
	p.readout.read(kind)
	p.name.set(entryTitle(p.position, p.readout.size, p.readout.cut()))
	for i, k := range p.readout.kinds() {
		p.tabs[i].setChosen(k == kind)
	}
	p.age()
	p.lines.ScrollToTop()
	p.lines.Refresh()
}

func (p *entryPane) close() {
	p.pager, p.position = nil, 0
	p.readout = readout{kind: kindHex, width: p.readout.width}
	p.content.Hide()
	p.moved()
}

// say puts a sentence into the pane, or takes it away.
func (p *entryPane) say(trouble string) {
	p.trouble.set(trouble)
	p.trouble.Hidden = trouble == ""
	p.content.Refresh()
}

// age tells anew who wrote the entry when.
func (p *entryPane) age() {
	if p.position == 0 {
		return
	}
	var parts []string
	if p.entry.Position == p.position {
		parts = append(parts, exact(p.entry.WrittenAt, p.shell.now()))
		if first, last, ok := batchAround(p.pager, p.position); ok {
			parts = append(parts, batchOf(first, last))
		}
		parts = append(parts, writtenBy(p.entry))
	}
	p.facts.set(strings.Join(parts, " · "))
}

func writtenBy(e console.Entry) string {
	if e.Writer == "" {
		return "no key"
	}
	return "key " + e.Writer
}

// batchAround returns the first and the last position of the batch that an entry
// is in, if all of it is here.
func batchAround(p *pager[console.Entry], position uint64) (first, last uint64, ok bool) {
	for last = position; ; last++ {
		e, held := p.held(last)
		if !held {
			return 0, 0, false
		}
		if e.EndsBatch {
			break
		}
	}
	for first = position; first > 1; first-- {
		e, held := p.held(first - 1)
		if !held {
			return 0, 0, false
		}
		if e.EndsBatch {
			break
		}
	}
	return first, last, true
}

func batchOf(first, last uint64) string {
	if first == last {
		return "a batch of its own"
	}
	return fmt.Sprintf("batch %s–%s", number(first), number(last))
}

// entryTitle names an entry, and says if just its beginning is shown.
func entryTitle(position uint64, size int, cut bool) string {
	title := "Entry " + number(position) + " · "
	switch {
	case size == 0:
		return title + "empty"
	case cut:
		return title + "the beginning of " + byteSize(uint64(size))
	default:
		return title + counted(size, "byte", "bytes")
	}
}
