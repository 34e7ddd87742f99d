// Package ui is Hearth's window: what a relay is doing, told to a person. It
// knows the relay through package console alone.
package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"hearth/relay/console"
)

// appID names the program to the desktop, which shows it where a window has no
// title.
const appID = "hearth"

// Options is what the window has to be told.
type Options struct {
	Version string
	Raise   <-chan struct{} // a value brings the window to the front
	Folder  string          // where the relay's data lies
}

// Run shows the window and returns when the person closes it or ctx is done. It
// must be called from the main goroutine, once; HasDisplay says beforehand
// whether it can. It does not stop the relay.
func Run(ctx context.Context, c console.Console, o Options) error {
	showing, cancel := context.WithCancel(ctx)
	defer cancel()

	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Hearth", Version: o.Version, Icon: icon})
	a := app.NewWithID(appID)
	a.Settings().SetTheme(hearthTheme{})
	a.SetIcon(icon)
	w := a.NewWindow("Hearth")
	w.SetPadded(false)
	w.SetMaster()
	w.SetOnClosed(cancel)

	side := &aside{ctx: showing}
	v := newWindow(newShell(c, side), side, w, o)
	w.SetContent(v.content)
	w.Resize(fyne.NewSize(1180, 760)) // lists with all their columns on a common laptop's screen
	w.CenterOnScreen()

	side.group.Go(func() { v.follow(showing) })
	side.group.Go(func() { raise(showing, o.Raise, w) })
	// The driver's Quit, unlike the app's, may be called when all is over, as
	// can happen when a signal ends the toolkit and ctx at once.
	stop := context.AfterFunc(ctx, func() { fyne.Do(a.Driver().Quit) })
	defer stop()

	w.ShowAndRun()
	cancel()
	side.group.Wait()
	return nil
}

// raise brings the window to the front for each value.
func raise(ctx context.Context, values <-chan struct{}, w fyne.Window) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-values:
			if !ok {
				return
			}
			fyne.Do(func() {
				w.Show()
				w.RequestFocus()
			})
		}
	}
}
