//go:build !headless

package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"hearth/ui"
)

// Run shows the window until the person ends it or ctx ends. Why it cannot
// start is told in a small window as well: who starts it with a click sees
// nothing of what it prints.
func (c windowCommand) Run(ctx context.Context, command *kong.Context) error {
	if err := ui.HasDisplay(); err != nil {
		return err
	}
	v, err := c.open(ctx, command)
	if err != nil && ctx.Err() == nil {
		report(os.Stderr, err)
		ui.Tell(ctx, err.Error(), hintOf(err), version)
		return &toldError{err}
	}
	if v == nil {
		return err // it is open already, or was asked to stop
	}
	return v.show(ctx, c.Minimized)
}

// show shows the window of a relay.
func (v *shown) show(ctx context.Context, hidden bool) error {
	gone := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { v.endWithout(gone) })
	defer stop()
	err := ui.Run(ctx, v.console, ui.Options{
		Version: version, Folder: v.folder, Hidden: hidden, Service: v.service,
		Raise: v.raiser.Raised(), Failed: v.failed,
		Lost: func() {
			v.log.Warn("the display has gone: the program ends")
			if err := errors.Join(v.raiser.Close(), v.close()); err != nil {
				v.log.Error("the program did not end as it should", "error", err)
			}
		},
	})
	close(gone)
	return errors.Join(err, v.raiser.Close(), v.close())
}

// endWithout ends the program without its window, should that not go when it is
// asked to: a toolkit or a display that hangs must not keep the relay from
// stopping as it should.
func (v *shown) endWithout(gone <-chan struct{}) {
	const patience = 3 * time.Second // it takes a tenth of that on a slow machine
	select {
	case <-gone:
		return
	case <-time.After(patience):
	}
	err := v.close()
	select {
	case <-gone:
		return
	default:
	}
	v.log.Error("the window does not close: the program ends without", "relay", err)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // nothing else ends a program whose main thread hangs
	}
}
