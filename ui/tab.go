package ui

import (
	"fyne.io/fyne/v2/theme"
)

// tab is one of several ways to look at something.
type tab struct {
	*pressable
	title *words
}

func newTab(title string, pressed func()) *tab {
	t := &tab{title: newWords(title, theme.ColorNameForeground)}
	t.pressable = newPressable(inset(t.title, smallGap, 4), pressed)
	return t
}

func (t *tab) setChosen(chosen bool) {
	t.pressable.setChosen(chosen)
	color := theme.ColorNameForeground
	if chosen {
		color = theme.ColorNamePrimary
	}
	t.title.style.Bold = chosen
	t.title.color = color
	t.title.Refresh()
}
