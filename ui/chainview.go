package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

// chainFirst is how many events before and behind one are looked at for its chain
// when it is opened: most of a chain lies together, and whoever walks through a list
// waits for none. Whoever asks for more gets as much as one call looks at.
const chainFirst = 2000

// lineTypeMost is for how many letters of an event's type a line of a chain has
// room beside what that says.
const lineTypeMost = 24

// chainView shows what caused an event and what it caused, each as a way to that
// event.
type chainView struct {
	shell    *shell
	goTo     func(console.Event)
	titled   func(string) // is told what the tab is called
	ref      console.StreamRef
	position uint64 // 0 for none
	chain    console.Chain

	lines   []*chainLine
	rows    *fyne.Container
	further *widget.Button
	scroll  *container.Scroll
	content *fyne.Container
}

// chainLine leads to one event of the chain.
type chainLine struct {
	*pressable
	event console.Event
	when  *words
}

func newChainView(s *shell, goTo func(console.Event), titled func(string)) *chainView {
	v := &chainView{shell: s, goTo: goTo, titled: titled, rows: stacked(2)}
	v.further = newButton("Look further", func() { v.read(console.MaxScan) })
	v.further.Importance = widget.LowImportance
	v.scroll = container.NewVScroll(laid(layout.NewCustomPaddedLayout(4, 4, 0, smallGap), v.rows)) // in line with what is above
	v.content = container.NewStack(v.scroll)
	return v
}

// about shows the chain of another event; the position 0 means of none.
func (v *chainView) about(ref console.StreamRef, position uint64) {
	v.ref, v.position = ref, position
	v.say("Looking…")
	if position > 0 {
		v.read(chainFirst)
	}
}

func (v *chainView) read(scan int) {
	ref, position := v.ref, v.position
	current := func() bool { return v.ref == ref && v.position == position }
	v.further.Disable()
	v.shell.later(func(ctx context.Context) (func(), error) {
		chain, err := v.shell.console.Chain(ctx, ref, position, scan)
		return func() {
			if current() {
				v.show(chain)
			}
		}, err
	}, func(err error) {
		if current() {
			v.say(sentence("the chain cannot be shown: " + err.Error()))
		}
	})
}

// say shows a sentence in place of the chain.
func (v *chainView) say(what string) {
	v.titled("Chain")
	v.lines = nil
	v.rows.Objects = []fyne.CanvasObject{inset(newProse(what, colorMuted), smallGap, 0)}
	v.rows.Refresh()
}

func (v *chainView) show(c console.Chain) {
	v.chain = c
	title := "Chain"
	if n := len(c.Causes) + len(c.Effects); n > 0 {
		title += " · " + number(n)
	}
	v.titled(title)
	v.lines = nil
	v.rows.RemoveAll()
	v.part("What caused it", c.Causes, causeNotes(c))
	v.part("What it caused", c.Effects, effectNotes(c))
	if c.From > 1 || c.To < c.Head {
		v.further.Enable()
		looked := caption(fmt.Sprintf("Events %s to %s were looked at.", number(c.From), number(c.To)))
		v.rows.Add(inset(flush(looked, v.further), smallGap, 0))
	}
	v.scroll.ScrollToTop()
	v.rows.Refresh()
}

func (v *chainView) part(title string, related []console.Related, notes []string) {
	v.rows.Add(inset(strong(title), smallGap, 4))
	for _, r := range related {
		line := v.newLine(r)
		v.lines = append(v.lines, line)
		v.rows.Add(line.pressable)
	}
	for _, note := range notes {
		v.rows.Add(inset(remark(note), smallGap, 0))
	}
}

func (v *chainView) newLine(r console.Related) *chainLine {
	what := newWords(render.Line(r.Type, lineTypeMost), theme.ColorNamePrimary)
	summary := caption(r.Summary)
	if said := relationWords[r.Relation]; said != "" {
		summary.set(said + " · " + r.Summary)
	}
	summary.shrinks = true
	l := &chainLine{event: r.Event, when: caption(ago(r.At, v.shell.now()))}
	l.pressable = newPressable(laid(atLeast(26), inset(stretched(smallGap, 1, what, summary, l.when), smallGap, 0)), func() { v.goTo(r.Event) })
	return l
}

// relationWords say what an event has to do with the one that is shown.
var relationWords = map[console.Relation]string{
	console.RelationBegan:   "began the chain",
	console.RelationMatched: "was matched by the rule",
	console.RelationFired:   "a rule fired",
	console.RelationRan:     "its run",
}

// age tells anew how long ago the events were.
func (v *chainView) age() {
	for _, l := range v.lines {
		l.when.set(ago(l.event.At, v.shell.now()))
	}
}

// causeNotes says what is to be said beside the causes that were found.
func causeNotes(c console.Chain) (notes []string) {
	among := "in this stream"
	if c.From > 1 {
		among = "since event " + number(c.From)
	}
	if c.MoreCauses {
		notes = append(notes, "There are more of the same chain before it than these.")
	}
	if c.Began != "" && !console.Has(c.Causes, console.RelationBegan) {
		notes = append(notes, fmt.Sprintf("The event that began the chain, %s, is not %s.", render.Line(c.Began, lineMost), among))
	}
	if c.Firing != "" && !console.Has(c.Causes, console.RelationFired) {
		notes = append(notes, fmt.Sprintf("The firing that it comes from, %s, is not %s.", render.Line(c.Firing, lineMost), among))
	}
	if c.Run != "" && !console.Has(c.Causes, console.RelationRan) {
		notes = append(notes, fmt.Sprintf("The run that it comes from, %s, is not %s.", render.Line(c.Run, lineMost), among))
	}
	if len(c.Causes) == 0 && len(notes) == 0 {
		notes = append(notes, "Nothing: it began its own chain.")
	}
	return notes
}

// effectNotes does the same for the effects.
func effectNotes(c console.Chain) []string {
	switch {
	case c.MoreEffects:
		return []string{"There are more than these."}
	case len(c.Effects) > 0:
		return nil
	case c.To < c.Head:
		return []string{"Nothing up to event " + number(c.To) + "."}
	default:
		return []string{"Nothing so far."}
	}
}
