package ui

import (
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// A fault in what a person presses, turns, chooses or types is told where he is,
// and ends nothing.
func TestFaultsAreTold(t *testing.T) {
	s := openScene(t)
	fault := func() { panic("out of order") }
	fails := func(string) { fault() }
	choice := newSelect([]string{"a", "b"}, fails)
	typed := widget.NewEntry()
	typed.OnChanged = safely(fails)
	for name, do := range map[string]func(){
		"button":    func() { test.Tap(newButton("Go", fault)) },
		"icon":      func() { test.Tap(newIconButton("Go", icon, fault)) },
		"check":     func() { test.Tap(newCheck("On", func(bool) { fault() })) },
		"select":    func() { choice.SetSelected("b") },
		"entry":     func() { typed.SetText("b") },
		"line":      func() { test.Tap(newPressable(newWords("Go", colorMuted), fault)) },
		"menu":      newMenuItem("Go", fault).Action,
		"work done": func() { s.window.aside.do(fault) },
	} {
		do()
		top := s.canvas.Overlays().Top()
		if top == nil {
			t.Errorf("%s: nothing is told", name)
			continue
		}
		reads(t, top, "That did not work", "A fault in this program: out of order.", "The relay goes on.")
		test.Tap(findButton(t, top, "Close"))
	}
}

// A row that cannot be shown takes neither the list nor the program with it.
func TestFaultyRow(t *testing.T) {
	openScene(t)
	list := newRowList(&streamColumns, rowHeight, faultyRows{})
	w := test.NewTempWindow(t, list)
	w.Resize(list.MinSize().AddWidthHeight(300, 200))
	list.Refresh()
}

type faultyRows struct{}

func (faultyRows) count() int       { return 3 }
func (faultyRows) row(int) rowState { panic("out of order") }
func (faultyRows) chosen() int      { return -1 }
func (faultyRows) choose(int)       {}
