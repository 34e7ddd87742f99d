package discovery

import (
	"fmt"
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
	c := newCache("_t._tcp.local.")
	if !c.take(heard(t, ptrRR), "eth0", at(0)) {
		t.Error("a new service made nobody curious")
	}
	if c.take(heard(t, ptrRR), "eth0", at(1)) {
		t.Error("curious twice about the same: two machines could keep each other talking")
	}
	if d := cmp.Diff([]string{"_t._tcp.local. PTR", `My\ Relay._t._tcp.local. SRV`, `My\ Relay._t._tcp.local. TXT`}, questions(c.query(true, at(1)))); d != "" {
		t.Error(d)
	}
	c.take(heard(t, srvRR, txtRR), "eth0", at(1))
	if d := cmp.Diff([]string{"_t._tcp.local. PTR", "h.local. A", "h.local. AAAA"}, questions(c.query(true, at(1)))); d != "" {
		t.Error(d)
	}
	if got := c.found(at(1)); len(got) > 0 {
		t.Errorf("found without an address: %v", got)
	}
	c.take(heard(t, aRR, "h.local. 120 IN AAAA fe80::1", "h.local. 120 IN AAAA fd00::1", "other.local. 120 IN A 10.0.0.8"), "eth0", at(2))
	got := c.found(at(2))
	if len(got) != 1 {
		t.Fatalf("found %v", got)
	}
	if d := cmp.Diff([]string{"10.0.0.1", "fd00::1", "fe80::1%eth0"}, addressesOf(got)); d != "" {
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
	c := newCache("_t._tcp.local.")
	c.take(heard(t, ptrRR, srvRR, txtRR, aRR), "eth0", at(0))
	if len(c.found(at(0))) != 1 {
		t.Fatal("not found")
	}
	return c
}

// Promise: a goodbye counts after the second in which another owner may object.
func TestCacheGoodbye(t *testing.T) {
	c := knowing(t)
	c.take(heard(t, strings.Replace(ptrRR, "4500", "0", 1)), "eth0", at(10))
	if n := len(c.found(at(10.5))); n != 1 {
		t.Errorf("%d at once", n)
	}
	if n := len(c.found(at(11.1))); n != 0 {
		t.Errorf("%d after a second", n)
	}
	c = knowing(t)
	c.take(heard(t, strings.Replace(ptrRR, "4500", "0", 1)), "eth0", at(10))
	c.take(heard(t, ptrRR), "eth0", at(10.5))
	if n := len(c.found(at(11.1))); n != 1 {
		t.Errorf("%d after an objection", n)
	}
}

// Promise: a new address replaces the old one on its link, without touching what was heard elsewhere or just now.
func TestCacheFlush(t *testing.T) {
	c := knowing(t)
	c.take(heard(t, aRR), "eth1", at(0))
	c.take(heard(t, "!h.local. 120 IN A 10.0.0.2"), "eth0", at(10))
	c.take(heard(t, "!h.local. 120 IN A 10.0.0.3"), "eth0", at(10.5))
	if d := cmp.Diff([]string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}, addressesOf(c.found(at(12)))); d != "" {
		t.Error(d)
	}
	c = knowing(t)
	c.take(heard(t, "!h.local. 120 IN A 10.0.0.2"), "eth0", at(10))
	if d := cmp.Diff([]string{"10.0.0.2"}, addressesOf(c.found(at(12)))); d != "" {
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
	if n := len(c.found(at(119))); n != 1 {
		t.Errorf("%d before the end", n)
	}
	if n := len(c.found(at(120))); n != 0 {
		t.Errorf("%d after the end", n)
	}
	c.expire(at(4500))
	if len(c.services) > 0 {
		t.Error("kept for ever")
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
	c := newCache("_t._tcp.local.")
	for i := range mostServices + 50 {
		var records []string
		for j := range mostHostAddresses + 4 {
			records = append(records, fmt.Sprintf("h%d.local. 4294967295 IN A 10.0.%d.%d", i, i%256, j))
		}
		instance := fmt.Sprintf("i%d._t._tcp.local. 4294967295 IN ", i)
		records = append(records, fmt.Sprintf("_t._tcp.local. 4294967295 IN PTR i%d._t._tcp.local.", i), instance+fmt.Sprintf("SRV 0 0 1 h%d.local.", i), instance+"TXT x")
		c.take(heard(t, records...), "eth0", at(0))
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
