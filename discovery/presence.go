package discovery

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
)

const (
	// A name is looked for this often, in this rhythm, before it is taken for free on a link: about a second in all (RFC 6762,
	// section 8.1, asks for three times).
	probes     = 4
	probeEvery = 250 * time.Millisecond
	// Announced this often, each pause twice the one before (RFC 6762, section 8.3): a lossy Wi-Fi swallows some.
	announcements = 3
	announcePause = time.Second
	// retry is how soon to try again to send what could not be sent: a link that just came up often refuses the first packets.
	retry = time.Second
	// Answers that others may give too wait for a moment between these, so that not all speak at once (RFC 6762, section 6).
	leastDelay, mostDelay = 20 * time.Millisecond, 120 * time.Millisecond
	// repeat is how soon the same records may be multicast again on a link (RFC 6762, section 6): a flood of questions gets
	// one answer a second.
	repeat = time.Second
	// urgentRepeat is the same for answers to somebody who probes for the name.
	urgentRepeat = 250 * time.Millisecond
)

// A presence is the service on one link: first it looks whether the name is free there, then announces, then answers.
type presence struct {
	conn    *conn
	probed  int
	said    int                 // announcements that went out
	next    time.Time           // of the next probe or announcement; zero when all are done
	told    []netip.Addr        // the addresses announced last, to be taken back when they are not true any more
	asked   kinds               // the answer that is due
	due     time.Time           // zero when none is
	urgent  bool                // somebody is about to take the name
	sent    map[kinds]time.Time // when each kind was last multicast
	problem error               // why nothing could be sent
}

func newPresence(c *conn, now time.Time) *presence {
	return &presence{conn: c, next: now, sent: make(map[kinds]time.Time)}
}

// follow takes over from the presence that the link had before it changed. A link that kept an address is on the same network:
// there the name is known to be free.
func (p *presence) follow(was *presence) {
	p.told = was.told
	if was.standing() && p.conn.link.any(was.conn.link.owns) {
		p.probed, p.said = probes, 1
	}
}

// standing tells whether the service is announced on the link.
func (p *presence) standing() bool { return p.said > 0 }

// restart begins anew with another name.
func (p *presence) restart(now time.Time) {
	p.probed, p.said, p.next = 0, 0, now
	p.asked, p.due, p.urgent = nothing, time.Time{}, false
	clear(p.sent)
}

// again announces once more, as after a change of what is said.
func (p *presence) again(now time.Time) {
	if p.standing() {
		p.said, p.next = 1, now
	}
}

// insist says that the name is taken, soon and once more later: who has just heard the other one's data keeps them beside these
// until they are old enough to be flushed.
func (p *presence) insist(now time.Time) {
	p.answer(kindName|kindWhere|kindText, false, now)
	p.said = min(p.said, announcements-2)
	if p.next.IsZero() {
		p.next = now.Add(2 * grace)
	}
}

// goodbye takes back what was announced. Of a name that is not won yet nothing is: it may be another's.
func (p *presence) goodbye(z *zone) error {
	what := kindHost
	if p.standing() {
		what = ours
	}
	if len(p.told) == 0 {
		return nil
	}
	err := p.conn.send(z.goodbye(what, p.told))
	p.told = nil
	return err
}

// step sends what is due.
func (p *presence) step(z *zone, now time.Time) {
	if !p.next.IsZero() && !now.Before(p.next) {
		p.proceed(z, now)
	}
	if !p.due.IsZero() && !now.Before(p.due) {
		p.respond(z, now)
	}
}

// respond multicasts what was asked for, but nothing so soon again; that stays due.
func (p *presence) respond(z *zone, now time.Time) {
	pause := repeat
	if p.urgent {
		pause = urgentRepeat
	}
	ready, later := nothing, time.Time{}
	for k := kindType; k <= kindHost; k <<= 1 {
		free := p.sent[k].Add(pause)
		switch {
		case p.asked&k == 0:
		case !free.After(now):
			ready |= k
		case later.IsZero() || free.Before(later):
			later = free
		}
	}
	if ready != nothing {
		p.multicast(z.response(ready, z.addresses(p.conn.link)), ready, now)
	}
	p.asked &^= ready
	p.due, p.urgent = later, p.urgent && !later.IsZero()
}

func (p *presence) proceed(z *zone, now time.Time) {
	addresses := z.addresses(p.conn.link)
	if p.probed < probes {
		if p.multicast(z.probe(addresses), nothing, now) {
			p.probed++
			p.next = now.Add(probeEvery)
		}
		return
	}
	m := z.response(everything, addresses)
	lost := slices.DeleteFunc(slices.Clone(p.told), func(a netip.Addr) bool { return slices.Contains(addresses, a) })
	m.Answer = append(m.Answer, z.goodbye(kindHost, lost).Answer...)
	if !p.multicast(m, everything, now) {
		return
	}
	p.told = addresses
	if p.said++; p.said >= announcements {
		p.next = time.Time{}
	} else {
		p.next = now.Add(announcePause << (p.said - 1))
	}
}

// multicast sends and remembers; when that fails, whatever comes next is put off.
func (p *presence) multicast(m *dns.Msg, what kinds, now time.Time) bool {
	if p.problem = p.conn.send(m); p.problem != nil {
		p.problem = fmt.Errorf("the network takes no multicast: %w", p.problem)
		if !p.next.IsZero() {
			p.next = now.Add(retry)
		}
		return false
	}
	for k := kindType; k <= kindHost; k <<= 1 {
		if what&k != 0 {
			p.sent[k] = now
		}
	}
	return true
}

// answer has the kinds wanted multicast: soon, or at once for somebody who is about to take the name.
func (p *presence) answer(want kinds, urgent bool, now time.Time) {
	if want == nothing || !p.standing() {
		return
	}
	at := now
	if want&(kindType|kindName) != 0 && !urgent {
		at = at.Add(leastDelay + rand.N(mostDelay-leastDelay))
	}
	p.asked |= want
	p.urgent = p.urgent || urgent
	if p.due.IsZero() || at.Before(p.due) {
		p.due = at
	}
}

// wake is when step has something to do; zero for never.
func (p *presence) wake() time.Time {
	if p.due.IsZero() || !p.next.IsZero() && p.next.Before(p.due) {
		return p.next
	}
	return p.due
}
