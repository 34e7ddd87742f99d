package ui

import "fyne.io/fyne/v2"

// storeys is how a stream's detail is built, from the top: its name, the facts
// about it, the heading of its entries, the entries, and below them one entry if
// it is open. Where all this is too much, the facts make room for the open
// entry.
type storeys struct {
	// least is the least height of the entries, and of an open one, that lets a
	// person work with them: some rows.
	least float32
}

func (*storeys) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for i, o := range objects {
		m := o.MinSize()
		size.Width = max(size.Width, m.Width)
		if i != 1 { // the facts may go
			size.Height += m.Height
		}
	}
	return size
}

func (l *storeys) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	name, facts, heading, entries, open := objects[0], objects[1].(*fyne.Container), objects[2], objects[3], objects[4]
	rest := size.Height - name.MinSize().Height - heading.MinSize().Height
	facts.Hidden = open.Visible() && rest-facts.MinSize().Height < 2*l.least
	lower := float32(0)
	if !facts.Hidden {
		rest -= facts.MinSize().Height
	}
	if open.Visible() {
		lower = rest * 3 / 5
	}
	y := float32(0)
	for _, storey := range []struct {
		object fyne.CanvasObject
		height float32
	}{{name, name.MinSize().Height}, {facts, facts.MinSize().Height}, {heading, heading.MinSize().Height}, {entries, rest - lower}, {open, lower}} {
		if !storey.object.Visible() {
			continue
		}
		storey.object.Move(fyne.NewPos(0, y))
		storey.object.Resize(fyne.NewSize(size.Width, storey.height))
		y += storey.height
	}
}
