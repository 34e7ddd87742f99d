//go:build !headless

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"hearth/relay"
	"hearth/ui"
)

// Run shows the window until the person closes it or ctx ends.
func (c windowCommand) Run(ctx context.Context, command *kong.Context) error {
	if err := ui.HasDisplay(); err != nil {
		return err
	}
	s, err := c.settings(command)
	if err != nil {
		return err
	}
	folder := s.folder.Value
	if raise(folder) == nil {
		return nil // it is open already
	}
	h, err := openHome(ctx, s, homeOptions{Logger: c.logger(), Window: true})
	if _, inUse := errors.AsType[*relay.InUseError](err); inUse && raiseFirst(ctx, folder) {
		return nil
	}
	if err != nil {
		return alreadyRunning(folder, err)
	}
	r, err := hearRaises(folder)
	if err != nil {
		return errors.Join(fmt.Errorf("a second start cannot be heard: %w", err), h.Close())
	}
	err = show(ctx, h, ui.Options{Version: version, Raise: r.Raised(), Folder: folder})
	return errors.Join(err, r.Close(), h.Close())
}

// show shows the window of a relay. A relay that cannot go on closes it.
func show(ctx context.Context, h *home, o ui.Options) error {
	open, shut := context.WithCancelCause(ctx)
	defer shut(nil)
	go func() {
		select {
		case err := <-h.Failed():
			shut(err)
		case <-open.Done():
		}
	}()
	gone := make(chan struct{})
	stop := context.AfterFunc(open, func() { endWithout(gone, h) })
	defer stop()
	err := ui.Run(open, h, o)
	close(gone)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // it was asked to stop
	}
	return context.Cause(open)
}

// endWithout ends the program without its window, should that not go when it is
// asked to: a toolkit or a display that hangs must not keep the relay from
// stopping as it should.
func endWithout(gone <-chan struct{}, h *home) {
	const patience = 3 * time.Second // it takes a tenth of that on a slow machine
	select {
	case <-gone:
		return
	case <-time.After(patience):
	}
	err := h.Close()
	select {
	case <-gone:
		return
	default:
	}
	h.log.Error("the window does not close: the program ends without", "relay", err)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // nothing else ends a program whose main thread hangs
	}
}

// raiseFirst shows the window that runs on a data folder, if one does. It may
// be on its way still: then its relay does not say yet how it runs.
func raiseFirst(ctx context.Context, folder string) bool {
	const (
		patience = 5 * time.Second // a slow machine's time to open a relay
		pause    = 50 * time.Millisecond
	)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(pause) {
		if raise(folder) == nil {
			return true
		}
		if run, err := readRunFile(folder); err != nil || run != nil && !run.Window {
			return false
		}
	}
	return false
}
