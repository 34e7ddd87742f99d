package discovery

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	// mostServices and mostHostAddresses bound what a hostile network can make the cache hold.
	mostServices      = 256
	mostHostAddresses = 16
	// longestTTL, in seconds, bounds how long something can be shown that never said goodbye.
	longestTTL = otherTTL
	// grace is how long a record lives on after its goodbye, so that another owner can speak up (RFC 6762, section 10.1), and how
	// old one must be for a flush to mean it (section 10.2).
	grace = time.Second
	// inVain is how often something fading is asked for in vain before what is known of it counts as stale: one packet gets
	// lost easily.
	inVain = 2
	// forget is how long something stale is told of since it was last heard: long enough to see that it went, and no longer.
	forget = 15 * time.Minute
	// doubt is how long all that is known lives on after the machine's networks changed, unless it is heard again.
	doubt = 5 * time.Second
	// mostQuestions and longestQuery keep a query in one packet of 1,500 bytes; what is left out comes with the next.
	mostQuestions = 16
	longestQuery  = 1300
)

// A life is how long a record counts.
type life struct {
	got   time.Time
	ttl   time.Duration
	until time.Time
	asked int  // how often it was asked for again since got
	taken bool // back, or otherwise ended before its time
}

func (l life) alive(now time.Time) bool { return now.Before(l.until) }

// known tells whether a record was heard and not taken back, though its time may be over.
func (l life) known(now time.Time) bool { return !l.got.IsZero() && (l.alive(now) || !l.taken) }

// stale tells whether a record was asked for again in vain.
func (l life) stale(now time.Time) bool { return !l.alive(now) || l.asked >= inVain }

// renew starts a life, or with ttl 0 ends it soon.
func (l *life) renew(ttl uint32, now time.Time) {
	if ttl == 0 {
		l.end(now.Add(grace))
		return
	}
	*l = life{got: now, ttl: time.Duration(min(ttl, longestTTL)) * time.Second}
	l.until = now.Add(l.ttl)
}

func (l *life) end(at time.Time) {
	if l.until.After(at) {
		l.until, l.taken = at, true
	}
}

// fade is when to ask for the record again: at 80, 85, 90 and 95 % of its life (RFC 6762, section 5.2). Not ok when that is over.
func (l life) fade() (at time.Time, ok bool) {
	at = l.got.Add(l.ttl * time.Duration(80+5*l.asked) / 100)
	return at, l.asked < 4 && at.Before(l.until)
}

// A service is what is known of one instance.
type service struct {
	name      string // full, as it was spelled
	label     string
	listed    life // PTR
	where     life // SRV
	described life // TXT
	host      string
	hostKey   string // host, canonical
	port      int
	txt       map[string]string
	seen      time.Time
	addresses map[netip.Addr]*life
	wanting   bool // take told that something lacks
}

// fresh tells whether everything is known of the service and nothing is over.
func (s *service) fresh(now time.Time) bool {
	return s.where.alive(now) && s.described.alive(now) && s.reachable(life.alive, now)
}

// stale tells whether the service does not answer any more.
func (s *service) stale(now time.Time) bool {
	silent := func(l life, now time.Time) bool { return !l.stale(now) }
	return s.where.stale(now) || s.described.stale(now) || !s.reachable(silent, now)
}

// complete tells whether everything is known of the service, be it of late or not.
func (s *service) complete(now time.Time) bool {
	return s.where.known(now) && s.described.known(now) && s.reachable(life.known, now)
}

// reachable tells whether the service has an address of which that is true.
func (s *service) reachable(is func(life, time.Time) bool, now time.Time) bool {
	for _, l := range s.addresses {
		if is(*l, now) {
			return true
		}
	}
	return false
}

// A cache is what was heard on one link of the services of one type: on another link the same name may be another's, and the same
// host may have other addresses (RFC 6762, section 14). It keeps no clock: the caller says what time it is.
type cache struct {
	typ      string              // full
	link     string              // its name
	services map[string]*service // by canonical full name
}

func newCache(typ, link string) *cache {
	return &cache{typ: typ, link: link, services: make(map[string]*service)}
}

