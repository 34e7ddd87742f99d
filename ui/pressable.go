package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// pressable is a line that leads somewhere. It can be tapped, and reached and
// pressed with the keyboard; one of several may be the chosen one.
type pressable struct {
	widget.BaseWidget
	pressed                  func()
	chosen, hovered, focused bool
	ground                   *panel
}

func newPressable(content fyne.CanvasObject, pressed func()) *pressable {
	p := &pressable{pressed: safe(pressed), ground: newPanel(colorNone, colorNone, 6, content)}
	p.ExtendBaseWidget(p)
	return p
}

func (p *pressable) setChosen(chosen bool) {
	p.chosen = chosen
	p.restyle()
}

func (p *pressable) restyle() {
	fill, edge := colorNone, colorNone
	switch {
	case p.chosen:
		fill = colorTint
	case p.hovered:
		fill = theme.ColorNameHover
	}
	if p.focused {
		edge = theme.ColorNamePrimary
	}
	if p.ground.fill != fill || p.ground.edge != edge {
		p.ground.fill, p.ground.edge = fill, edge
		p.ground.Refresh()
	}
}

// Tapped goes there.
func (p *pressable) Tapped(*fyne.PointEvent) { p.pressed() }

// Cursor shows that the line can be tapped.
func (p *pressable) Cursor() desktop.Cursor { return desktop.PointerCursor }

// MouseIn, MouseMoved and MouseOut show it as well.
func (p *pressable) MouseIn(*desktop.MouseEvent)    { p.hovered = true; p.restyle() }
func (p *pressable) MouseMoved(*desktop.MouseEvent) {}
func (p *pressable) MouseOut()                      { p.hovered = false; p.restyle() }

// FocusGained and FocusLost show where the keyboard is.
func (p *pressable) FocusGained() { p.focused = true; p.restyle() }
func (p *pressable) FocusLost()   { p.focused = false; p.restyle() }

// TypedKey goes there.
func (p *pressable) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		p.pressed()
	default:
		passKey(p, e)
	}
}

// TypedRune leaves what is typed to the window: a line takes no text.
func (p *pressable) TypedRune(r rune) { passRune(p, r) }

// CreateRenderer draws the line.
func (p *pressable) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.ground) }
