package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
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

	filter *entry
	tally  *words
	mark   *widget.Button
	rows   []*refusalRow // those in use first
	lines  *fyne.Container
	more   *widget.Button
	listed fyne.CanvasObject
	none   fyne.CanvasObject
	body   *fyne.Container
}

func newRefusals(s *shell, unseenChanged func(int)) *refusals {
	v := &refusals{shell: s, most: refusalsStep, unseenChanged: unseenChanged, filter: newEntry(), tally: newWords("", colorMuted)}
	v.filter.SetPlaceHolder("Filter refusals")
	v.filter.OnChanged = func(string) { v.most = refusalsStep; v.refilter() }
	v.mark = widget.NewButton("Mark all seen", v.markSeen)
	v.mark.Disable()
	v.more = widget.NewButton("Show more", func() { v.most += refusalsStep; v.refilter() })
	v.more.Hide()
	v.lines = stacked(0)
	v.listed = container.NewBorder(
		stretched(12, 1, fixedWidth(240, v.filter), v.tally, v.mark), nil, nil, nil,
		container.New(topMargin(12), scrolled(container.NewVBox(sheet(v.lines), v.more))),
	)
	v.none = container.NewVBox(sheet(emptyState("Nothing was refused",
		newProse("When the relay turns a request away, what happened, why, and what to do is told here. Nothing needs doing now.", colorMuted),
	)))
	v.body = container.NewStack(container.NewVBox(newWords("Looking for refusals…", colorMuted)))
	return v
}

func (v *refusals) title() string              { return "Refusals" }
func (v *refusals) content() fyne.CanvasObject { return v.body }
func (v *refusals) field() fyne.Focusable      { return v.filter }
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
	looked := strings.ToLower(strings.TrimSpace(v.filter.Text))
	v.shown = v.shown[:0]
	for _, r := range v.all {
		if looked == "" || strings.Contains(strings.ToLower(searched(r)), looked) {
			v.shown = append(v.shown, r)
		}
	}
	v.tally.set("")
	if looked != "" {
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
		v.rows = append(v.rows, newRefusalRow())
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
	for i, row := range v.rows[:v.inUse()] {
		row.age(v.shown[i], v.shell.now())
	}
}

// searched is what the filter looks at.
func searched(r console.Refusal) string {
	e := console.Explain(r)
	return strings.Join([]string{r.Code, r.Client, r.Stream, r.Key, e.Title, e.What, e.Todo}, "\n")
}

// refusalRow tells one refusal.
type refusalRow struct {
	code, status, fresh *words
	title, what, meta   *prose
	content             fyne.CanvasObject
}

func newRefusalRow() *refusalRow {
	r := &refusalRow{
		code: newWords("", theme.ColorNamePrimary), status: caption(""), fresh: newWords("", theme.ColorNameError),
		title: newProse("", theme.ColorNameForeground), what: newProse("", theme.ColorNameForeground), meta: newProse("", colorMuted),
	}
	r.code.size, r.fresh.size = theme.SizeNameCaptionText, theme.SizeNameCaptionText
	r.title.style.TextStyle.Bold = true
	label := stacked(5, container.NewHBox(chip(r.code, colorTint)), r.status, r.fresh)
	told := stacked(4, r.title, r.what, r.meta)
	r.content = inset(container.NewBorder(nil, nil, container.New(topMargin(1), fixedWidth(150, label)), nil, container.New(atMost(readable), told)), gap, 12)
	return r
}

func (r *refusalRow) set(refusal console.Refusal, fresh bool, now time.Time) {
	e := console.Explain(refusal)
	r.code.set(refusal.Code)
	r.status.set(fmt.Sprintf("status %d", refusal.Status))
	r.fresh.set("")
	if fresh {
		r.fresh.set("● new")
	}
	r.title.set(e.Title)
	r.what.set(e.What + " " + e.Todo)
	r.age(refusal, now)
}

func (r *refusalRow) age(refusal console.Refusal, now time.Time) {
	r.meta.set(circumstances(refusal, now))
}

// circumstances says who did what, when and how often.
func circumstances(r console.Refusal, now time.Time) string {
	parts := []string{r.Client}
	if r.Key != "" {
		parts = append(parts, "key "+r.Key)
	}
	parts = append(parts, console.Doing(r), ago(r.Last, now))
	if r.Times > 1 {
		parts = append(parts, counted(r.Times, "time", "times"))
	}
	return strings.Join(parts, " · ")
}
