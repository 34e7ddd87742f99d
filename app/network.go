package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hearth/discovery"
	"hearth/relay/console"
)

// network announces the relay on the local network and looks for others there.
type network struct {
	id      string // the relay's
	folder  string // where what is remembered lies
	log     *slog.Logger
	changed chan struct{} // a pulse after anything changed
	ctx     context.Context
	stop    context.CancelFunc
	passing sync.WaitGroup
	names   atomic.Pointer[[]string] // under which the relay may be asked

	mu         sync.Mutex
	interfaces []string // as the owner named them
	why        string   // why nothing is announced, while there is no announcer
	announcer  *discovery.Announcer
	forget     context.CancelFunc // stops listening to the announcer
	past       past
	last       announcedFile
	browser    *discovery.Browser // nil until someone looks
	unlook     context.CancelFunc // ends the browser
	trouble    string
}

// newNetwork is the network as a relay with an id sees it, with what it
// remembers in its data folder.
func newNetwork(id, folder string, log *slog.Logger) *network {
	ctx, stop := context.WithCancel(context.Background())
	n := &network{
		id: id, folder: folder, log: log, changed: make(chan struct{}, 1), ctx: ctx, stop: stop,
		why: "The relay does not listen yet.",
	}
	var err error
	if n.last, err = readAnnounced(folder); err != nil {
		log.Warn("the relay may get another name on the network than before", "error", err)
	}
	n.names.Store(&[]string{discovery.HostName(id)})
	return n
}

// hosts are the names and addresses under which the relay is announced, beside
// the machine's own.
func (n *network) hosts() []string { return *n.names.Load() }

// announce announces the relay, or tells what changed of it.
func (n *network) announce(a announcing) {
	n.names.Store(new(append([]string{discovery.HostName(n.id)}, a.advertise...)))
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(a.interfaces, n.interfaces) {
		n.silence()
		if n.browser != nil {
			n.unlook()
			n.browser = nil // it begins anew when someone looks
		}
		n.interfaces = slices.Clone(a.interfaces)
	}
	a.before = n.last.Instance
	if n.announcer != nil {
		n.announcer.Update(a.service(n.id))
		return
	}
	n.announcer = discovery.Announce(a.service(n.id), n.options())
	ctx, forget := context.WithCancel(n.ctx)
	n.forget = forget
	n.pass(ctx, n.announcer.Changes(), n.note)
}

// note keeps in mind which addresses were announced before, and under which
// name.
func (n *network) note() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.past.note(n.announced().Announced, time.Now())
	name, instance := n.standing()
	if instance == "" || instance == n.last.Instance || n.last.Instance == "" && instance == name {
		return // the file says so, or would say nothing
	}
	n.last.Instance = instance
	if err := n.last.write(n.folder); err != nil {
		n.log.Warn("the relay may get another name on the network once it is started anew", "error", err)
	}
}

// standing returns the relay's name that is announced, and the one under which
// the network knows it; both are empty while it is not announced. n.mu is held.
func (n *network) standing() (name, instance string) {
	if n.announcer == nil {
		return "", ""
	}
	for _, a := range n.announcer.Status().Announced {
		return a.Name, a.Instance
	}
	return "", ""
}

// known returns the name under which the network knows the relay of a name: that
// one, if no other relay has it.
func (n *network) known(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if announced, instance := n.standing(); announced == name {
		return instance
	}
	return name
}

// options say where to announce and to look. n.mu is held.
func (n *network) options() discovery.Options {
	o := optionsFor(n.interfaces)
	o.Logger = n.log
	return o
}

// quiet says goodbye on the network; why is told to whoever asks.
func (n *network) quiet(why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.why = why
	n.past = past{} // nobody was told of this
	n.silence()
}

// silence says goodbye, if anything is announced. n.mu is held.
func (n *network) silence() {
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
	around := n.announced()
	n.look()
	around.Trouble = n.trouble
	if n.browser != nil {
		around.Found = relaysOf(n.browser.Found(), n.id)
	}
	return around
}

// networkState is what the self-test starts from.
type networkState struct {
	around  console.Neighbourhood // without relays
	past    []string              // addresses of before, the last first
	options discovery.Options
}

func (n *network) state() networkState {
	n.mu.Lock()
	defer n.mu.Unlock()
	return networkState{n.announced(), n.past.addresses(), n.options()}
}

// announced says how the relay is announced. n.mu is held.
func (n *network) announced() console.Neighbourhood {
	around := console.Neighbourhood{Quiet: n.why}
	if n.announcer == nil {
		return around
	}
	status := n.announcer.Status()
	around.Quiet = status.Quiet
	for _, a := range status.Announced {
		announcement := console.Announcement{Interface: a.Interface, Instance: a.Instance}
		for _, addr := range a.Addresses {
			announcement.Addresses = append(announcement.Addresses, addr.String())
		}
		around.Announced = append(around.Announced, announcement)
	}
	for _, u := range status.Unused {
		around.Unused = append(around.Unused, console.UnusedInterface(u))
	}
	return around
}

// look begins to look for relays, if it has not. n.mu is held.
func (n *network) look() {
	if n.browser != nil || n.ctx.Err() != nil {
		return
	}
	ctx, unlook := context.WithCancel(n.ctx)
	browser, err := discovery.Browse(ctx, serviceType, n.options())
	if err != nil {
		unlook()
		n.trouble = "Other relays cannot be looked for: " + err.Error() + "."
		return
	}
	n.browser, n.unlook, n.trouble = browser, unlook, ""
	n.pass(ctx, browser.Changes(), func() {})
}

// pass passes on pulses until ctx ends, after it has done what else there is to
// do about each.
func (n *network) pass(ctx context.Context, from <-chan struct{}, do func()) {
	n.passing.Go(func() {
		for {
			select {
			case <-from:
				do()
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
	n.passing.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.browser != nil {
		n.browser.Close()
	}
}
