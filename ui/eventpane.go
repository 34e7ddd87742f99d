package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

// The ways to look at an event, in the order of their tabs.
const (
	asEvent    = iota // what its publisher said
	asEnvelope        // with all that the relay put around it
	asChain           // what caused it, and what it caused
)

// readableMost is how many bytes of formatted JSON are shown to be read, marked and
// copied: a few hundred lines. All of it can be saved.
const readableMost = 16 << 10

// eventPane shows one event.
type eventPane struct {
	shell *shell
	ref   console.StreamRef
	event console.Event        // its position is 0 for none
	views [asChain]render.View // as an event and as an envelope
	way   int                  // of those to look at it, what the person chose last

	name, facts *words
	tabs        []*tab
	text        *widget.Label
	reading     *container.Scroll
	chain       *chainView
	trouble     *prose
	content     *fyne.Container
	moved       func() // after the pane was opened or closed
}

// newEventPane makes the pane; goTo leads to another event of the stream.
func newEventPane(s *shell, goTo func(console.Event), moved func()) *eventPane {
	p := &eventPane{shell: s, moved: moved, name: strong(""), facts: caption(""), text: widget.NewLabel(""), trouble: newProse("", theme.ColorNameError)}
	p.name.shrinks, p.facts.shrinks = true, true
	p.text.Wrapping, p.text.Selectable = fyne.TextWrapWord, true
	p.text.TextStyle.Monospace, p.text.SizeName = true, theme.SizeNameCaptionText
	p.reading = container.NewVScroll(p.text)
	p.chain = newChainView(s, goTo, func(title string) { p.tabs[asChain].title.set(title) })
	p.trouble.Hide()

	copyText := newCopyButton("", func() string { return p.view().Text })
	save := newSaver(s, func() saved {
		return saved{p.ref, p.event.Position, fileName(p.ref.Name, p.event.Position, render.KindJSON)}
	}, p.facts.set, p.say)
	leave := newIconButton("", theme.CancelIcon(), p.close)
	leave.Importance = widget.LowImportance
	line := beside(2)
	for way, title := range []string{asEvent: "Event", asEnvelope: "Envelope", asChain: "Chain"} {
		t := newTab(title, func() { p.look(way) })
		p.tabs = append(p.tabs, t)
		line.Add(t.pressable)
	}
	title := stretched(0, 0, p.name, copyText.Button, save.Button, leave)
	head := stacked(2, title, p.facts, p.trouble, inset(flush(line), -smallGap, 2))
	p.content = capped(stacked(0, widget.NewSeparator(), inset(head, gap, 4)),
		laid(leftMargin(smallGap), container.NewStack(p.reading, p.chain.content)))
	p.content.Hide()
	return p
}

// open shows an event of a stream. Of one that is not listed yet the position is
// enough.
func (p *eventPane) open(ref console.StreamRef, event console.Event) {
	if p.ref == ref && p.event.Position == event.Position {
		return
	}
	p.ref, p.event = ref, event
	current := func() bool { return p.ref == ref && p.event.Position == event.Position }
	p.shell.later(func(ctx context.Context) (func(), error) {
		data, err := p.shell.console.EntryData(ctx, ref, event.Position)
		if err != nil {
			return nil, err
		}
		if event.ID == "" && event.Broken == "" {
			list, err := p.shell.console.Events(ctx, ref, console.EventQuery{Before: event.Position + 1, Limit: 1, Scan: 1})
			if err != nil {
				return nil, err
			}
			event = list.Events[0]
		}
		views := eventViews(data)
		return func() {
			if current() {
				p.event, p.views = event, views
				p.show("")
			}
		}, nil
	}, func(err error) {
		if current() {
			p.views = [asChain]render.View{}
			p.show(sentence("the event cannot be shown: " + err.Error()))
		}
	})
	p.chain.about(ref, event.Position)
}

// eventViews makes an event readable, by itself and in its envelope. Bytes that are
// no envelope are shown as what they are.
func eventViews(data []byte) (views [asChain]render.View) {
	var envelope struct {
		Event json.RawMessage `json:"event"`
	}
	if json.Unmarshal(data, &envelope) != nil {
		envelope.Event = nil
	}
	for way, part := range [asChain][]byte{asEvent: envelope.Event, asEnvelope: data} {
		if all := render.Views(part); len(all) > 0 {
			views[way] = beginning(all[0])
		}
	}
	return views
}

// beginning cuts a view, at a line if there is one not far off, so that it is not
// more than a person reads.
func beginning(v render.View) render.View {
	if len(v.Text) <= readableMost {
		return v
	}
	end := strings.LastIndexByte(v.Text[:readableMost], '\n') + 1
	if end < readableMost/2 {
		end = readableMost
		for !utf8.RuneStart(v.Text[end]) {
			end--
		}
	}
	return render.View{Kind: v.Kind, Text: v.Text[:end], Cut: true}
}

func (p *eventPane) show(trouble string) {
	p.say(trouble)
	p.content.Show()
	p.look(p.way)
	p.moved()
}

// look shows the event in one way.
func (p *eventPane) look(way int) {
	p.way = way
	p.name.set(eventTitle(p.event))
	for i, t := range p.tabs {
		t.setChosen(i == way)
	}
	p.age()
	p.text.SetText(p.view().Text)
	if way == asChain {
		p.reading.Hide()
		p.chain.content.Show()
	} else {
		p.chain.content.Hide()
		p.reading.Show()
	}
	p.reading.ScrollToTop()
	p.content.Refresh()
}

// view is what is shown of the event's JSON; empty for its chain.
func (p *eventPane) view() render.View {
	if p.way == asChain {
		return render.View{}
	}
	return p.views[p.way]
}

func (p *eventPane) close() {
	p.event = console.Event{}
	p.views = [asChain]render.View{}
	p.chain.about(p.ref, 0)
	p.content.Hide()
	p.moved()
}

// say puts a sentence into the pane, or takes it away.
func (p *eventPane) say(trouble string) {
	p.trouble.set(trouble)
	p.trouble.Hidden = trouble == ""
	p.content.Refresh()
}

// age tells anew who said it when.
func (p *eventPane) age() {
	if p.event.Position == 0 {
		return
	}
	parts := []string{"Event " + number(p.event.Position)}
	if p.view().Cut {
		parts = append(parts, "the beginning of "+byteSize(uint64(p.event.Size)))
	}
	if p.event.ID != "" {
		parts = append(parts, actorName(p.event.Actor), exact(p.event.At, p.shell.now()))
	}
	p.facts.set(strings.Join(parts, " · "))
	p.chain.age()
}

// eventTitle names an event by its type.
func eventTitle(e console.Event) string {
	if e.ID == "" {
		return fmt.Sprintf("Event %s cannot be read", number(e.Position))
	}
	return render.Line(e.Type, lineMost)
}
