// Package ui is Hearth's window: what a relay is doing, told to a person. It
// knows the relay through package console alone.
package ui

import (
	"context"

	"fyne.io/fyne/v2"

	"hearth/relay/console"
)

// appID names the program to the desktop, which shows it where a window has no
// title.
const appID = "hearth"

// Options is what the window has to be told.
type Options struct {
	Version string
	Raise   <-chan struct{} // a value brings the window to the front
	Failed  <-chan error    // a value says that the relay cannot go on
	Folder  string          // where the relay's data lies

	// Service says that the relay runs as a service of its own, which goes on
	// without the window: it is what to do when that does not answer, in
	// sentences. Empty if the relay runs in this program.
	Service string

	// Lost is called when the display has gone under the window. The program
	// ends as soon as it returns.
	Lost func()

	// Hidden starts in the tray without showing the window. Where there turns
	// out to be no tray, the window shows.
	Hidden bool
}

// Run shows the window and returns when the person has ended it or ctx is done.
// It must be called from the main goroutine, once; HasDisplay says beforehand
// whether it can. It does not stop the relay. If the relay cannot go on, the
// person is told, and the error is why.
func Run(ctx context.Context, c console.Console, o Options) error {
	values, err := c.Settings(ctx)
	if err != nil {
		return err
	}
	showing, cancel := context.WithCancel(ctx)
	defer cancel()

	a := newApp(o.Version, hearthTheme{values.Theme.Value})
	w := a.NewWindow("Hearth")
	w.SetPadded(false)
	w.SetMaster()
	w.SetOnClosed(safe(cancel))

	side := &aside{ctx: showing}
	defer side.idle.begin()()
	s := newShell(c, side)
	v := newWindow(s, side, w, o)
	l := newLife(a, w, s, values, o.Service != "")
	v.live(l)
	w.SetContent(v.content)
	w.Resize(fyne.NewSize(1180, 760)) // lists with all their columns on a common laptop's screen
	w.CenterOnScreen()

	onDisplayLost(o.Lost)
	side.group.Go(func() { v.follow(showing) })
	side.group.Go(func() { l.follow(showing, side.do) })
	var failure error
	side.group.Go(func() { failure = hear(showing, o, l, side.do) })
	// The driver's Quit, unlike the app's, may be called when all is over, as
	// can happen when a signal ends the toolkit and ctx at once.
	stop := context.AfterFunc(ctx, func() { fyne.Do(a.Driver().Quit) })
	defer stop()

	if o.Hidden && mayHaveTray() {
		l.hidden.Store(true)
	} else {
		w.Show()
	}
	a.Run()
	cancel()
	side.group.Wait()
	return failure
}

// hear does what the rest of the program asks of the window, and returns why
// the relay cannot go on, if it cannot.
func hear(ctx context.Context, o Options, l *life, do func(func())) (failure error) {
	for {
		select {
		case <-ctx.Done():
			return failure
		case _, ok := <-o.Raise:
			if !ok {
				o.Raise = nil
				continue
			}
			do(l.show)
		case err := <-o.Failed:
			failure, o.Failed = err, nil // once is enough
			do(func() { l.fail(err) })
		}
	}
}
