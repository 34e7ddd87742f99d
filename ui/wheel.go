package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// wheel lies over a scroll and takes the mouse's wheel for it, and nothing else.
// Fields to type in would keep the wheel that turns over them to themselves.
type wheel struct {
	widget.BaseWidget
	scroll *container.Scroll
}

func newWheel(s *container.Scroll) *wheel {
	w := &wheel{scroll: s}
	w.ExtendBaseWidget(w)
	return w
}

// Scrolled implements fyne.Scrollable.
func (w *wheel) Scrolled(e *fyne.ScrollEvent) { w.scroll.Scrolled(e) }

// CreateRenderer draws nothing.
func (w *wheel) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(canvas.NewRectangle(color.Transparent))
}
