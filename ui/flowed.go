package ui

import "fyne.io/fyne/v2"

// flowed is how a screen with many filters is laid out: the first thing is in the
// right corner, the second fills the screen, and the others stand above it from
// the left, on as many lines as they need.
type flowed struct{}

func (flowed) MinSize(objects []fyne.CanvasObject) fyne.Size {
	corner, body := objects[0].MinSize(), objects[1].MinSize()
	widest, height := float32(0), corner.Height
	for _, o := range objects[2:] {
		widest = max(widest, o.MinSize().Width)
		height = max(height, o.MinSize().Height)
	}
	return fyne.NewSize(max(widest+gap+corner.Width, body.Width), height+gap+body.Height)
}

func (flowed) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	corner := objects[0].MinSize()
	objects[0].Resize(corner)
	objects[0].Move(fyne.NewPos(size.Width-corner.Width, 0))
	x, y, line := float32(0), float32(0), corner.Height
	for _, o := range objects[2:] {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if x > 0 && x+m.Width > size.Width-corner.Width-gap {
			x, y = 0, y+line+smallGap
			line = 0
		}
		line = max(line, m.Height)
		o.Resize(m)
		o.Move(fyne.NewPos(x, y))
		x += m.Width + smallGap
	}
	top := y + line + gap
	objects[1].Move(fyne.NewPos(0, top))
	objects[1].Resize(fyne.NewSize(size.Width, size.Height-top))
}

// leftMargin puts room to the left of something, if that takes any itself.
type leftMargin float32

func (l leftMargin) MinSize(objects []fyne.CanvasObject) fyne.Size {
	m := objects[0].MinSize()
	if m.Width == 0 {
		return m
	}
	return m.AddWidthHeight(float32(l), 0)
}

func (l leftMargin) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Move(fyne.NewPos(float32(l), 0))
	objects[0].Resize(size.SubtractWidthHeight(float32(l), 0))
}
