package ui

import (
	"runtime"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
)

// helpKey lists what the keyboard does, on every desktop.
const helpKey = fyne.KeyF1

// shortcut is what some keys do.
type shortcut struct {
	keys string // as they are printed on the keyboard
	does string
	key  fyne.KeyName // with the desktop's modifier; empty if the toolkit or a list does it
	run  func()
}

// shortcuts returns everything that the keyboard does in the window.
func (v *window) shortcuts() []shortcut {
	var list []shortcut
	for i, screen := range v.screens {
		n := strconv.Itoa(i + 1)
		list = append(list, shortcut{withModifier(n), "Show " + screen.title(), fyne.KeyName(n), func() { v.choose(i) }})
	}
	return append(list,
		shortcut{withModifier("F"), "Go to the filter", fyne.KeyF, v.find},
		shortcut{withModifier("D"), "Connect a device", fyne.KeyD, v.connect.open},
		shortcut{withModifier("R"), "Look again", fyne.KeyR, v.look},
		shortcut{"Tab, Shift+Tab", "Go to the next control, or back", "", nil},
		shortcut{"Space", "Press a button, turn a switch", "", nil},
		shortcut{"↑ ↓, Page up, Page down", "Select in a list", "", nil},
		shortcut{"Home, End", "Select the first or the last of a list", "", nil},
		shortcut{"Esc", "Close what lies over the window, or the open entry", "", nil},
		shortcut{"F1 or ?", "Show this list; with " + modifierName() + " and F1 also while typing", helpKey, v.help},
	)
}

// listen makes the window follow the keyboard.
func (v *window) listen() {
	c := v.frame.Canvas()
	for _, s := range v.shortcuts() {
		if s.run != nil {
			c.AddShortcut(&desktop.CustomShortcut{KeyName: s.key, Modifier: fyne.KeyModifierShortcutDefault}, safely(func(fyne.Shortcut) { s.run() }))
		}
	}
	c.SetOnTypedKey(safely(func(e *fyne.KeyEvent) {
		switch e.Name {
		case helpKey:
			v.help()
		case fyne.KeyEscape:
			v.escape()
		}
	}))
	c.SetOnTypedRune(safely(func(r rune) {
		if r == '?' {
			v.help()
		}
	}))
}

// find goes to the filter of the screen, or of the streams if it has none.
func (v *window) find() {
	filtered, ok := v.screens[v.current.Load()].(interface{ field() fyne.Focusable })
	if !ok {
		v.visit(v.streams)
		filtered = v.streams
	}
	v.frame.Canvas().Focus(filtered.field())
}

// help lists the shortcuts, once.
func (v *window) help() {
	c := v.frame.Canvas()
	if c.Overlays().Top() != nil {
		return
	}
	c.Unfocus() // so that Esc and F1 reach the window
	lines := stacked(6)
	for _, s := range v.shortcuts() {
		lines.Add(beside(gap, fixedWidth(170, code(s.keys)), newWords(s.does, colorMuted)))
	}
	v.helping = dialog.NewCustom("What the keyboard does", "Close", laid(layout.NewCustomPaddedLayout(0, gap, 0, 0), lines), v.frame)
	v.helping.Show()
}

// escape closes what only tells something. A question wants an answer.
func (v *window) escape() {
	v.streams.detail.escape()
	for _, d := range []*dialog.CustomDialog{v.helping, v.connect.dialog} {
		if d != nil {
			d.Hide()
		}
	}
}

func withModifier(key string) string { return modifierName() + "+" + key }

// modifierName is what is printed on the key that shortcuts are held with.
func modifierName() string {
	if runtime.GOOS == "darwin" {
		return "Cmd"
	}
	return "Ctrl"
}
