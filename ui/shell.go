package ui

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
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
			f()
		}
	})
	select {
	case <-done:
	case <-a.ctx.Done():
	}
}

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
