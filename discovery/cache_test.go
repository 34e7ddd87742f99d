package discovery

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

var beginning = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return beginning.Add(time.Duration(seconds * float64(time.Second)))
}

// heard is a response with records in the text form of zone files; a leading "!" marks those that flush.
func heard(t *testing.T, records ...string) *dns.Msg {
	t.Helper()
	m := new(dns.Msg)
	m.Response = true
	for _, text := range records {
		text, flushes := strings.CutPrefix(text, "!")
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		if flushes {
			rr.Header().Class |= flush
		}
		m.Answer = append(m.Answer, rr)
	}
	return overTheWire(t, m)
}

const (
	ptrRR = `_t._tcp.local. 4500 IN PTR My\ Relay._t._tcp.local.`
	srvRR = `!My\ Relay._t._tcp.local. 120 IN SRV 0 0 2451 h.local.`
	txtRR = `!My\ Relay._t._tcp.local. 4500 IN TXT "V=1" "v=2" "flag" "q=\"x\\y\""`
	aRR   = `!h.local. 120 IN A 10.0.0.1`
)

func questions(m *dns.Msg) (all []string) {
	if m == nil {
		return nil
	}
	for _, q := range m.Question {
		all = append(all, q.Name+" "+dns.TypeToString[q.Qtype])
	}
	return all
}

func addressesOf(found []Found) (all []string) {
	for _, f := range found {
		for _, a := range f.Addresses {
			all = append(all, a.String())
		}
	}
	return all
}

// Promise: a service is found once all of it is known, in whatever pieces it comes, and what is missing is asked for.
func TestCacheAssembles(t *testing.T) {
	c := newCache("_t._tcp.local.", "eth0")
	if !c.take(heard(t, ptrRR), at(0)) {
		t.Error("a new service made nobody curious")
	}
	if c.take(heard(t, ptrRR), at(1)) {
		t.Error("curious twice about the same: two machines could keep each other talking")
	}
	if d := cmp.Diff([]string{"_t._tcp.local. PTR", `My\ Relay._t._tcp.local. SRV`, `My\ Relay._t._tcp.local. TXT`}, questions(c.query(true, at(1)))); d != "" {
		t.Error(d)
	}
	c.take(heard(t, srvRR, txtRR), at(1))
	if d := cmp.Diff([]string{"_t._tcp.local. PTR", "h.local. A", "h.local. AAAA"}, questions(c.query(true, at(1)))); d != "" {
		t.Error(d)
	}
	if got := c.found(at(1)); len(got) > 0 {
		t.Errorf("found without an address: %v", got)
	}
	c.take(heard(t, aRR, "h.local. 120 IN AAAA fe80::1", "h.local. 120 IN AAAA fd00::1", "other.local. 120 IN A 10.0.0.8"), at(2))
	got := c.found(at(2))
	if len(got) != 1 {
		t.Fatalf("found %v", got)
	}
	if d := cmp.Diff([]string{"10.0.0.1", "fd00::1", "fe80::1%eth0"}, addressesOf(merge(got))); d != "" {
		t.Error(d)
	}
	got[0].Addresses = nil
	want := Found{Instance: "My Relay", Host: "h.local", Port: 2451, TXT: map[string]string{"v": "1", "flag": "", "q": `"x\y"`}, SeenAt: at(2)}
	if d := cmp.Diff(want, got[0]); d != "" {
		t.Error(d)
	}
	if q := c.query(true, at(3)); len(q.Question) != 1 || len(q.Answer) != 1 {
		t.Errorf("asked again for what is known: %v", q)
	}
}

func knowing(t *testing.T) *cache {
	t.Helper()
	c := newCache("_t._tcp.local.", "eth0")
	c.take(heard(t, ptrRR, srvRR, txtRR, aRR), at(0))
	if len(c.found(at(0))) != 1 {
		t.Fatal("not found")
	}
	return c
}

// Promise: a goodbye counts after the second in which another owner may object.
func TestCacheGoodbye(t *testing.T) {
	c := knowing(t)
	c.take(heard(t, strings.Replace(ptrRR, "4500", "0", 1)), at(10))
	if n := len(c.found(at(10.5))); n != 1 {
		t.Errorf("%d at once", n)
	}
	if n := len(c.found(at(11.1))); n != 0 {
		t.Errorf("%d after a second", n)
	}
	c = knowing(t)
	c.take(heard(t, strings.Replace(ptrRR, "4500", "0", 1)), at(10))
	c.take(heard(t, ptrRR), at(10.5))
	if n := len(c.found(at(11.1))); n != 1 {
		t.Errorf("%d after an objection", n)
	}
}

// Promise: a new address replaces the old one, without touching what was heard just now.
func TestCacheFlush(t *testing.T) {
	c := knowing(t)
	c.take(heard(t, "!h.local. 120 IN A 10.0.0.2"), at(10))
	c.take(heard(t, "!h.local. 120 IN A 10.0.0.3"), at(10.5))
	if d := cmp.Diff([]string{"10.0.0.2", "10.0.0.3"}, addressesOf(merge(c.found(at(12))))); d != "" {
		t.Error(d)
	}
	c.expire(at(12))
	if d := cmp.Diff([]string{"10.0.0.2", "10.0.0.3"}, addressesOf(merge(c.found(at(12))))); d != "" {
		t.Error(d)
	}
}

