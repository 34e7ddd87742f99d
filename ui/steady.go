package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// The toolkit measures and lays out in the midst of drawing, where a panic would
// end the program too. So whatever lays out here goes through this file; the
// linter keeps the toolkit's own constructor shut.

// laid puts things where a layout wants them.
func laid(l fyne.Layout, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(steadyLayout{l}, objects...)
}

// steadyLayout keeps the faults of a layout to itself. What it cannot measure
// takes no room, and what it cannot lay out stays where it is.
type steadyLayout struct{ of fyne.Layout }

func (s steadyLayout) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	steadily(func() { size = s.of.MinSize(objects) })
	return size
}

func (s steadyLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	steadily(func() { s.of.Layout(objects, size) })
}

// steadied does the same for a widget.
func steadied(r fyne.WidgetRenderer) fyne.WidgetRenderer { return steadyRenderer{r} }

type steadyRenderer struct{ fyne.WidgetRenderer }

func (s steadyRenderer) MinSize() (size fyne.Size) {
	steadily(func() { size = s.WidgetRenderer.MinSize() })
	return size
}

func (s steadyRenderer) Layout(size fyne.Size) { steadily(func() { s.WidgetRenderer.Layout(size) }) }

func (s steadyRenderer) Refresh() { steadily(s.WidgetRenderer.Refresh) }

// unsteady is the window over which a fault in drawing was told: it comes again
// whenever that is drawn, so once is enough. It is used on the UI thread only.
var unsteady fyne.Window

// steadily does a part of drawing; a fault in it is told when that is over.
func steadily(f func()) {
	if err := shown(f); err != nil && unsteady != stage {
		unsteady = stage
		fyne.Do(func() { tellFault(err) })
	}
}
