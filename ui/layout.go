package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// inset puts a margin around something.
func inset(o fyne.CanvasObject, x, y float32) *fyne.Container {
	return laid(layout.NewCustomPaddedLayout(y, y, x, x), o)
}

// stacked puts things under each other.
func stacked(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return laid(layout.NewCustomPaddedVBoxLayout(space), objects...)
}

// beside puts things next to each other, each as wide as it must be, all
// centred upon one line.
func beside(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return laid(line{space: space}, objects...)
}

// stretched is beside, with one of the things as wide as the room allows.
func stretched(space float32, which int, objects ...fyne.CanvasObject) *fyne.Container {
	return laid(line{space: space, stretch: objects[which]}, objects...)
}

// flush is things in a line, each as wide as it must be, from the left.
func flush(objects ...fyne.CanvasObject) fyne.CanvasObject {
	return container.NewBorder(nil, nil, beside(smallGap, objects...), nil)
}

// line lays things out in a line, centred upright. If the room is short it is
// the stretched one that gives way.
type line struct {
	space   float32
	stretch fyne.CanvasObject
}

func (l line) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		if size.Width > 0 {
			size.Width += l.space
		}
		m := o.MinSize()
		size.Width += m.Width
		size.Height = max(size.Height, m.Height)
	}
	return size
}

func (l line) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	spare := max(0, size.Width-l.MinSize(objects).Width)
	x := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if o == l.stretch {
			m.Width += spare
		}
		o.Move(fyne.NewPos(x, (size.Height-m.Height)/2))
		o.Resize(m)
		x += m.Width + l.space
	}
}

// capped puts one thing on top of another, which gets what is left.
func capped(top, rest fyne.CanvasObject) *fyne.Container {
	return laid(cappedLayout{}, top, rest)
}

type cappedLayout struct{}

func (cappedLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	top, rest := objects[0].MinSize(), objects[1].MinSize()
	return fyne.NewSize(max(top.Width, rest.Width), top.Height+rest.Height)
}

func (cappedLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	height := float32(0)
	if objects[0].Visible() {
		height = objects[0].MinSize().Height
	}
	objects[0].Resize(fyne.NewSize(size.Width, height))
	objects[1].Move(fyne.NewPos(0, height))
	objects[1].Resize(fyne.NewSize(size.Width, size.Height-height))
}

// fixedWidth gives something a width of its own.
func fixedWidth(width float32, o fyne.CanvasObject) *fyne.Container {
	return laid(widthLayout(width), o)
}

type widthLayout float32

func (w widthLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(float32(w), objects[0].MinSize().Height)
}

func (w widthLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

// readable is how long a line of text may be before the eye loses it.
const readable = 700

// atMost keeps things from becoming wider than is good for them.
type atMost float32

func (w atMost) MinSize(objects []fyne.CanvasObject) fyne.Size { return objects[0].MinSize() }

func (w atMost) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSize(min(size.Width, float32(w)), size.Height))
}

// barRoom is room for a scroll bar beside what it scrolls.
const barRoom = 12

// scrolled lets something scroll, with the bar in the margin to the right.
func scrolled(o fyne.CanvasObject) fyne.CanvasObject { return besideBar(scroll(o)) }

// scroll lets something scroll, and leaves room for the bar.
func scroll(o fyne.CanvasObject) *container.Scroll {
	return container.NewVScroll(laid(layout.NewCustomPaddedLayout(0, 0, 0, barRoom), o))
}

// besideBar puts what scrolls where its bar is in the margin to the right.
func besideBar(s *container.Scroll) fyne.CanvasObject {
	return laid(overhang{}, container.NewStack(s, newWheel(s)))
}

type overhang struct{}

func (overhang) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().SubtractWidthHeight(barRoom, 0)
}

func (overhang) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(size.AddWidthHeight(barRoom, 0))
}

// panes is two things side by side: a list and the detail of what is chosen in
// it. The detail gets its share, yet never less than it needs for a line of
// its dump.
type panes struct{}

const (
	detailShare = 0.42
	detailLeast = 320
)

func (panes) MinSize(objects []fyne.CanvasObject) fyne.Size {
	a, b := objects[0].MinSize(), objects[1].MinSize()
	return fyne.NewSize(a.Width+gap+max(b.Width, detailLeast), max(a.Height, b.Height))
}

func (panes) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	detail := max(detailLeast, objects[1].MinSize().Width, (size.Width-gap)*detailShare)
	list := max(0, size.Width-gap-detail)
	objects[0].Resize(fyne.NewSize(list, size.Height))
	objects[1].Move(fyne.NewPos(list+gap, 0))
	objects[1].Resize(fyne.NewSize(detail, size.Height))
}

// halves is two things side by side, equally wide and high.
type halves struct{}

func (halves) MinSize(objects []fyne.CanvasObject) fyne.Size {
	m := objects[0].MinSize().Max(objects[1].MinSize())
	return fyne.NewSize(2*m.Width+gap, m.Height)
}

func (halves) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	half := (size.Width - gap) / 2
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i)*(half+gap), 0))
		o.Resize(fyne.NewSize(half, size.Height))
	}
}

// topMargin puts room above something.
type topMargin float32

func (t topMargin) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().AddWidthHeight(0, float32(t))
}

func (t topMargin) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Move(fyne.NewPos(0, float32(t)))
	objects[0].Resize(size.SubtractWidthHeight(0, float32(t)))
}

// atLeast gives lines of different things the same height.
type atLeast float32

func (h atLeast) MinSize(objects []fyne.CanvasObject) fyne.Size {
	m := objects[0].MinSize()
	return fyne.NewSize(m.Width, float32(h))
}

func (h atLeast) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

// upperAndLower splits a height: the lower part, if it is there, gets two
// fifths.
type upperAndLower struct{}

func (upperAndLower) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().Max(objects[1].MinSize())
}

func (upperAndLower) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	lower := float32(0)
	if objects[1].Visible() {
		lower = size.Height * 2 / 5
	}
	objects[0].Resize(fyne.NewSize(size.Width, size.Height-lower))
	objects[1].Move(fyne.NewPos(0, size.Height-lower))
	objects[1].Resize(fyne.NewSize(size.Width, lower))
}

// sideBySide is the rail, a hairline, and the rest.
type sideBySide struct{}

func (sideBySide) MinSize(objects []fyne.CanvasObject) fyne.Size {
	a, b, c := objects[0].MinSize(), objects[1].MinSize(), objects[2].MinSize()
	return fyne.NewSize(a.Width+b.Width+c.Width, max(a.Height, c.Height))
}

func (sideBySide) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x := float32(0)
	for i, o := range objects {
		width := o.MinSize().Width
		if i == len(objects)-1 {
			width = size.Width - x
		}
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(width, size.Height))
		x += width
	}
}
