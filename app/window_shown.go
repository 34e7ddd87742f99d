//go:build !headless

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"hearth/relay"
	"hearth/ui"
)

// Run shows the window until the person ends it or ctx ends. Why it cannot
// start is told in a small window as well: who starts it with a click sees
// nothing of what it prints.
func (c windowCommand) Run(ctx context.Context, command *kong.Context) error {
	if err := ui.HasDisplay(); err != nil {
		return err
	}
	h, hidden, err := c.open(ctx, command)
	if err != nil && ctx.Err() == nil {
		report(os.Stderr, err)
		ui.Tell(ctx, err.Error(), hintOf(err), version)
		return &toldError{err}
	}
	if h == nil {
		return err // it is open already, or was asked to stop
	}
	return c.show(ctx, h, hidden)
}

// open opens the relay for the window. It returns none if the window is open
// already: then that is shown, unless this start was to be a hidden one.
func (c windowCommand) open(ctx context.Context, command *kong.Context) (h *home, hidden bool, err error) {
	s, err := c.settings(command)
	if err != nil {
		return nil, false, err
	}
	folder := s.folder.Value
	if !c.Minimized && raise(folder) == nil {
		return nil, false, nil
	}
	book := newLogbook(s.values().LogLevel.Value)
	log := book.logger(os.Stderr)
	slog.SetDefault(log)                   // the toolkit's log is part of this one;
	slog.SetLogLoggerLevel(slog.LevelWarn) // it says nothing unless something fails
	login, err := newAutostart(folder, folder == defaultFolder())
	if err != nil {
		return nil, false, err
	}
	h, err = openHome(ctx, s, homeOptions{Logger: log, Book: book, Window: true, Login: login})
	if _, inUse := errors.AsType[*relay.InUseError](err); inUse {
		if c.Minimized && windowRuns(folder) || !c.Minimized && raiseFirst(ctx, folder) {
			return nil, false, nil
		}
	}
	if err != nil {
		return nil, false, alreadyRunning(folder, err)
	}
	if err := login.repair(); err != nil {
		log.Warn("the start at login cannot be repaired", "error", err)
	}
	return h, c.Minimized, nil
}

// windowRuns says whether it is a window that uses a data folder.
func windowRuns(folder string) bool {
	run, err := readRunFile(folder)
	return err == nil && (run == nil || run.Window) // without a run file it is still starting
}

// show shows the window of a relay.
func (c windowCommand) show(ctx context.Context, h *home, hidden bool) error {
	folder := h.settings.folder.Value
	r, err := hearRaises(folder)
	if err != nil {
		return errors.Join(fmt.Errorf("a second start cannot be heard: %w", err), h.Close())
	}
	gone := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { endWithout(gone, h) })
	defer stop()
	err = ui.Run(ctx, h, ui.Options{
		Version: version, Folder: folder, Hidden: hidden,
		Raise: r.Raised(), Failed: h.Failed(),
		Lost: func() {
			h.log.Warn("the display has gone: the relay stops")
			if err := errors.Join(r.Close(), h.Close()); err != nil {
				h.log.Error("the relay did not stop as it should", "error", err)
			}
		},
	})
	close(gone)
	return errors.Join(err, r.Close(), h.Close())
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
