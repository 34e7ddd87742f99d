package ui

import "fyne.io/fyne/v2"

// faded knows which screens have an old theme's colours: a change of theme
// reaches only what is on the stage.
type faded struct {
	screens    map[screen]bool
	freshening bool
}

// changed notes that the theme changed while one screen was on the stage.
func (f *faded) changed(screens []screen, on int) {
	if f.freshening {
		return
	}
	f.screens = make(map[screen]bool)
	for i, s := range screens {
		f.screens[s] = i != on
	}
}

// freshen gives a screen that comes on the stage the colours of the theme.
func (f *faded) freshen(s screen) {
	if !f.screens[s] {
		return
	}
	delete(f.screens, s)
	f.freshening = true
	settings := fyne.CurrentApp().Settings()
	settings.SetTheme(settings.Theme())
	f.freshening = false
}
