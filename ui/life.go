package ui

import (
	"context"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

const (
	// trayPatience is how long a hidden start waits for the desktop's tray. At
	// login the panel with the tray in it may come later than what it starts.
	trayPatience = 20 * time.Second

	// traySettles is long enough for the toolkit to have put its mark into the tray,
	// which takes it some milliseconds. What it is told meanwhile it may lose.
	traySettles = 2 * time.Second

	// trayGrace is how long a tray may be away before a hidden window shows:
	// panels start anew now and then.
	trayGrace = 3 * time.Second
)

// life is how the window lives on the desktop: hidden in the tray or not, and
// heard when something needs a person. Apart from follow, its methods are
// called on the UI thread.
type life struct {
	app    fyne.App
	window fyne.Window
	shell  *shell
	tray   *tray // nil where there can be none
	alerts alerts

	service bool // the relay goes on without the window
	hosted  bool // a tray is there
	hidden  atomic.Bool
	values  console.Values
	showing func() // the window shows again
}

func newLife(a fyne.App, w fyne.Window, s *shell, values console.Values, service bool) *life {
	l := &life{app: a, window: w, shell: s, service: service, values: values, showing: func() {}}
	if desk, ok := a.(desktop.App); ok && mayHaveTray() {
		l.tray = newTray(desk, trayActs{show: l.show, open: l.open, quit: l.quit}, service)
		desk.SetSystemTrayWindow(w)
	}
	w.SetCloseIntercept(safe(l.closed))
	return l
}

// follow follows the coming and going of the tray until ctx is done.
func (l *life) follow(ctx context.Context, do func(func())) {
	var late *time.Timer
	defer func() {
		if late != nil {
			late.Stop()
		}
	}()
	wait := func(patience time.Duration) {
		if late != nil {
			late.Stop()
		}
		late = time.AfterFunc(patience, func() { do(l.showWithoutTray) })
	}
	wait(trayPatience)
	again := time.AfterFunc(traySettles, func() { do(l.tellTray) })
	defer again.Stop()
	was := false
	watchTrayHost(ctx, func(hosted bool) {
		do(func() { l.host(hosted) })
		if was && !hosted {
			wait(trayGrace)
		}
		was = hosted
	})
	<-ctx.Done()
}

// tellTray tells the tray once more what it shows.
func (l *life) tellTray() {
	if l.tray != nil {
		l.tray.again()
	}
}

// host takes in whether there is a tray.
func (l *life) host(hosted bool) {
	l.hosted = hosted
	l.shell.look() // the settings say so
}

// showWithoutTray shows a window that nothing else could bring back.
func (l *life) showWithoutTray() {
	if l.hidden.Load() && !l.hosted {
		l.show()
	}
}

// show brings the window to the front.
func (l *life) show() {
	l.hidden.Store(false)
	l.window.Show()
	l.window.RequestFocus()
	l.showing()
}

// hide leaves nothing but the tray.
func (l *life) hide() {
	l.hidden.Store(true)
	l.window.Hide()
}

// closed does what the person wants when he closes the window. Without a tray
// that is the end: nothing would bring a hidden window back. Where the relay goes
// on in any case there is nothing to ask.
func (l *life) closed() {
	keep := l.values.Tray
	switch {
	case !l.hosted:
		l.quit()
	case keep.Value:
		l.hide()
	case l.service || keep.Origin != console.OriginDefault:
		l.quit()
	default:
		l.ask()
	}
}

// ask asks once what closing means, and remembers the answer.
func (l *life) ask() {
	text := newProse("Apps on your devices reach the relay only while Hearth runs. In the tray it runs without this window. You can change this in Settings.", theme.ColorNameForeground)
	d := dialog.NewCustomConfirm("Keep Hearth running in the tray?", "Keep it running", "Quit", text, safely(func(keep bool) {
		l.change(console.Change{DesktopChange: console.DesktopChange{Tray: &keep}}, func(values console.Values) {
			l.settled(values)
			l.closed()
		})
	}), l.window)
	d.Resize(fyne.NewSize(440, 190)) // wide enough for the sentences on three lines
	d.Show()
}

// quit ends the window, and with it the program.
func (l *life) quit() {
	l.app.Driver().Quit() // unlike the app's, it may be called when all is over
}

// open lets the network in, once the person has been asked, or keeps it out.
func (l *life) open(on bool) {
	change := func() {
		l.change(console.Change{Open: &on}, func(values console.Values) { l.settled(values); l.shell.look() })
	}
	if !on {
		change()
		return
	}
	l.show() // where the question is seen
	askOpen(l.window, func(yes bool) {
		if yes {
			change()
		}
	})
}

// change changes settings aside from the UI thread.
func (l *life) change(c console.Change, done func(console.Values)) {
	l.shell.later(func(ctx context.Context) (func(), error) {
		if _, err := l.shell.console.Change(ctx, c); err != nil {
			return nil, err
		}
		values, err := l.shell.console.Settings(ctx)
		return func() { done(values) }, err
	}, func(err error) {
		l.show()
		dialog.ShowCustom("That could not be changed", "Close", newProse(sentence(err.Error()), theme.ColorNameForeground), l.window)
	})
}

// settled takes in settings that hold from now on.
func (l *life) settled(values console.Values) {
	if look := values.Theme.Value; look != l.values.Theme.Value {
		defer l.app.Settings().SetTheme(hearthTheme{look})
	}
	l.values = values
}

// hear takes in how the relay is.
func (l *life) hear(o console.Overview, refusals []console.Refusal) {
	if l.tray != nil {
		l.tray.show(o, l.values.Open.Fixed())
	}
	for _, a := range l.alerts.fresh(alertsOf(o, refusals)) {
		l.notify(a.title, a.text)
	}
}

// unreachable says that nothing is known of the relay.
func (l *life) unreachable() {
	if l.tray != nil {
		l.tray.unreachable()
	}
}

// fail tells that the relay cannot go on; the window ends when that is read.
func (l *life) fail(err error) {
	l.notify("Hearth has stopped", sentence(err.Error()))
	l.unreachable()
	l.show()
	text := newProse(sentence(err.Error())+" What was written is safe. Start Hearth again once that is mended.", theme.ColorNameForeground)
	d := dialog.NewCustom("The relay cannot go on", "Quit", text, l.window)
	d.SetOnClosed(safe(l.quit))
	d.Resize(fyne.NewSize(440, 190)) // as the other questions
	d.Show()
}

// notify puts a notification on the desktop.
func (l *life) notify(title, text string) {
	n := fyne.NewNotification(title, text)
	// Aside: the desktop may take its time.
	l.shell.later(func(context.Context) (func(), error) {
		l.app.SendNotification(n)
		return func() {}, nil
	}, func(error) {})
}
