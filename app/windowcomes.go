//go:build !headless

package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"hearth/relay"
	"hearth/relay/console"
)

const (
	// comePatience is how long a start waits for another one that is on its way: a
	// slow machine's time to open a relay.
	comePatience = 5 * time.Second

	// comePause is the time between two looks for it.
	comePause = 50 * time.Millisecond
)

// shown is a relay that is to be shown in the window of this process.
type shown struct {
	console console.Console
	log     *slog.Logger
	failed  <-chan error // nil if the relay runs in another process
	service string       // what to do if that does not answer; empty if it runs in this one
	folder  string
	raiser  *raiser
	close   func() error // may be called again, and waits for the same end
}

// open opens the relay for the window, or attaches to the one that runs on the
// data already. It returns none if there is a window on the data: then that is
// shown, unless this start was to be a hidden one.
func (c windowCommand) open(ctx context.Context, command *kong.Context) (_ *shown, err error) {
	s, err := c.settings(command)
	if err != nil {
		return nil, err
	}
	folder := s.folder.Value
	book := newLogbook(s.values().LogLevel.Value)
	log := book.logger(os.Stderr)
	slog.SetDefault(log)                   // the toolkit's log is part of this one;
	slog.SetLogLoggerLevel(slog.LevelWarn) // it says nothing unless something fails
	s.warn(log)
	r, err := hearRaises(folder)
	if errors.Is(err, errWindowOpen) {
		return nil, c.showOther(ctx, folder)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	login, err := newAutostart(folder, folder == defaultFolder())
	if err != nil {
		return nil, err
	}
	if err := login.repair(); err != nil {
		log.Warn("the start at login cannot be repaired", "error", err)
	}
	v := &shown{log: log, folder: folder, raiser: r}
	run, err := service(ctx, folder)
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if run == nil && c.Minimized && folder == defaultFolder() && wakeService(ctx) {
		run = coming(ctx, folder)
	}
	if run == nil {
		var h *home
		h, err = openHome(ctx, s, homeOptions{Logger: log, Book: book, Window: true, Login: login})
		if err == nil {
			v.console, v.failed, v.close = h, h.Failed(), h.Close
			return v, nil
		}
		if _, inUse := errors.AsType[*relay.InUseError](err); inUse {
			run = coming(ctx, folder)
			err = alreadyRunning(folder, err)
		}
	}
	if run == nil {
		return nil, err
	}
	if err := c.withoutEffect(command, run); err != nil {
		return nil, err
	}
	log.Info("showing the relay that runs as a service", "url", run.URL, "process", run.PID)
	if g := s.givens; g.name.value != nil || g.place.value != nil || g.port.value != nil || g.open.value != nil || g.faces.value != nil || g.addrs.value != nil {
		log.Warn("what the environment says of the relay has no effect: its service was started without this window")
	}
	a := newAttached(folder, login)
	v.console, v.service, v.close = a, serviceGone(), a.Close
	return v, nil
}

// showOther shows the window that is open on a data folder. It may be on its way
// still.
func (c windowCommand) showOther(ctx context.Context, folder string) error {
	if c.Minimized {
		return nil
	}
	var err error
	for end := time.Now().Add(comePatience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(comePause) {
		if err = raise(folder); err == nil {
			return nil
		}
	}
	return &hintedError{
		errors.Join(errWindowOpen, err),
		"it does not answer: end that program, or name another data folder with --data",
	}
}

// service returns how the relay is reached that runs on a data folder without a
// window, nil if none answers there.
func service(ctx context.Context, folder string) (*runFile, error) {
	client, run, err := attachRunning(ctx, folder)
	if err != nil || client == nil {
		return nil, err
	}
	if err := client.Close(); err != nil || run.Window {
		return nil, err
	}
	return run, nil
}

// coming is service for a relay that may be on its way still: then it holds the
// data, but does not say yet how it is reached.
func coming(ctx context.Context, folder string) *runFile {
	for end := time.Now().Add(comePatience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(comePause) {
		if run, err := service(ctx, folder); run != nil || err != nil {
			return run
		}
	}
	return nil
}
