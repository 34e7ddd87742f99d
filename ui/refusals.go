package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// refusalsStep is how many refusals are shown before one is asked whether to
// see more: a few screens full.
const refusalsStep = 50

// refusals is the screen of what was refused, told as a person would.
type refusals struct {
	shell  *shell
	all    []console.Refusal // newest first
	shown  []console.Refusal
	most   int       // how many are shown
	seen   time.Time // what was refused until then has been seen
	loaded bool

	// unseenChanged is told how many have not been seen.
	unseenChanged func(int)

	follow func(lead)
	filter *refusalFilter
	tally  *words
	mark   *widget.Button
	rows   []*refusalRow // those in use first
	lines  *fyne.Container
	more   *widget.Button
	listed fyne.CanvasObject
	none   fyne.CanvasObject
	body   *fyne.Container
}

func newRefusals(s *shell, follow func(lead), unseenChanged func(int)) *refusals {
	v := &refusals{shell: s, follow: follow, most: refusalsStep, unseenChanged: unseenChanged, tally: newWords("", colorMuted)}
	v.filter = newRefusalFilter(func() { v.most = refusalsStep; v.refilter() })
	v.mark = newButton("Mark all seen", v.markSeen)
	v.mark.Disable()
	v.more = newButton("Show more", func() { v.most += refusalsStep; v.refilter() })
	v.more.Hide()
	v.lines = stacked(0)
	list := scrolled(container.NewVBox(sheet(v.lines), v.more))
	line := append([]fyne.CanvasObject{v.mark, list}, v.filter.controls()...)
	v.listed = laid(flowed{}, append(line, laid(atLeast(v.mark.MinSize().Height), v.tally))...)
	v.none = container.NewVBox(sheet(emptyState("Nothing was refused",
		newProse("When the relay turns a request away, what happened, why, and what to do is told here. Nothing needs doing now.", colorMuted),
	)))
	v.body = container.NewStack(container.NewVBox(newWords("Looking for refusals…", colorMuted)))
	return v
}

func (v *refusals) title() string              { return "Refusals" }
func (v *refusals) content() fyne.CanvasObject { return v.body }
func (v *refusals) field() fyne.Focusable      { return v.filter.words }
func (v *refusals) restless() bool             { return false }

func (v *refusals) load(ctx context.Context) (func(), error) {
	all, err := v.shell.console.Refusals(ctx)
	if err != nil {
		return nil, fmt.Errorf("the refusals cannot be listed: %w", err)
	}
	return func() { v.show(all) }, nil
}

func (v *refusals) show(all []console.Refusal) {
	if v.loaded && slices.Equal(v.all, all) {
		return
	}
	v.all, v.loaded = all, true
	v.filter.offer(all)
	v.refilter()
	stage := v.listed
	if len(all) == 0 {
		stage = v.none
	}
	if v.body.Objects[0] != stage {
		v.body.Objects = []fyne.CanvasObject{stage}
		v.body.Refresh()
	}
}

// unseen counts the refusals that came, or came again, since all were marked.
func (v *refusals) unseen() int {
	n := 0
	for _, r := range v.all {
		if r.Last.After(v.seen) {
			n++
		}
	}
	return n
}

func (v *refusals) markSeen() {
	for _, r := range v.all {
		if r.Last.After(v.seen) {
			v.seen = r.Last
		}
	}
	v.refilter()
}

func (v *refusals) refilter() {
	v.shown = v.shown[:0]
	for _, r := range v.all {
		if v.filter.lets(r) {
			v.shown = append(v.shown, r)
		}
	}
	v.tally.set("")
	if v.filter.active() {
		v.tally.set(fmt.Sprintf("%s of %s", number(len(v.shown)), number(len(v.all))))
	}
	unseen := v.unseen()
	if unseen > 0 {
		v.mark.Enable()
	} else {
		v.mark.Disable()
	}
	v.unseenChanged(unseen)
	v.fill()
}

// fill brings the rows in line with what is shown; rows are used again.
func (v *refusals) fill() {
	n := v.inUse()
	for len(v.rows) < n {
		v.rows = append(v.rows, newRefusalRow(v.follow))
	}
	objects := make([]fyne.CanvasObject, 0, 2*n)
	for i, row := range v.rows[:n] {
		if i > 0 {
			objects = append(objects, widget.NewSeparator())
		}
		row.set(v.shown[i], v.shown[i].Last.After(v.seen), v.shell.now())
		objects = append(objects, row.content)
	}
	if n == 0 {
		objects = append(objects, inset(newWords("No refusal matches the filter.", colorMuted), gap, gap))
	}
	v.lines.Objects = objects
	if n < len(v.shown) {
		v.more.Show()
	} else {
		v.more.Hide()
	}
	v.body.Refresh()
}

// inUse is how many rows are shown.
func (v *refusals) inUse() int { return min(len(v.shown), v.most) }

func (v *refusals) age() {
	for _, row := range v.rows[:v.inUse()] {
		row.age(v.shell.now())
	}
}
