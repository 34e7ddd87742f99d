package ui

import (
	"maps"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console/render"
)

const (
	everyType = "Every type"

	// typesHeight is how high the list of types is at the most.
	typesHeight = 320
)

// typePick chooses types of events, any number of them. It looks as what chooses one
// of several does, and opens a list with a mark before each.
type typePick struct {
	widget.Select
	changed func()
	chosen  map[string]bool
	offered []string
	lines   []*typeLine
	list    *fyne.Container
	popup   *widget.PopUp // nil before it was opened
}

// typeLine is one type in the list.
type typeLine struct {
	*pressable
	mark *widget.Icon
	name string // empty for every type
}

func newTypePick(changed func()) *typePick {
	p := &typePick{changed: changed, chosen: make(map[string]bool), list: stacked(0)}
	p.PlaceHolder = everyType
	p.ExtendBaseWidget(p)
	p.offer(nil)
	return p
}

// picked lists the types that are chosen, in their order; none means every one.
func (p *typePick) picked() []string { return slices.Sorted(maps.Keys(p.chosen)) }

// offer lists the types that there are. Chosen ones stay among them: a filter does
// not change by itself.
func (p *typePick) offer(types []string) {
	all := slices.Concat([]string{""}, types, p.picked())
	slices.Sort(all)
	all = slices.Compact(all)
	if slices.Equal(p.offered, all) {
		return
	}
	p.offered = all
	p.lines = nil
	p.list.RemoveAll()
	for _, name := range all {
		line := p.newLine(name)
		p.lines = append(p.lines, line)
		p.list.Add(line.pressable)
	}
	p.remark()
}

func (p *typePick) newLine(name string) *typeLine {
	l := &typeLine{mark: widget.NewIcon(theme.CheckButtonIcon()), name: name}
	title := newWords(everyType, theme.ColorNameForeground)
	if name != "" {
		title.set(render.Line(name, lineMost))
	}
	l.pressable = newPressable(inset(flush(l.mark, title), smallGap, 5), func() { p.press(name) })
	return l
}

// press turns a type on or off, or lets every type through.
func (p *typePick) press(name string) {
	switch {
	case name == "":
		clear(p.chosen)
	case p.chosen[name]:
		delete(p.chosen, name)
	default:
		p.chosen[name] = true
	}
	p.remark()
	p.changed()
}

// clear lets every type through.
func (p *typePick) clear() {
	if len(p.chosen) > 0 {
		p.press("")
	}
}

// remark says in the field and by the marks what is chosen.
func (p *typePick) remark() {
	picked := p.picked()
	switch len(picked) {
	case 0:
		p.Selected = everyType
	case 1:
		p.Selected = render.Line(picked[0], lineMost)
	default:
		p.Selected = counted(len(picked), "type", "types")
	}
	p.Refresh()
	for _, l := range p.lines {
		icon := theme.CheckButtonIcon()
		if l.name == "" && len(picked) == 0 || p.chosen[l.name] {
			icon = theme.CheckButtonCheckedIcon()
		}
		l.mark.SetResource(icon)
	}
}

// Tapped opens the list, below the field.
func (p *typePick) Tapped(*fyne.PointEvent) { safe(p.open)() }

// TypedKey opens it with the keys that open other fields.
func (p *typePick) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyDown, fyne.KeyUp, fyne.KeyReturn, fyne.KeyEnter:
		safe(p.open)()
	default:
		passKey(p, e)
	}
}

// TypedRune leaves what is typed to the window.
func (p *typePick) TypedRune(r rune) { passRune(p, r) }

func (p *typePick) open() {
	c := fyne.CurrentApp().Driver().CanvasForObject(p)
	if c == nil {
		return
	}
	p.popup = widget.NewPopUp(container.NewVScroll(p.list), c)
	least := p.list.MinSize()
	p.popup.ShowAtRelativePosition(fyne.NewPos(0, p.Size().Height), p)
	p.popup.Resize(fyne.NewSize(max(least.Width+gap, p.Size().Width), min(least.Height+smallGap, typesHeight)))
	c.Focus(p.lines[0].pressable)
}

// shut closes the list, if it is open, and says whether it was.
func (p *typePick) shut() bool {
	if p.popup == nil || !p.popup.Visible() {
		return false
	}
	p.popup.Hide()
	return true
}
