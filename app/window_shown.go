//go:build !headless

package main

import (
	"context"
	"errors"
	"fmt"
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
	if err := ui.Run(open, h, o); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // it was asked to stop
	}
	return context.Cause(open)
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
