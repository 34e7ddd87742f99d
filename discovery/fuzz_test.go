package discovery

import (
	"slices"
	"testing"

	"github.com/miekg/dns"
)

// Promise: no message makes the browser or the announcer panic.
func FuzzMessages(f *testing.F) {
	z, err := Service{Type: "_t._tcp", Name: "My Relay", ID: "0123456789abcdef", Port: 2451}.zone(0)
	if err != nil {
		f.Fatal(err)
	}
	for _, m := range []*dns.Msg{z.response(everything, testAddresses), z.probe(testAddresses), z.goodbye(ours, testAddresses)} {
		b, err := m.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(dns.Msg)
		if m.Unpack(b) != nil {
			return
		}
		c := newCache(z.typ, "eth0")
		c.take(m, at(0))
		c.found(at(0))
		c.next(at(0))
		if q := c.query(true, at(0)); q != nil {
			if _, err := q.Pack(); err != nil {
				t.Errorf("a query that cannot be sent: %v", err)
			}
		}
		z.rival(slices.Concat(m.Answer, m.Ns, m.Extra))
		if want := z.wanted(m, testAddresses); want != nothing {
			if _, err := legacy(z.response(want, testAddresses), m).Pack(); err != nil {
				t.Errorf("an answer that cannot be sent: %v", err)
			}
		}
	})
}
