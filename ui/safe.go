package ui

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// What the toolkit calls runs on the thread that everything else is drawn on;
// a panic there would end the program, and the relay in it. So whatever a person
// can press, type or choose goes through here; the linter keeps the toolkit's own
// constructors shut.

// guarded turns a panic into an error: a part of the window that cannot show
// its matter must not take the relay down with it.
func guarded[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a part of the window failed", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault in this program: %v", p)
		}
	}()
	return f()
}

// shown is guarded for what only shows something.
func shown(show func()) error {
	_, err := guarded(func() (struct{}, error) { show(); return struct{}{}, nil })
	return err
}

// safe makes of what is to be done when a person does something what tells of a
// fault over the screen that he is at.
func safe(f func()) func() {
	return func() {
		if err := shown(f); err != nil {
			tellFault(err)
		}
	}
}

// safely is safe for what takes a value.
func safely[T any](f func(T)) func(T) {
	return func(v T) { safe(func() { f(v) })() }
}

// stage is the window over which faults are told: the toolkit has windows of its
// own that nobody sees. It is used on the UI thread only.
var stage fyne.Window

// telling is the window that tells of a fault just now, nil if none does. What
// fails again and again is told once at a time. It is used on the UI thread only.
var telling fyne.Window

// tellFault tells of a fault in the program over what the window shows.
func tellFault(err error) {
	w := stage
	if w == nil || telling == w {
		return // it is in the log
	}
	told := stacked(smallGap,
		newProse(sentence(err.Error()), theme.ColorNameError),
		newProse("The relay goes on. If this comes again, start Hearth anew; the log says more about it.", theme.ColorNameForeground),
	)
	d := dialog.NewCustom("That did not work", "Close", told, w)
	d.SetOnClosed(func() { telling = nil })
	d.Resize(fyne.NewSize(440, 0)) // wide enough for the sentences on two lines each
	telling = w
	if err := shown(d.Show); err != nil {
		telling = nil
	}
}

func newButton(label string, pressed func()) *widget.Button {
	return widget.NewButton(label, safe(pressed))
}

func newIconButton(label string, icon fyne.Resource, pressed func()) *widget.Button {
	return widget.NewButtonWithIcon(label, icon, safe(pressed))
}

func newCheck(label string, changed func(bool)) *widget.Check {
	return widget.NewCheck(label, safely(changed))
}

func newSelect(options []string, changed func(string)) *widget.Select {
	return widget.NewSelect(options, safely(changed))
}

func newMenuItem(label string, chosen func()) *fyne.MenuItem {
	return fyne.NewMenuItem(label, safe(chosen))
}
