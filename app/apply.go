package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"hearth/relay/console"
)

// apply puts settings into effect and says what happened. After an error the
// relay listens where it did before. h.mu is held.
func (h *home) apply(ctx context.Context, after settings) (string, error) {
	before := h.settings
	was, is := before.values(), after.values()
	if to := after.place(); to != before.place() {
		if to.port == 0 && was.Port == is.Port && len(h.listeners) > 0 {
			to.port = placeOf(h.listeners[0]).port // apps know this one by now
		}
		// The network is let in only while the relay was and will be open to it.
		h.relay.SetOpen(was.Open.Value && is.Open.Value)
		if err := h.move(ctx, to); err != nil {
			h.relay.SetOpen(was.Open.Value)
			return "", err
		}
	}
	h.settings = after
	h.relay.SetOpen(is.Open.Value)
	if err := h.tell(); err != nil {
		// The change itself is done; only the owner's commands miss it.
		h.log.Warn("the running relay is told wrongly", "error", err)
	}
	return h.summary(was, is), nil
}

// move makes the relay listen at another place. h.mu is held.
func (h *home) move(ctx context.Context, to place) error {
	old := placesOf(h.listeners)
	listeners, err := listen(ctx, to)
	if err == nil {
		h.serve(listeners)
		return nil
	}
	if !overlaps(old, to) {
		return err
	}
	// The same port at more or fewer addresses: the system gives it only once
	// the old one is closed. Requests that are under way come to their end.
	closeAll(h.listeners)
	if listeners, err = listen(ctx, to); err == nil {
		h.serve(listeners)
		return nil
	}
	again, back := reopen(ctx, old)
	h.serve(again)
	if back != nil {
		h.fail(fmt.Errorf("the relay could not get back to where it listened: %w", back))
	}
	return err
}

// overlaps says whether a place takes a port that the relay itself holds.
func overlaps(held []place, wanted place) bool {
	for _, p := range held {
		if p.port == wanted.port {
			return true
		}
	}
	return false
}

// reopen listens at places once more.
func reopen(ctx context.Context, places []place) (listeners []net.Listener, err error) {
	for _, p := range places {
		l, failed := listenAt(ctx, p)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		listeners = append(listeners, l)
	}
	return listeners, err
}

// summary says what a change changed.
func (h *home) summary(was, is console.Values) string {
	url := h.run.URL
	if len(h.run.URLs) > 0 {
		url = h.run.URLs[0]
	}
	switch {
	case is.Open.Value && !was.Open.Value:
		return "Everyone on this network can reach the relay now, at " + url + "."
	case was.Open.Value && !is.Open.Value:
		return "Only this machine can reach the relay now, at " + url + "."
	case is.Port != was.Port:
		return "The relay listens at " + url + " now."
	case is.Name != was.Name:
		return fmt.Sprintf("The relay is called %q now.", is.Name.Value)
	case !slices.Equal(is.Interfaces.Value, was.Interfaces.Value) || !slices.Equal(is.Advertise.Value, was.Advertise.Value):
		return "The relay is announced as you said now."
	default:
		return "Everything is as it was."
	}
}
