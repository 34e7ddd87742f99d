package discovery

import (
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// An Announcer keeps one service announced. Its methods may be called from any goroutine.
type Announcer struct {
	updates chan Service
	quit    chan struct{}
	done    chan struct{}
	changes chan struct{}
	stop    sync.Once
	err     error // of the goodbyes; read after done

	mu     sync.Mutex
	status Status
}

// Announce keeps the service announced until Close, following the machine's networks: it waits for a link where there is none,
// announces anew within seconds when interfaces or addresses change or the machine slept, and takes another name where a
// service with another id has it. Where the service itself cannot be announced, Status says why.
func Announce(s Service, o Options) *Announcer {
	s.TXT, s.Addresses = slices.Clone(s.TXT), slices.Clone(s.Addresses)
	a := &Announcer{
		updates: make(chan Service),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		changes: make(chan struct{}, 1),
		status:  Status{Quiet: "Not announced yet."},
	}
	go func() {
		defer close(a.done)
		r := &responder{network: newNetwork(o), presences: make(map[*conn]*presence), publish: a.publish}
		r.update(s, time.Now())
		a.err = r.run(a.updates, a.quit)
		a.publish(Status{Quiet: "Not announced any more."})
	}()
	return a
}

// Status tells what is announced now, or why nothing is.
func (a *Announcer) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// Changes has a pulse after the status changed.
func (a *Announcer) Changes() <-chan struct{} { return a.changes }

// Update announces the service as it is now: what is no longer true is taken back first. After Close it does nothing.
func (a *Announcer) Update(s Service) {
	s.TXT, s.Addresses = slices.Clone(s.TXT), slices.Clone(s.Addresses)
	select {
	case a.updates <- s:
	case <-a.done:
	}
}

// Close says goodbye for everything announced and returns when that is sent and nothing of the announcer runs any more. The
// error is of goodbyes that could not be sent; closing again gives the same one.
func (a *Announcer) Close() error {
	a.stop.Do(func() { close(a.quit) })
	<-a.done
	return a.err
}

func (a *Announcer) publish(s Status) {
	a.mu.Lock()
	same := s.Quiet == a.status.Quiet && slices.Equal(s.Unused, a.status.Unused) && slices.EqualFunc(s.Announced, a.status.Announced, func(x, y Announcement) bool {
		return x.Interface == y.Interface && x.Name == y.Name && x.Instance == y.Instance && slices.Equal(x.Addresses, y.Addresses)
	})
	a.status = s
	a.mu.Unlock()
	if !same {
		pulse(a.changes)
	}
}

// A responder is what an Announcer runs: everything in it belongs to that one goroutine.
type responder struct {
	network   *network
	presences map[*conn]*presence
	service   Service
	label     int   // which of the service's labels it has
	zone      *zone // nil when the service cannot be announced
	problem   error // why not
	publish   func(Status)
}

func (r *responder) run(updates <-chan Service, quit <-chan struct{}) error {
	defer r.network.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-quit:
			return r.goodbye()
		case s := <-updates:
			r.update(s, time.Now())
		case p := <-r.network.in:
			r.hear(p, time.Now())
		case <-timer.C:
		}
		now := time.Now()
		r.follow(now)
		wake := r.network.next
		for _, p := range r.presences {
			if !r.there(p) {
				continue
			}
			p.step(r.zone, now)
			if w := p.wake(); !w.IsZero() && w.Before(wake) {
				wake = w
			}
		}
		r.publish(r.status())
		timer.Reset(time.Until(wake))
	}
}

// follow gives each link that came a presence, and takes it from each that went. The others announce once more and take back what
// went: two cards may be in one network, where the addresses heard last count, and those may be the other card's.
func (r *responder) follow(now time.Time) {
	changes := r.network.follow(now)
	if len(changes) == 0 {
		return
	}
	var gone []netip.Addr
	for _, c := range changes {
		was := r.presences[c.was]
		delete(r.presences, c.was)
		if was != nil {
			gone = append(gone, was.told...)
		}
		if c.is == nil {
			continue
		}
		p := newPresence(c.is, now)
		if was != nil {
			p.follow(was)
		}
		r.presences[c.is] = p
	}
	gone = slices.DeleteFunc(gone, r.owns)
	for _, p := range r.presences {
		if p.standing() {
			p.told = slices.Concat(p.told, gone)
			p.again(now)
		}
	}
}

// owns tells whether an address is this machine's still.
func (r *responder) owns(a netip.Addr) bool {
	for _, c := range r.network.conns {
		if c.link.owns(a) {
			return true
		}
	}
	return false
}