// take learns from a response. It tells, once, when a service is new or otherwise lacks something now.
func (c *cache) take(m *dns.Msg, now time.Time) (curious bool) {
	rrs := slices.Concat(m.Answer, m.Extra)
	for _, rr := range rrs {
		if ptr, ok := rr.(*dns.PTR); ok && strings.EqualFold(ptr.Hdr.Name, c.typ) {
			c.list(ptr, now)
		}
	}
	for _, rr := range rrs {
		s := c.services[dns.CanonicalName(rr.Header().Name)]
		if s == nil {
			continue
		}
		switch rr := rr.(type) {
		case *dns.SRV:
			s.seen = now
			s.where.renew(rr.Hdr.Ttl, now)
			if rr.Hdr.Ttl > 0 {
				key := dns.CanonicalName(rr.Target)
				if s.hostKey != key {
					s.addresses = make(map[netip.Addr]*life)
				}
				s.host, s.hostKey, s.port = rr.Target, key, int(rr.Port)
			}
		case *dns.TXT:
			s.seen = now
			s.described.renew(rr.Hdr.Ttl, now)
			if rr.Hdr.Ttl > 0 {
				s.txt = pairs(rr.Txt)
			}
		}
	}
	hosts := make(map[string][]dns.RR)
	for _, rr := range rrs {
		if t := rr.Header().Rrtype; t == dns.TypeA || t == dns.TypeAAAA {
			key := dns.CanonicalName(rr.Header().Name)
			hosts[key] = append(hosts[key], rr)
		}
	}
	for _, s := range c.services {
		s.locate(hosts[s.hostKey], now)
		lacks := s.listed.alive(now) && !s.fresh(now)
		curious = curious || lacks && !s.wanting
		s.wanting = lacks
	}
	return curious
}

// list learns that an instance is there or goes.
func (c *cache) list(ptr *dns.PTR, now time.Time) {
	key := dns.CanonicalName(ptr.Ptr)
	s := c.services[key]
	if s == nil {
		label, ok := instanceLabel(ptr.Ptr, c.typ)
		if !ok || ptr.Hdr.Ttl == 0 || len(c.services) == mostServices {
			return
		}
		s = &service{name: ptr.Ptr, label: label, addresses: make(map[netip.Addr]*life)}
		c.services[key] = s
	}
	s.seen = now
	s.listed.renew(ptr.Hdr.Ttl, now)
}

// locate learns from the address records of the service's host.
func (s *service) locate(rrs []dns.RR, now time.Time) {
	flushed4, flushed6 := false, false
	for _, rr := range rrs {
		var a netip.Addr
		var ok bool
		switch rr := rr.(type) {
		case *dns.A:
			a, ok = netip.AddrFromSlice(rr.A)
			a = a.Unmap()
			flushed4 = flushed4 || rr.Hdr.Class&flush != 0
		case *dns.AAAA:
			a, ok = netip.AddrFromSlice(rr.AAAA)
			flushed6 = flushed6 || rr.Hdr.Class&flush != 0
		}
		if !ok || a.IsUnspecified() || a.IsMulticast() {
			continue
		}
		l := s.addresses[a]
		if l == nil {
			if rr.Header().Ttl == 0 || len(s.addresses) == mostHostAddresses {
				continue
			}
			l = new(life)
			s.addresses[a] = l
		}
		l.renew(rr.Header().Ttl, now)
		s.seen = now
	}
	for a, l := range s.addresses {
		if (a.Is4() && flushed4 || a.Is6() && flushed6) && l.got.Before(now.Add(-grace)) {
			l.end(now.Add(grace))
		}
	}
}

// expire forgets what is over.
func (c *cache) expire(now time.Time) {
	maps.DeleteFunc(c.services, func(_ string, s *service) bool {
		fresh := s.reachable(life.alive, now)
		maps.DeleteFunc(s.addresses, func(_ netip.Addr, l *life) bool { return !l.known(now) || fresh && !l.alive(now) })
		return !s.listed.alive(now) || s.seen.Before(now.Add(-forget)) && s.stale(now)
	})
}

// question everything: the link changed, and what does not answer again is gone.
func (c *cache) question(now time.Time) {
	for l := range c.lives() {
		l.end(now.Add(doubt))
	}
}

