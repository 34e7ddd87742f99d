package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"pgregory.net/rapid"
)

// append writes an opaque entry.
func (p *place) append(data string) {
	p.t.Helper()
	batch := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries([]byte(data))}
	if _, err := p.store.Append(p.t.Context(), store.Append{Ref: home, Batch: batch}); err != nil {
		p.t.Fatal(err)
	}
}

// short is a store that gives few events at a time.
type short struct {
	Store
	most func() int
}

func (s short) Page(ctx context.Context, r store.Read) (store.Page, error) {
	r.Entries = min(r.Entries, s.most())
	return s.Store.Page(ctx, r)
}

var mixed = []string{
	onPing,
	quiet,
	`{"name":"count","when":{"filter":{"kind":"on","types":["ping","rule_fired"]},"pattern":{"kind":"count","at_least":3,"within":"PT5M"}},"then":{"action":"note"}}`,
	`{"name":"by n","when":{"filter":{"kind":"on","types":["ping"]},"dedupe":{"key":["m"],"within":"PT10M"},"throttle":{"at_most":2,"per":"PT10M"}},"scope":{"fields":["n"]},"then":{"action":"note"}}`,
	`{"name":"steps","when":{"filter":{"kind":"where","field":"type","op":"exists","value":true},"pattern":{"kind":"sequence","within":"PT20M",
		"steps":[{"kind":"on","types":["ping"]},{"kind":"on","types":["pong"]}]}},"then":{"action":"note"}}`,
	`{"name":"quiet n","when":{"filter":{"kind":"on","types":["ping","pong"]},"pattern":{"kind":"absence","within":"PT2M"}},"scope":{"fields":["n"]},"then":{"action":"note"}}`,
}

// TestBatches: the same events leave the same log, however many are evaluated at a time and
// however often everything that was in memory is lost.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) string {
			return fmt.Sprintf(`{"type":%q,"n":%d,"m":%d}`, rapid.SampledFrom([]string{"ping", "pong", "other"}).Draw(rt, "type"),
				rapid.IntRange(0, 2).Draw(rt, "n"), rapid.IntRange(0, 2).Draw(rt, "m"))
		}), 1, 30).Draw(rt, "events")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 7), 1, 20).Draw(rt, "sizes")
		rules := rapid.Permutation(mixed).Draw(rt, "rules")[:rapid.IntRange(1, len(mixed)).Draw(rt, "count")]
		var whole, parts []string
		synctest.Test(t, func(t *testing.T) {
			whole = evaluated(t, rules, events, func() int { return maxBatch }, false)
		})
		synctest.Test(t, func(t *testing.T) {
			at := 0
			parts = evaluated(t, rules, events, func() int { at++; return sizes[at%len(sizes)] }, true)
		})
		if !slices.Equal(whole, parts) {
			rt.Fatalf("as a whole:\n%q\nin parts:\n%q", whole, parts)
		}
	})
}

// evaluated returns the log of events, which come a minute after each other, with what
// rules make of them at once.
func evaluated(t *testing.T, rules, events []string, most func() int, forgetful bool) []string {
	p := found(t, 0)
	p.Engine = New(Options{Store: short{p.store, most}, Hub: p.hub, Now: time.Now, Logger: p.logger})
	for _, r := range rules {
		p.put(r)
	}
	for i, e := range events {
		p.publish(e)
		time.Sleep(time.Minute)
		if i%7 == 6 {
			p.evaluate()
		}
		if forgetful {
			p.Engine = New(Options{Store: short{p.store, most}, Hub: p.hub, Now: time.Now, Logger: p.logger})
		}
	}
	p.evaluate()
	return p.events()
}
