package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// The toolkit gives keys to what has the focus and to nobody else. What follows
// passes on those that are meant for the window.

// passKey gives a key to the window that an object is in.
func passKey(o fyne.CanvasObject, e *fyne.KeyEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil && c.OnTypedKey() != nil {
		c.OnTypedKey()(e)
	}
}

// passRune does the same for a letter.
func passRune(o fyne.CanvasObject, r rune) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil && c.OnTypedRune() != nil {
		c.OnTypedRune()(r)
	}
}

// entry is a line to type in that leaves the window's shortcuts to the window.
type entry struct {
	widget.Entry
}

func newEntry() *entry {
	e := &entry{}
	e.ExtendBaseWidget(e)
	return e
}

// TypedShortcut does what an entry does, and what the window does.
func (e *entry) TypedShortcut(s fyne.Shortcut) {
	e.Entry.TypedShortcut(s)
	if _, ours := s.(*desktop.CustomShortcut); !ours {
		return
	}
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(e).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// TypedKey passes on the keys of which an entry makes nothing.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	if k.Name == helpKey || k.Name == fyne.KeyEscape {
		passKey(e, k)
		return
	}
	e.Entry.TypedKey(k)
}