// Promise: what fades is asked for four times before it is over, and is gone when nobody answers.
func TestCacheRefreshAndExpiry(t *testing.T) {
	c := knowing(t)
	var asks []float64
	for now := at(0); now.Before(at(130)); now = c.next(now) {
		if q := questions(c.query(false, now)); len(q) > 0 {
			if d := cmp.Diff([]string{`My\ Relay._t._tcp.local. SRV`, "h.local. A", "h.local. AAAA"}, q); d != "" {
				t.Error(d)
			}
			asks = append(asks, now.Sub(at(0)).Seconds())
		}
		if c.next(now).IsZero() {
			break
		}
	}
	if d := cmp.Diff([]float64{96, 102, 108, 114}, asks); d != "" {
		t.Error(d)
	}
	c.expire(at(4500))
	if len(c.services) > 0 {
		t.Error("kept for ever")
	}
}

// Promise: what was asked for in vain is told as stale with all that was known of it, for a while; heard again it is as before.
func TestCacheStale(t *testing.T) {
	c := knowing(t)
	for now := at(0); !now.After(at(200)); now = now.Add(time.Second) {
		c.query(false, now)
		c.expire(now)
		found := c.found(now)
		if len(found) != 1 || !cmp.Equal(addressesOf(found), []string{"10.0.0.1"}) || found[0].SeenAt != at(0) {
			t.Fatalf("at %v: %+v", now, found)
		}
		if want := !now.Before(at(115)); found[0].Stale != want {
			t.Errorf("at %v: stale is %t", now, found[0].Stale)
		}
	}
	if d := cmp.Diff([]string{"_t._tcp.local. PTR", `My\ Relay._t._tcp.local. SRV`, "h.local. A", "h.local. AAAA"}, questions(c.query(true, at(201)))); d != "" {
		t.Errorf("not asked for any more: %s", d)
	}
	c.take(heard(t, srvRR, "!h.local. 120 IN A 10.0.0.2"), at(210))
	c.expire(at(210))
	if found := c.found(at(210)); len(found) != 1 || found[0].Stale || !cmp.Equal(addressesOf(found), []string{"10.0.0.2"}) {
		t.Errorf("heard again: %+v", found)
	}
	c.expire(at(210).Add(forget + time.Second))
	if len(c.services) > 0 {
		t.Error("told of for ever")
	}
	c = knowing(t)
	c.take(heard(t, strings.Replace(srvRR, "120", "0", 1)), at(10))
	if n := len(c.found(at(11.1))); n != 0 {
		t.Error("taken back, and told of as stale")
	}
}

// Promise: a service on two networks is one with the addresses of both, and the same name on two networks may be two services.
func TestMerge(t *testing.T) {
	heardOf := func(host, address string, stale bool) Found {
		return Found{Instance: "Home", Host: host, Port: 1, Addresses: []netip.Addr{netip.MustParseAddr(address)}, Stale: stale}
	}
	for name, c := range map[string]struct {
		heard []Found
		hosts []string
		want  []string
	}{
		"one":        {[]Found{heardOf("a", "fd00::1", false), heardOf("a", "10.0.0.2", false), heardOf("a", "10.0.0.2", false)}, []string{"a"}, []string{"10.0.0.2", "fd00::1"}},
		"two":        {[]Found{heardOf("b", "10.0.0.2", false), heardOf("a", "10.0.0.1", false)}, []string{"a", "b"}, []string{"10.0.0.1", "10.0.0.2"}},
		"gone there": {[]Found{heardOf("a", "10.0.0.1", true), heardOf("a", "10.0.0.2", false), heardOf("a", "10.0.0.3", true)}, []string{"a"}, []string{"10.0.0.2"}},
	} {
		merged := merge(c.heard)
		var hosts []string
		for _, f := range merged {
			hosts = append(hosts, f.Host)
		}
		if d := cmp.Diff(c.hosts, hosts) + cmp.Diff(c.want, addressesOf(merged)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Promise: after a change of networks what does not answer is gone within seconds, and nobody is told to stay silent.
func TestCacheInDoubt(t *testing.T) {
	c := knowing(t)
	c.question(at(10))
	if q := c.query(true, at(10)); len(q.Answer) > 0 {
		t.Errorf("told as known: %v", q.Answer)
	}
	if n := len(c.found(at(14))); n != 1 {
		t.Errorf("%d before the end", n)
	}
	if n := len(c.found(at(15))); n != 0 {
		t.Errorf("%d after the end", n)
	}
}

// Promise: a hostile network fills neither memory nor the query.
func TestCacheBounded(t *testing.T) {
	c := newCache("_t._tcp.local.", "eth0")
	for i := range mostServices + 50 {
		var records []string
		for j := range mostHostAddresses + 4 {
			records = append(records, fmt.Sprintf("h%d.local. 4294967295 IN A 10.0.%d.%d", i, i%256, j))
		}
		instance := fmt.Sprintf("i%d._t._tcp.local. 4294967295 IN ", i)
		records = append(records, fmt.Sprintf("_t._tcp.local. 4294967295 IN PTR i%d._t._tcp.local.", i), instance+fmt.Sprintf("SRV 0 0 1 h%d.local.", i), instance+"TXT x")
		c.take(heard(t, records...), at(0))
	}
	found := c.found(at(0))
	if len(found) != mostServices {
		t.Errorf("%d services", len(found))
	}
	if i := slices.IndexFunc(found, func(f Found) bool { return len(f.Addresses) > mostHostAddresses }); i >= 0 {
		t.Errorf("%d addresses", len(found[i].Addresses))
	}
	q := c.query(true, at(0))
	q.Compress = true
	if b, err := q.Pack(); err != nil || len(b) > 1452 {
		t.Errorf("a query of %d bytes, %v", len(b), err)
	}
	c.expire(at(longestTTL))
	if len(c.services) > 0 {
		t.Error("kept for longer than any honest record")
	}
}
