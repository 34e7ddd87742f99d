package ui

import (
	"fyne.io/fyne/v2"

	"hearth/relay/console"
)

// live lets the window live on the desktop.
func (v *window) live(l *life) {
	v.life = l
	l.showing = v.look
	v.shell.settled = l.settled
	v.settings.hosted = func() bool { return l.hosted }
	l.app.Settings().AddListener(safely(func(fyne.Settings) { v.faded.changed(v.screens, int(v.current.Load())) }))
}

// hidden says that nobody can see the window.
func (v *window) hidden() bool { return v.life != nil && v.life.hidden.Load() }

// hear tells the desktop how the relay is.
func (v *window) hear(o console.Overview, err error) {
	switch {
	case v.life == nil:
	case err != nil:
		v.life.unreachable()
	default:
		v.life.hear(o, v.refusals.all)
	}
}
