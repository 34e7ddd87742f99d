package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// attention is what needs the owner, each with the button that leads to where
// it is solved.
type attention struct {
	follow  func(lead)
	last    []matter
	loaded  bool
	content *fyne.Container
}

func newAttention(follow func(lead)) *attention {
	return &attention{follow: follow, content: stacked(0)}
}

func (a *attention) show(list []matter) {
	if a.loaded && slices.Equal(a.last, list) {
		return
	}
	a.last, a.loaded = list, true
	a.content.Objects = nil
	for i, m := range list {
		if i > 0 {
			a.content.Add(widget.NewSeparator())
		}
		a.content.Add(a.line(m))
	}
	if len(list) == 0 {
		a.content.Add(inset(newProse("Nothing now.", colorMuted), gap, 12))
	}
	a.content.Refresh()
}

func (a *attention) line(m matter) fyne.CanvasObject {
	title := newProse("", theme.ColorNameForeground)
	title.style.TextStyle.Bold = true
	color := theme.ColorNameForeground
	if m.weight != notice {
		color = theme.ColorNameError
	}
	title.paint(m.title, color)
	told := stacked(3, title)
	if m.todo != "" {
		told.Add(newProse(m.todo, colorMuted))
	}
	leads := newButton(m.button, func() { a.follow(m.lead) })
	return inset(container.NewBorder(nil, nil, nil, container.NewCenter(leads), laid(atMost(readable), told)), gap, 10)
}
