package discovery

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

// watched is a cache that somebody looks at and that knows one service.
func watched(t *testing.T) *cache {
	t.Helper()
	c := knowing(t)
	c.watched = true
	return c
}

func isStale(c *cache, now time.Time) bool {
	found := c.found(now)
	return len(found) == 1 && found[0].Stale
}

// Promise: while somebody looks, a service that died shows as stale within fifteen seconds, after questions that are never closer
// than a second, and is not asked for over and over then.
func TestCheckedWhileWatched(t *testing.T) {
	c := watched(t)
	var asks []float64
	stale := -1.0
	for now := at(0); now.Before(at(60)); now = c.next(now) {
		if q := questions(c.query(false, now)); len(q) > 0 {
			if d := cmp.Diff([]string{`My\ Relay._t._tcp.local. SRV`}, q); d != "" {
				t.Error(d)
			}
			asks = append(asks, now.Sub(at(0)).Seconds())
		}
		if stale < 0 && isStale(c, now) {
			stale = now.Sub(at(0)).Seconds()
		}
	}
	if d := cmp.Diff([]float64{5, 7, 9, 11}, asks); d != "" {
		t.Error(d)
	}
	if stale != 12 {
		t.Errorf("stale after %v s", stale)
	}
	if q := c.query(true, at(61)); len(q.Answer) > 0 || !cmp.Equal(questions(q), []string{"_t._tcp.local. PTR", `My\ Relay._t._tcp.local. SRV`}) {
		t.Errorf("the next full query: %v", q)
	}
	if !isStale(c, at(61)) {
		t.Error("asked once more, it is taken for alive")
	}
	c.take(heard(t, srvRR, aRR), at(62))
	if isStale(c, at(62)) {
		t.Error("heard again, it is stale")
	}
}

// Promise: a service that answers one of four questions is not stale, and one that answers is asked once in five seconds.
func TestAnswersKeepFresh(t *testing.T) {
	for name, every := range map[string]int{"always": 1, "one of four": 4} {
		c := watched(t)
		asked := 0
		for now := at(0); now.Before(at(300)); now = now.Add(250 * time.Millisecond) {
			if isStale(c, now) {
				t.Fatalf("%s: stale at %v", name, now)
			}
			if c.query(false, now) == nil {
				continue
			}
			if asked++; asked%every == 0 {
				c.take(heard(t, srvRR, txtRR, aRR), now)
			}
		}
		if most := 60 * every; asked > most {
			t.Errorf("%s: asked %d times in five minutes", name, asked)
		}
	}
}

// Promise: however many services there are, and whenever each was heard of, each is asked for, many at a time.
func TestChecksShareQueries(t *testing.T) {
	c := newCache("_t._tcp.local.", "eth0")
	c.watched = true
	const services = 40
	for i := range services {
		name := fmt.Sprintf("i%d._t._tcp.local.", i)
		c.take(heard(t, "_t._tcp.local. 4500 IN PTR "+name, name+fmt.Sprintf(" 120 IN SRV 0 0 1 h%d.local.", i), name+" 4500 IN TXT x",
			fmt.Sprintf("h%d.local. 120 IN A 10.0.0.%d", i, i)), at(0).Add(time.Duration(i)*50*time.Millisecond))
	}
	queries := 0
	for now := at(2); now.Before(at(62)); now = c.next(now) {
		m := c.query(false, now)
		if m == nil {
			continue
		}
		queries++
		if m.Len() > longestQuery {
			t.Errorf("a query of %d bytes", m.Len())
		}
		for _, q := range m.Question {
			if q.Qtype == dns.TypeSRV {
				c.take(heard(t, "!"+q.Name+" 120 IN SRV 0 0 1 h"+q.Name[1:len(q.Name)-len("._t._tcp.local.")]+".local."), now)
			}
		}
	}
	// Three packets have room for all of them, and twelve rounds go into a minute; the first ones are not together yet.
	if queries < 30 || queries > 50 {
		t.Errorf("%d queries in a minute", queries)
	}
	for _, f := range c.found(at(62)) {
		if f.Stale {
			t.Errorf("%s answered and is stale", f.Instance)
		}
	}
}

// Promise: what others ask in vain counts as if it had been asked from here, and is not asked again; what need not be answered to
// everybody, or repeats what was asked just now, counts for nothing.
func TestOverheard(t *testing.T) {
	const name = `My\ Relay._t._tcp.local.`
	private, answered := asked(name, dns.TypeSRV), asked(name, dns.TypeSRV)
	private.Question[0].Qclass |= flush
	answered.Answer = heard(t, srvRR).Answer
	for what, test := range map[string]struct {
		question *dns.Msg
		counts   bool
	}{
		"the service":          {asked(name, dns.TypeSRV), true},
		"everything of it":     {asked(`MY\ relay._t._tcp.local.`, dns.TypeANY), true},
		"its description":      {asked(name, dns.TypeTXT), false},
		"another":              {asked("Other._t._tcp.local.", dns.TypeSRV), false},
		"privately":            {private, false},
		"who knows the answer": {answered, false},
	} {
		c := watched(t)
		c.overhear(test.question, at(0.5)) // too soon for a second answer
		for _, second := range []float64{4, 4.2, 6, 8, 10, 10.3} {
			c.overhear(test.question, at(second))
			if q := c.query(false, at(second)); test.counts && q != nil {
				t.Errorf("%s: asked again at %v: %v", what, second, q)
			}
		}
		if isStale(c, at(10.9)) || isStale(c, at(11)) != test.counts {
			t.Errorf("%s: stale is %t at the end", what, isStale(c, at(11)))
		}
	}
}

// Promise: services are checked while somebody looks, and for a minute after.
func TestAttention(t *testing.T) {
	b := &Browser{looks: make(chan struct{}, 1)}
	if b.watched(time.Now()) {
		t.Error("watched by nobody")
	}
	b.Found()
	if len(b.looks) != 1 {
		t.Error("the first look hurries nothing")
	}
	<-b.looks
	b.Found()
	if now := time.Now(); !b.watched(now) || b.watched(now.Add(attention+time.Second)) || len(b.looks) > 0 {
		t.Error("not watched as long as it should")
	}
}
