package discovery

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

func testZone(t *testing.T) *zone {
	t.Helper()
	z, err := Service{Type: testType, Name: "My Relay", ID: "0123456789abcdef", Port: 2451, TXT: []string{"v=1"}}.zone(0)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

var testAddresses = []netip.Addr{netip.MustParseAddr("10.0.0.1")}

func asked(name string, typ uint16) *dns.Msg {
	return &dns.Msg{Question: []dns.Question{{Name: name, Qtype: typ, Qclass: dns.ClassINET}}}
}

// Promise: each question that resolvers ask is answered, and no other.
func TestWanted(t *testing.T) {
	z := testZone(t)
	for _, c := range []struct {
		name string
		typ  uint16
		want kinds
	}{
		{"_services._dns-sd._udp.local.", dns.TypePTR, kindType},
		{"_hearthtest._tcp.local.", dns.TypePTR, kindName},
		{"_HearthTest._TCP.Local.", dns.TypePTR, kindName},
		{"_hearthtest._tcp.local.", dns.TypeANY, kindName},
		{"_hearthtest._tcp.local.", dns.TypeSRV, nothing},
		{"_http._tcp.local.", dns.TypePTR, nothing},
		{`My\ Relay._hearthtest._tcp.local.`, dns.TypeSRV, kindWhere},
		{`my\ relay._hearthtest._tcp.local.`, dns.TypeTXT, kindText},
		{`My\ Relay._hearthtest._tcp.local.`, dns.TypeANY, kindWhere | kindText},
		{`Other._hearthtest._tcp.local.`, dns.TypeSRV, nothing},
		{"hearth-01234567.local.", dns.TypeA, kindHost},
		{"hearth-01234567.local.", dns.TypeAAAA, kindHost}, // answered by NSEC: there is none
		{"hearth-01234567.local.", dns.TypeANY, kindHost},
		{"hearth-01234568.local.", dns.TypeA, nothing},
	} {
		if got := z.wanted(asked(c.name, c.typ), testAddresses); got != c.want {
			t.Errorf("%s %s: got %b, want %b", c.name, dns.TypeToString[c.typ], got, c.want)
		}
	}
	unicast := asked("hearth-01234567.local.", dns.TypeA)
	unicast.Question[0].Qclass |= flush
	if z.wanted(unicast, testAddresses) != kindHost {
		t.Error("a question with the bit for a unicast answer was not understood")
	}
	chaos := asked("hearth-01234567.local.", dns.TypeA)
	chaos.Question[0].Qclass = dns.ClassCHAOS
	if z.wanted(chaos, testAddresses) != nothing {
		t.Error("a question of another class was answered")
	}
}

// Promise: what an asker knows already is not repeated, unless it is about to forget it or knows something else.
func TestKnownAnswers(t *testing.T) {
	z := testZone(t)
	for name, c := range map[string]struct {
		question *dns.Msg
		known    string
		want     kinds
	}{
		"known":           {asked(z.typ, dns.TypePTR), z.typ + ` 4000 IN PTR My\ Relay._hearthtest._tcp.local.`, nothing},
		"fading":          {asked(z.typ, dns.TypePTR), z.typ + ` 2000 IN PTR My\ Relay._hearthtest._tcp.local.`, kindName},
		"another":         {asked(z.typ, dns.TypePTR), z.typ + ` 4000 IN PTR Other._hearthtest._tcp.local.`, kindName},
		"address known":   {asked(z.host, dns.TypeA), z.host + " 110 IN A 10.0.0.1", nothing},
		"address changed": {asked(z.host, dns.TypeA), z.host + " 110 IN A 10.0.0.2", kindHost},
	} {
		rr, err := dns.NewRR(c.known)
		if err != nil {
			t.Fatal(err)
		}
		c.question.Answer = []dns.RR{rr}
		if got := z.wanted(c.question, testAddresses); got != c.want {
			t.Errorf("%s: got %b, want %b", name, got, c.want)
		}
	}
}

// Promise: a simple resolver gets what it can understand: its id and question, short lives, no marks of multicast DNS.
func TestLegacy(t *testing.T) {
	z := testZone(t)
	q := asked(z.typ, dns.TypePTR)
	q.Id = 4711
	m := overTheWire(t, legacy(z.response(kindName, testAddresses), q))
	if m.Id != 4711 || !cmp.Equal(m.Question, q.Question) || len(m.Answer) != 1 || len(m.Extra) < 3 {
		t.Errorf("got %v", m)
	}
	for _, rr := range append(m.Answer, m.Extra...) {
		if h := rr.Header(); h.Class != dns.ClassINET || h.Ttl > legacyTTL {
			t.Errorf("got %v", rr)
		}
	}
}

// Promise: a goodbye takes back everything of ours, and not the type, which others may have too.
func TestGoodbye(t *testing.T) {
	z := testZone(t)
	var types []string
	for _, rr := range overTheWire(t, z.goodbye(ours, testAddresses)).Answer {
		if rr.Header().Ttl != 0 {
			t.Errorf("lives on: %v", rr)
		}
		types = append(types, dns.TypeToString[rr.Header().Rrtype])
	}
	if d := cmp.Diff([]string{"PTR", "SRV", "TXT", "A"}, types); d != "" {
		t.Error(d)
	}
}

// Promise: what cannot be announced is refused with a sentence that says why.
func TestServiceChecked(t *testing.T) {
	good := Service{Type: testType, Name: "Relay", ID: "0123-4567", Port: 2451}
	if _, err := good.zone(0); err != nil {
		t.Error(err)
	}
	for why, spoil := range map[string]func(*Service){
		"type":      func(s *Service) { s.Type = "efema" },
		"long type": func(s *Service) { s.Type = "_sixteen-letters1._tcp" },
		"name":      func(s *Service) { s.Name = " \n" },
		"id":        func(s *Service) { s.ID = "0123-456" },
		"no port":   func(s *Service) { s.Port = 0 },
		"port":      func(s *Service) { s.Port = 65536 },
		"pair":      func(s *Service) { s.TXT = []string{strings.Repeat("x", 256)} },
		"pairs":     func(s *Service) { s.TXT = strings.Split(strings.Repeat("x=y ", 300), " ") },
	} {
		s := good
		spoil(&s)
		if _, err := s.zone(0); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

// Promise: a name that is taken is tried with numbers, a few times; the one it had before is tried first, if it was made from its
// name.
func TestLabels(t *testing.T) {
	s := Service{Type: testType, Name: "Home", ID: "0123456789abcdef0123"}
	all := s.labels()
	if d := cmp.Diff([]string{"Home", "Home (2)", "Home (3)"}, all[:3]); d != "" {
		t.Error(d)
	}
	if last := all[len(all)-1]; last != "Home (0123456789abcdef)" || len(all) >= 15 {
		t.Errorf("%d labels, the last one %q", len(all), last)
	}
	for before, want := range map[string]string{
		"": "Home", "Home": "Home", "Home (2)": "Home (2)", "Home (0123456789abcdef)": "Home (0123456789abcdef)",
		"Attic (2)": "Home", "Home (99)": "Home", "home (2)": "Home",
	} {
		s.Instance = before
		if got := all[s.first()]; got != want {
			t.Errorf("after %q: %q", before, got)
		}
	}
}

// Promise: the longest announcement fits into one packet of an ordinary network, and every name to try into a label.
func TestAnnouncementFits(t *testing.T) {
	s := Service{Type: "_fifteenletters1._tcp", Name: strings.Repeat("ü", 90), ID: strings.Repeat("0123456789abcdef", 4), Port: 2451}
	for range 6 {
		s.TXT = append(s.TXT, strings.Repeat("x", 135))
	}
	var addresses []netip.Addr
	for range mostAddresses {
		addresses = append(addresses, netip.MustParseAddr("fd00::ffff"))
	}
	for n, label := range s.labels() {
		z, err := s.zone(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(label) > longestLabel || z.label != label {
			t.Errorf("label %q", label)
		}
		m := z.response(everything, addresses)
		m.Compress = true
		if b, err := m.Pack(); err != nil || len(b) > 1452 { // 1,500 less the headers of IPv6 and UDP
			t.Errorf("%d bytes, %v", len(b), err)
		}
	}
}
