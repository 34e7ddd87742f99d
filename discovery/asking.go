package discovery

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	// mostQuestions and longestQuery keep a query in one packet of 1,500 bytes; what is left out comes with the next.
	mostQuestions = 16
	longestQuery  = 1300
	// queryGap is between such packets: a network full of services is asked bit by bit.
	queryGap = 200 * time.Millisecond
	// together is how much before its time something is asked for along with what is due, so that services heard of at different
	// moments soon share a packet.
	together = checkEvery / 2
)

// check is when to ask the service whether it is there still; not ok when that is not to be done.
func (c *cache) check(s *service) (at time.Time, ok bool) {
	if !c.watched {
		return s.where.fade()
	}
	return s.where.check(c.spread)
}

// next is when something of the cache changes by itself: a record is over, silent, or has to be asked for again. Zero for never.
func (c *cache) next(now time.Time) (next time.Time) {
	soonest := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	query := func(at time.Time, ok bool) {
		if free := c.asked.Add(queryGap); ok && at.Before(free) {
			at = free
		}
		if ok {
			soonest(at)
		}
	}
	for l := range c.lives() {
		if !l.alive(now) {
			continue
		}
		soonest(l.until)
		if silent := l.answered(); l.asked >= inVain && silent.After(now) {
			soonest(silent)
		}
		query(l.fade())
	}
	for _, s := range c.services {
		if s.where.alive(now) {
			query(c.check(s))
		}
	}
	return next
}

// query asks for what is missing, fading or to be checked. A full one also asks who is there; it is nil where there is nothing to
// ask, or it is too soon.
func (c *cache) query(full bool, now time.Time) *dns.Msg {
	if !full && now.Before(c.asked.Add(queryGap)) {
		return nil
	}
	m := new(dns.Msg)
	ask := func(name string, types ...uint16) bool {
		if len(m.Question)+len(types) > mostQuestions {
			return false
		}
		for _, t := range types {
			m.Question = append(m.Question, dns.Question{Name: name, Qtype: t, Qclass: dns.ClassINET})
		}
		return true
	}
	fades := func(l *life) bool {
		at, ok := l.fade()
		return ok && l.alive(now) && !now.Before(at)
	}
	by := now
	for _, s := range c.services {
		full = full || fades(&s.listed)
		if at, ok := c.check(s); ok && s.where.alive(now) && !now.Before(at) {
			by = now.Add(together)
		}
	}
	if full {
		ask(c.typ, dns.TypePTR)
	}
	for _, key := range slices.Sorted(maps.Keys(c.services)) {
		s := c.services[key]
		if full && fades(&s.listed) {
			s.listed.ask(now)
		}
		at, ok := c.check(s)
		if (ok && s.where.alive(now) && !by.Before(at) || full && s.where.silent(now)) && ask(s.name, dns.TypeSRV) {
			s.where.ask(now)
		}
		if (fades(&s.described) || full && !s.described.alive(now)) && ask(s.name, dns.TypeTXT) {
			s.described.ask(now)
		}
		old := slices.DeleteFunc(slices.Collect(maps.Values(s.addresses)), func(l *life) bool { return !fades(l) })
		if (len(old) > 0 || full && s.host != "" && !s.reachable(life.alive, now)) && ask(s.host, dns.TypeA, dns.TypeAAAA) {
			for _, l := range old {
				l.ask(now)
			}
		}
	}
	if len(m.Question) == 0 {
		return nil
	}
	c.asked = now
	if full {
		c.tell(m, now)
	}
	return m
}

// overhear learns from a question that another put to everybody: what the answer to it shows need not be asked again (RFC 6762,
// section 7.3), and that there is none tells as much as if it had been asked from here (section 10.5).
func (c *cache) overhear(m *dns.Msg, now time.Time) {
	for _, q := range m.Question {
		s := c.services[dns.CanonicalName(q.Name)]
		if s == nil || q.Qclass != dns.ClassINET || q.Qtype != dns.TypeSRV && q.Qtype != dns.TypeANY {
			continue // a set bit in the class asks for an answer that is not for everybody
		}
		told := func(rr dns.RR) bool {
			return rr.Header().Rrtype == dns.TypeSRV && strings.EqualFold(rr.Header().Name, q.Name)
		}
		if !slices.ContainsFunc(m.Answer, told) {
			s.where.overhear(now)
		}
	}
}

// tell adds which instances are known, so that they need not answer (RFC 6762, section 7.1). Those in doubt are left out: their
// remaining life is short.
func (c *cache) tell(m *dns.Msg, now time.Time) {
	for _, s := range c.services {
		if left := s.listed.until.Sub(now); s.fresh(now) && !s.stale(now) && left > s.listed.ttl/2 && m.Len() < longestQuery {
			m.Answer = append(m.Answer, &dns.PTR{
				Hdr: dns.RR_Header{Name: c.typ, Rrtype: dns.TypePTR, Class: dns.ClassINET, Ttl: uint32(left / time.Second)},
				Ptr: s.name,
			})
		}
	}
}
