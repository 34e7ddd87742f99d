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
	// forget is how long something stale is told of since it was last heard: long enough to see that it went, and no longer.
	forget = 15 * time.Minute
	// doubt is how long all that is known lives on after the machine's networks changed, unless it is heard again.
	doubt = 5 * time.Second
)

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
	answers := func(l life, now time.Time) bool { return !l.silent(now) }
	return s.where.silent(now) || s.described.silent(now) || !s.reachable(answers, now)
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
	asked    time.Time           // the last query

	// watched says that somebody looks: then each service is asked every few seconds whether it is there still. Caches on one
	// network do so at different moments, by their spread: one asks, and all of them hear the answer.
	watched bool
	spread  time.Duration
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

// The ranks of addresses: those that work without more knowledge come first.
const (
	oldStyle = iota // IPv4
	routable        // IPv6
	linkLocal
)

func rank(a netip.Addr) int {
	switch {
	case a.Is4():
		return oldStyle
	case a.IsLinkLocalUnicast():
		return linkLocal
	default:
		return routable
	}
}
