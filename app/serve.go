package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

type serveCommand struct {
	relayFlags
}

// Help is what --help says beyond the flags.
func (serveCommand) Help() string {
	return `When the relay is ready it prints "listening on URL", a line for each of its addresses, the one for this machine first. An interrupt or a termination signal stops it; a second one stops it at once.

Examples:

  hearth serve                               for the apps on this machine
  hearth serve --open                        for everyone on the network
  hearth serve --data /srv/hearth --listen 127.0.0.1:0`
}

// Run runs a relay until ctx ends.
func (c serveCommand) Run(ctx context.Context, command *kong.Context, out io.Writer) error {
	s, err := c.settings(command)
	if err != nil {
		return err
	}
	book := newLogbook(s.values().LogLevel.Value)
	log := book.logger(os.Stderr)
	s.warn(log)
	h, err := openHome(ctx, s, homeOptions{Logger: log, Book: book})
	if err != nil {
		return alreadyRunning(s.folder.Value, err)
	}
	if err := greet(out, h); err != nil {
		return errors.Join(err, h.Close())
	}
	select {
	case <-ctx.Done():
	case err = <-h.Failed():
	}
	return errors.Join(err, h.Close())
}

// greet says where the relay listens: this machine's own address comes first,
// for scripts that read one line. That the network may come in is said whatever
// is logged.
func greet(out io.Writer, h *home) error {
	run := h.running()
	if run.Open {
		fmt.Fprintln(os.Stderr, "hearth: OPEN TO THE NETWORK: everyone on it may read and write every stream, without a key")
	}
	if _, err := fmt.Fprintf(out, "listening on %s\n", run.URL); err != nil {
		return err
	}
	for _, url := range run.URLs {
		if url == run.URL {
			continue
		}
		if _, err := fmt.Fprintf(out, "listening on %s\n", url); err != nil {
			return err
		}
	}
	return nil
}
