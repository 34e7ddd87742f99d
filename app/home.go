package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"hearth/relay"
	"hearth/relay/console"
)

// stopPatience is how long a stop may take before what still goes on is cut
// off. Whoever asked for it has been promised 5 s.
const stopPatience = 4 * time.Second

// home is a relay at home on this machine: with the places where it listens,
// its announcement on the network, and the owner's settings. It is the
// console.Console that the window shows.
type home struct {
	console.Relay // what the relay knows of itself; home adds the rest
	console.Archives

	relay   *relay.Relay
	log     *slog.Logger
	book    *logbook
	login   *autostart
	network *network
	changes *broadcast
	serves  sync.WaitGroup
	follows sync.WaitGroup // the machine's networks
	quit    chan struct{}  // closed on the way to the end
	failed  chan error
	close   func() error

	mu        sync.Mutex // one change at a time
	settings  settings
	listeners []net.Listener
	run       runFile
	stopping  bool // nothing is changed any more
}

var _ console.Console = (*home)(nil)

// homeOptions are what a home needs beside its settings.
type homeOptions struct {
	Logger *slog.Logger
	Book   *logbook   // what the logger keeps; nil keeps nothing
	Window bool       // whether it is shown in a window
	Login  *autostart // the start at login; nil for none
}

// openHome opens the relay on its data, listens, and tells the owner's commands
// and the network. Close it after use.
func openHome(ctx context.Context, s settings, o homeOptions) (*home, error) {
	// Whoever read the log may go: that is no reason to end.
	signal.Ignore(syscall.SIGPIPE)
	values := s.values()
	var n *network // asked once the relay serves, and known by then
	r, err := relay.Open(ctx, s.folder.Value, relay.Options{
		Name: values.Name.Value, Version: version, Logger: o.Logger,
		HostNames: func() []string { return n.hosts() },
		Hosts:     s.kept.Hosts, Origins: s.kept.AllowedOrigins, TrustedProxies: s.kept.TrustedProxies,
		Backups: s.backupPlan(), Happenings: s.happenings(),
	})
	if err != nil {
		return nil, err
	}
	n = newNetwork(r.ID(), s.folder.Value, o.Logger)
	h := &home{
		Relay:    r.Console(),
		Archives: r.Archives(),
		relay:    r,
		log:      o.Logger,
		book:     o.Book,
		login:    o.Login,
		network:  n,
		changes:  newBroadcast(r.Console(), n, o.Book),
		quit:     make(chan struct{}),
		failed:   make(chan error, 1),
		settings: s,
		run:      runFile{PID: os.Getpid(), Token: r.OwnerToken(), Started: time.Now(), Window: o.Window},
	}
	h.close = sync.OnceValue(h.shut)
	// One that is there was left behind by a relay that died.
	if err := removeRunFile(s.folder.Value); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	listeners, err := listen(ctx, s.place())
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	r.SetOpen(values.Open.Value)
	r.ShowOwner(h)
	h.serve(listeners)
	if err := h.tell(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.follows.Go(h.follow)
	return h, nil
}

// Failed gets an error when the relay cannot go on.
func (h *home) Failed() <-chan error { return h.failed }

// Close stops the relay: no new visitors, goodbye on the network, an answer for
// whoever waits, everything in one file. Whoever calls it once more, as the
// window and those who give it up may, waits for the same end.
func (h *home) Close() error { return h.close() }

func (h *home) shut() error {
	close(h.quit)
	h.follows.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	err := removeRunFile(h.settings.folder.Value)
	var goodbye sync.WaitGroup
	goodbye.Go(func() { h.network.close() })
	err = errors.Join(err, h.relay.Shutdown(ctx))
	goodbye.Wait()
	h.serves.Wait()
	h.changes.close()
	return err
}

// running says how the relay is reached.
func (h *home) running() runFile {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.run
}

// serve lets the relay serve what comes through the listeners from now on, and
// nothing any more through those before. h.mu is held, or h is not shared yet.
func (h *home) serve(listeners []net.Listener) {
	before := h.listeners
	h.listeners = listeners
	for _, l := range listeners {
		h.serves.Go(func() {
			if err := h.relay.Serve(l); err != nil {
				h.fail(fmt.Errorf("the relay cannot listen at %s any more: %w", placeOf(l), err))
			}
		})
	}
	closeAll(before)
}

// fail says that the relay cannot go on.
func (h *home) fail(err error) {
	select {
	case h.failed <- err:
	default: // one failure ends it as well as two
	}
}

// tell tells the owner's commands and the network how the relay is reached now.
// h.mu is held, or h is not shared yet.
func (h *home) tell() error {
	places := placesOf(h.listeners)
	values := h.settings.values()
	switch {
	case !values.Open.Value:
		h.network.quiet("The relay is for this machine only.")
	case !reachable(places):
		h.network.quiet("The relay listens at an address of this machine only.")
	default:
		h.network.announce(announcing{
			name: values.Name.Value, place: places[0], interfaces: values.Interfaces.Value, advertise: values.Advertise.Value,
		})
	}
	h.run = h.reached()
	h.log.Info("listening", "urls", h.run.URLs, "open", h.run.Open)
	return h.run.write(h.settings.folder.Value)
}

// reachable says whether other machines reach any of the places.
func reachable(places []place) bool {
	for _, p := range places {
		if !p.private() {
			return true
		}
	}
	return false
}

func placesOf(listeners []net.Listener) []place {
	places := make([]place, 0, len(listeners))
	for _, l := range listeners {
		places = append(places, placeOf(l))
	}
	return places
}

// closeAll closes listeners. One that cannot be closed is closed already.
func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}
