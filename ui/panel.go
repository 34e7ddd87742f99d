package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// panel is a ground for other things. Its colours are names, so that it follows
// a change of theme.
type panel struct {
	widget.BaseWidget
	fill, edge fyne.ThemeColorName
	radius     float32
	content    fyne.CanvasObject
}

func newPanel(fill, edge fyne.ThemeColorName, radius float32, content fyne.CanvasObject) *panel {
	p := &panel{fill: fill, edge: edge, radius: radius, content: content}
	p.ExtendBaseWidget(p)
	return p
}

// sheet is the panel that lists and details lie on.
func sheet(content fyne.CanvasObject) *panel {
	// One pixel inwards, so that what fills the sheet leaves its edge visible.
	return newPanel(colorSurface, theme.ColorNameSeparator, rounding, inset(content, 1, 1))
}

// chip is a small label beside something.
func chip(text *words, fill fyne.ThemeColorName) *panel {
	return newPanel(fill, colorNone, 5, inset(text, 7, 2))
}

func (p *panel) paint(fill fyne.ThemeColorName) {
	if p.fill != fill {
		p.fill = fill
		p.Refresh()
	}
}

func (p *panel) CreateRenderer() fyne.WidgetRenderer {
	r := steadied(&panelRenderer{panel: p, ground: canvas.NewRectangle(color.Transparent)})
	r.Refresh()
	return r
}

type panelRenderer struct {
	panel  *panel
	ground *canvas.Rectangle
}

func (r *panelRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	r.panel.content.Resize(size)
}

func (r *panelRenderer) MinSize() fyne.Size { return r.panel.content.MinSize() }

func (r *panelRenderer) Refresh() {
	th, variant := r.panel.Theme(), fyne.CurrentApp().Settings().ThemeVariant()
	r.ground.FillColor = th.Color(r.panel.fill, variant)
	r.ground.StrokeColor = th.Color(r.panel.edge, variant)
	r.ground.StrokeWidth = 0
	if r.panel.edge != colorNone {
		r.ground.StrokeWidth = th.Size(theme.SizeNameSeparatorThickness)
	}
	r.ground.CornerRadius = r.panel.radius
	r.ground.Refresh()
}

func (r *panelRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.panel.content}
}
func (r *panelRenderer) Destroy() {}