// lives are those of all records.
func (c *cache) lives() func(yield func(*life) bool) {
	return func(yield func(*life) bool) {
		for _, s := range c.services {
			if !yield(&s.listed) || !yield(&s.where) || !yield(&s.described) {
				return
			}
			for _, l := range s.addresses {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// next is when something of the cache changes by itself: a record is over or has to be asked for again. Zero for never.
func (c *cache) next(now time.Time) (at time.Time) {
	for l := range c.lives() {
		if !l.alive(now) {
			continue
		}
		soonest := l.until
		if fade, ok := l.fade(); ok {
			soonest = fade
		}
		if at.IsZero() || soonest.Before(at) {
			at = soonest
		}
	}
	return at
}

// query asks for what is missing or fading. A full one also asks who is there; it is nil where there is nothing to ask.
func (c *cache) query(full bool, now time.Time) *dns.Msg {
	m := new(dns.Msg)
	ask := func(name string, types ...uint16) {
		for _, t := range types {
			if len(m.Question) < mostQuestions {
				m.Question = append(m.Question, dns.Question{Name: name, Qtype: t, Qclass: dns.ClassINET})
			}
		}
	}
	fading := func(l *life) bool {
		at, ok := l.fade()
		if ok = ok && l.alive(now) && !now.Before(at); ok {
			l.asked++
		}
		return ok
	}
	if full {
		ask(c.typ, dns.TypePTR)
	}
	for _, key := range slices.Sorted(maps.Keys(c.services)) {
		s := c.services[key]
		if fading(&s.listed) && !full {
			full = true
			ask(c.typ, dns.TypePTR)
		}
		if fading(&s.where) || full && !s.where.alive(now) {
			ask(s.name, dns.TypeSRV)
		}
		if fading(&s.described) || full && !s.described.alive(now) {
			ask(s.name, dns.TypeTXT)
		}
		old := false
		for _, l := range s.addresses {
			old = fading(l) || old
		}
		if old || full && s.host != "" && !s.reachable(life.alive, now) {
			ask(s.host, dns.TypeA, dns.TypeAAAA)
		}
	}
	if len(m.Question) == 0 {
		return nil
	}
	if full {
		c.tell(m, now)
	}
	return m
}

// tell adds which instances are known, so that they need not answer (RFC 6762, section 7.1). Those in doubt are left out: their
// remaining life is short.
func (c *cache) tell(m *dns.Msg, now time.Time) {
	for _, s := range c.services {
		if left := s.listed.until.Sub(now); s.fresh(now) && left > s.listed.ttl/2 && m.Len() < longestQuery {
			m.Answer = append(m.Answer, &dns.PTR{
				Hdr: dns.RR_Header{Name: c.typ, Rrtype: dns.TypePTR, Class: dns.ClassINET, Ttl: uint32(left / time.Second)},
				Ptr: s.name,
			})
		}
	}
}

// found are the services of which everything is known, in no order.
func (c *cache) found(now time.Time) []Found {
	var all []Found
	for _, s := range c.services {
		if !s.listed.alive(now) || !s.complete(now) {
			continue
		}
		f := Found{
			Instance: s.label, Host: clean(strings.TrimSuffix(unescape(s.host), "."), 255), Port: s.port, TXT: maps.Clone(s.txt), SeenAt: s.seen,
			Stale: s.stale(now),
		}
		fresh := s.reachable(life.alive, now)
		for a, l := range s.addresses {
			if !l.known(now) || fresh && !l.alive(now) {
				continue
			}
			if a.Is6() && a.IsLinkLocalUnicast() {
				a = a.WithZone(c.link)
			}
			f.Addresses = append(f.Addresses, a)
		}
		all = append(all, f)
	}
	return all
}

// merge makes one of what was heard of the same service on several links, and puts all in order.
func merge(all []Found) []Found {
	slices.SortFunc(all, func(x, y Found) int {
		return cmp.Or(cmp.Compare(x.Instance, y.Instance), cmp.Compare(x.Host, y.Host), cmp.Compare(x.Port, y.Port), y.SeenAt.Compare(x.SeenAt))
	})
	var merged []Found
	for _, f := range all {
		if n := len(merged) - 1; n >= 0 && merged[n].Instance == f.Instance && merged[n].Host == f.Host && merged[n].Port == f.Port {
			if merged[n].Stale == f.Stale { // else one of them knows better
				merged[n].Addresses = append(merged[n].Addresses, f.Addresses...)
			} else if merged[n].Stale {
				merged[n] = f
			}
			continue
		}
		merged = append(merged, f)
	}
	for _, f := range merged {
		slices.SortFunc(f.Addresses, func(x, y netip.Addr) int {
			return cmp.Or(cmp.Compare(rank(x), rank(y)), x.Compare(y))
		})
	}
	for i := range merged {
		merged[i].Addresses = slices.Compact(merged[i].Addresses)
	}
	return merged
}

// rank puts addresses that work without more knowledge first.
func rank(a netip.Addr) int {
	switch {
	case a.Is4():
		return 0
	case a.IsLinkLocalUnicast():
		return 2
	default:
		return 1
	}
}