// update makes the service what is announced. A name given up is taken back.
func (r *responder) update(s Service, now time.Time) {
	old := r.zone
	if s.Name != r.service.Name || s.ID != r.service.ID || s.Type != r.service.Type {
		r.label = s.first()
	}
	zone, err := s.zone(r.label)
	if old != nil && (zone == nil || zone.instance != old.instance || zone.host != old.host) {
		if err := r.goodbye(); err != nil {
			r.network.log.Debug("name not taken back", "name", old.label, "error", err)
		}
		for _, p := range r.presences {
			p.restart(now)
		}
	}
	r.service, r.zone, r.problem = s, zone, err
	for _, p := range r.presences {
		if p.standing() && !r.there(p) {
			if err := p.goodbye(r.zone); err != nil {
				r.network.log.Debug("service not taken back", "interface", p.conn.link.name, "error", err)
			}
			p.restart(now)
		}
		p.again(now)
	}
}

func (r *responder) goodbye() error {
	var failed []error
	for _, p := range r.presences {
		failed = append(failed, p.goodbye(r.zone))
	}
	return errors.Join(failed...)
}

// hear answers questions and notices others that have or want the same name.
func (r *responder) hear(in packet, now time.Time) {
	p := r.presences[in.conn]
	if p == nil || !r.there(p) {
		return // came in before the link changed, or the service is not there
	}
	if in.msg.Response {
		if id, found := r.zone.rival(slices.Concat(in.msg.Answer, in.msg.Extra)); found {
			r.contest(p, id, now)
		}
		return
	}
	// A query with records of its own is a probe by somebody who wants the name.
	id, probed := r.zone.rival(in.msg.Ns)
	if probed && !p.standing() && id < r.zone.id {
		r.rename(now) // both look at the same time: one has to give way (RFC 6762, section 8.2)
		return
	}
	addresses := r.zone.addresses(in.conn.link)
	want := r.zone.wanted(in.msg, addresses)
	if in.from.Port() == port {
		p.answer(want, probed, now)
	} else if want != nothing && p.standing() {
		if err := in.conn.reply(legacy(r.zone.response(want, addresses), in.msg), in.from); err != nil {
			r.network.log.Debug("answer not sent", "to", in.from, "error", err)
		}
	}
}

// contest settles that another has the same name. Who comes later gives way; of two that both have it already, as when two
// networks become one, the one with the greater id.
func (r *responder) contest(p *presence, id string, now time.Time) {
	if p.standing() && id != "" && id > r.zone.id {
		p.insist(now)
		return
	}
	r.rename(now)
}

// rename takes the next label. There is no goodbye: it would take the name from the one that keeps it.
func (r *responder) rename(now time.Time) {
	if r.label+1 == len(r.service.labels()) {
		return // nobody has all of them by chance: whoever does will not be outrun
	}
	r.label++
	r.network.log.Info("the name is taken on this network", "name", r.zone.label)
	r.zone, r.problem = r.service.zone(r.label)
	for _, p := range r.presences {
		p.restart(now)
	}
}

func (r *responder) status() Status {
	if r.zone == nil {
		return Status{Quiet: sentence(r.problem)}
	}
	s := Status{Unused: slices.Clone(r.network.unused)}
	var problem error
	silent := 0
	for _, p := range r.presences {
		problem = cmp.Or(problem, p.problem)
		switch name := p.conn.link.name; {
		case !r.there(p):
			silent++
			s.Unused = append(s.Unused, Unused{name, "nothing listens at its addresses"})
		case p.standing():
			s.Announced = append(s.Announced, Announcement{
				Interface: name, Addresses: r.zone.addresses(p.conn.link), Name: r.service.Name, Instance: r.zone.label,
			})
		case p.problem != nil:
			s.Unused = append(s.Unused, Unused{name, p.problem.Error()})
		}
	}
	slices.SortFunc(s.Announced, func(x, y Announcement) int { return cmp.Compare(x.Interface, y.Interface) })
	slices.SortStableFunc(s.Unused, func(x, y Unused) int { return cmp.Compare(x.Interface, y.Interface) })
	switch {
	case len(s.Announced) > 0:
	case len(r.presences) == 0 && r.network.problem != nil:
		s.Quiet = sentence(r.network.problem)
	case problem != nil:
		s.Quiet = sentence(problem)
	case silent == len(r.presences):
		s.Quiet = "The address where the service listens is on none of the networks of this machine."
	default:
		s.Quiet = "Making sure that nobody else has the name."
	}
	return s
}

// there tells whether there is something to announce on a link.
func (r *responder) there(p *presence) bool {
	return r.zone != nil && len(r.zone.addresses(p.conn.link)) > 0
}

// sentence makes an error readable in a window.
func sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.ToUpper(text[:1]) + strings.ReplaceAll(text[1:], "\n", "; ") + "."
}
