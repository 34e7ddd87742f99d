package main

import (
	"slices"
	"time"
)

// followEvery is how often the relay looks how it is reached: addresses come and
// go with the machine's networks, and have to show within five seconds. A look
// costs well below a millisecond.
const followEvery = 2 * time.Second

// follow keeps what the owner is told in line with the machine's networks.
func (h *home) follow() {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.retell()
		case <-h.quit:
			return
		}
	}
}

// retell tells the owner's commands and the window how the relay is reached, if
// that has changed.
func (h *home) retell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	is := h.reached()
	if is.Name == h.run.Name && slices.Equal(is.URLs, h.run.URLs) {
		return
	}
	h.run = is
	h.log.Info("reached elsewhere, or by another name", "urls", is.URLs, "name", is.Name)
	if err := is.write(h.settings.folder.Value); err != nil {
		h.log.Warn("the running relay is told wrongly", "error", err)
	}
	h.changes.send()
}

// reached says how the relay is reached now: by the name that the network knows,
// at the addresses that this machine has. h.mu is held, or h is not shared yet.
func (h *home) reached() runFile {
	places, values := placesOf(h.listeners), h.settings.values()
	r := h.run
	r.Name = h.network.known(values.Name.Value)
	r.Open = values.Open.Value && reachable(places)
	r.URLs = urls(places, values.Advertise.Value, optionsFor(values.Interfaces.Value))
	if n := len(r.URLs); n > 0 {
		r.URL = r.URLs[n-1]
	}
	return r
}
