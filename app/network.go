package main

import (
	"context"
	"log/slog"
	"sync"

	"hearth/discovery"
	"hearth/relay/console"
)

// network announces the relay on the local network and looks for others there.
type network struct {
	id      string // the relay's
	log     *slog.Logger
	changed chan struct{} // a pulse after anything changed
	ctx     context.Context
	stop    context.CancelFunc
	passing sync.WaitGroup

	mu        sync.Mutex
	why       string // why nothing is announced, while there is no announcer
	announcer *discovery.Announcer
	forget    context.CancelFunc // stops listening to the announcer
	browser   *discovery.Browser // nil until someone looks
	trouble   string
}

func newNetwork(id string, log *slog.Logger) *network {
	ctx, stop := context.WithCancel(context.Background())
	return &network{
		id: id, log: log, changed: make(chan struct{}, 1), ctx: ctx, stop: stop,
		why: "The relay does not listen yet.",
	}
}

// announce announces the relay under a name and a port, or tells what changed
// of them.
func (n *network) announce(name string, port int) {
	s := discovery.Service{
		Type: serviceType, Name: name, ID: n.id, Port: port,
		TXT: []string{"v=1", txtID + "=" + n.id, txtName + "=" + name, txtKey + "=" + txtNoKey},
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.announcer != nil {
		n.announcer.Update(s)
		return
	}
	n.announcer = discovery.Announce(s, discovery.Options{Logger: n.log})
	ctx, forget := context.WithCancel(n.ctx)
	n.forget = forget
	n.pass(ctx, n.announcer.Changes())
}

// quiet says goodbye on the network; why is told to whoever asks.
func (n *network) quiet(why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.why = why
	if n.announcer == nil {
		return
	}
	n.forget()
	if err := n.announcer.Close(); err != nil {
		n.log.Warn("the network was not told that the relay left it", "error", err)
	}
	n.announcer = nil
	pulse(n.changed)
}

// neighbourhood says how the relay is announced and who else is there. It
// begins to look around when it is called for the first time: a relay that
// nobody looks through sends nothing.
func (n *network) neighbourhood() console.Neighbourhood {
	n.mu.Lock()
	defer n.mu.Unlock()
	around := console.Neighbourhood{Quiet: n.why}
	if n.announcer != nil {
		status := n.announcer.Status()
		around.Quiet = status.Quiet
		for _, a := range status.Announced {
			announcement := console.Announcement{Interface: a.Interface, Instance: a.Instance}
			for _, addr := range a.Addresses {
				announcement.Addresses = append(announcement.Addresses, addr.String())
			}
			around.Announced = append(around.Announced, announcement)
		}
	}
	n.look()
	around.Trouble = n.trouble
	if n.browser != nil {
		around.Found = relaysOf(n.browser.Found(), n.id)
	}
	return around
}

// look begins to look for relays, if it has not. n.mu is held.
func (n *network) look() {
	if n.browser != nil || n.ctx.Err() != nil {
		return
	}
	browser, err := discovery.Browse(n.ctx, serviceType, discovery.Options{Logger: n.log})
	if err != nil {
		n.trouble = "Other relays cannot be looked for: " + err.Error() + "."
		return
	}
	n.browser, n.trouble = browser, ""
	n.pass(n.ctx, browser.Changes())
}

// pass passes on pulses until ctx ends.
func (n *network) pass(ctx context.Context, from <-chan struct{}) {
	n.passing.Go(func() {
		for {
			select {
			case <-from:
				pulse(n.changed)
			case <-ctx.Done():
				return
			}
		}
	})
}

// close says goodbye and stops looking.
func (n *network) close() {
	n.quiet("The relay has stopped.")
	n.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.browser != nil {
		n.browser.Close()
	}
	n.passing.Wait()
}
