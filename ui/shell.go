package ui

import (
	"context"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"hearth/relay/console"
)

// later does slow work aside from the UI thread. What the work returns is done
// on it afterwards; if the work fails, or panics, failed is called there.
type later func(work func(ctx context.Context) (show func(), err error), failed func(error))

// shell is what every part of the window leans on.
type shell struct {
	console console.Console
	later   later
	now     func() time.Time
	look    func()               // asks for a fresh look at the relay without delay
	moves   func() (rest func()) // keeps the window lively until rest, for what moves by itself
	settled func(console.Values) // takes in settings that hold from now on

	// openStream leads to a stream, from any screen.
	openStream func(console.StreamRef)
}

// aside runs work in goroutines of its own until its context is done.
type aside struct {
	ctx   context.Context
	group sync.WaitGroup
	idle  idle
}

func (a *aside) later(work func(context.Context) (func(), error), failed func(error)) {
	a.group.Go(func() {
		show, err := guarded(func() (func(), error) { return work(a.ctx) })
		a.do(func() {
			if err == nil {
				err = shown(show)
			}
			if err != nil {
				failed(err)
			}
		})
	})
}

// do does something on the UI thread and returns when that is done, or will
// never be.
func (a *aside) do(f func()) {
	if a.ctx.Err() != nil {
		return
	}
	done := make(chan struct{})
	a.idle.asked()
	fyne.Do(func() {
		defer close(done)
		defer a.idle.done()
		if a.ctx.Err() == nil {
			safe(f)()
		}
	})
	select {
	case <-done:
	case <-a.ctx.Done():
	}
}
