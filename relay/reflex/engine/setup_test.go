package engine

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"hearth/relay/notify"
	"hearth/relay/reflex"
	"hearth/relay/reflex/rules"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"go.uber.org/goleak"
)

// trials is how often a property is tried: fewer times than the usual hundred, for each
// makes two stores and commits some dozen times in them. The flag -rapid.checks asks
// for more.
const trials = "8"

// TestMain sees to it that nothing of an engine is left running.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", trials); err != nil { // before flags are read
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

var (
	home = store.Ref{Space: "default", Name: "home"}
	anna = reflex.Actor{Kind: reflex.User, ID: "anna"}
)

// place is an engine on a real store.
type place struct {
	*Engine
	t     testing.TB
	store *sqlite.Store
	hub   *notify.Hub
	known map[string]uint64 // the versions of the rules that were put
}

// found makes an engine on a new store until the test ends.
func found(t testing.TB, maxDepth int) *place {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "hearth.db"), maxDepth)
}

// reopen makes an engine on the store that is there, or a new one.
func reopen(t testing.TB, path string, maxDepth int) *place {
	t.Helper()
	hub := new(notify.Hub)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Publish: hub.Publish})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	e := New(Options{Store: s, Hub: hub, Now: time.Now, Logger: slog.New(slog.DiscardHandler), MaxDepth: maxDepth})
	return &place{Engine: e, t: t, store: s, hub: hub, known: make(map[string]uint64)}
}

// start runs the engine until the returned function is called.
func (p *place) start() (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// put puts a rule that looks at home.
func (p *place) put(text string) string {
	p.t.Helper()
	var spec map[string]any
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		p.t.Fatal(err)
	}
	spec["streams"] = []string{home.Name}
	full, err := json.Marshal(spec)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := rules.Parse(full); err != nil {
		p.t.Fatalf("%s: %v", full, err)
	}
	name, _ := spec["name"].(string)
	p.version(store.Rule{Name: name, Spec: full})
	return name
}

// version puts the next version of a rule.
func (p *place) version(r store.Rule) {
	p.t.Helper()
	p.known[r.Name]++
	r.Space, r.Version = home.Space, p.known[r.Name]
	if _, err := p.store.React(p.t.Context(), store.Reaction{Ref: home, Rule: &r}); err != nil {
		p.t.Fatal(err)
	}
	p.RulesChanged(home.Space)
}

// archive puts a rule out of use.
func (p *place) archive(name string) {
	p.t.Helper()
	list, err := p.store.RuleHistory(p.t.Context(), home.Space, name, 0, 1)
	if err != nil {
		p.t.Fatal(err)
	}
	p.version(store.Rule{Name: name, Spec: list[0].Spec, Archived: true})
}

// publish publishes events at home.
func (p *place) publish(events ...string) {
	p.t.Helper()
	origin, err := reflex.Origin(home.Name, anna, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	list := make([]store.Event, len(events))
	for i, e := range events {
		list[i].JSON = []byte(e)
	}
	if _, err := p.store.Publish(p.t.Context(), store.Publish{Ref: home, Origin: origin, Events: list}); err != nil {
		p.t.Fatal(err)
	}
}

// evaluate evaluates all that is at home, whatever the time is.
func (p *place) evaluate() {
	p.t.Helper()
	if err := p.reload(p.t.Context(), home.Space); err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	v := p.evaluator(home)
	p.mu.Unlock()
	if err := v.pass(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// told is an event in the log.
type told struct {
	Seq   uint64          `json:"seq"`
	TS    time.Time       `json:"ts"`
	Event json.RawMessage `json:"event"`
	Depth int             `json:"depth"`
	Chain string          `json:"chain"` // # and the position of the event that began it
}

// log reads the whole log.
func (p *place) log() (list []told) {
	p.t.Helper()
	ids := make(map[string]uint64)
	for behind := uint64(0); ; {
		page, err := p.store.Page(p.t.Context(), store.Read{Ref: home, Behind: behind, Entries: 1000, Bytes: 1 << 20})
		if err != nil {
			p.t.Fatal(err)
		}
		if page.Count == 0 {
			return list
		}
		for entry, err := range page.All() {
			if err != nil {
				p.t.Fatal(err)
			}
			stored, err := store.ReadEnvelope(entry.Data)
			if err != nil {
				p.t.Fatal(err)
			}
			e, err := readEnvelope(entry.Data)
			if err != nil {
				p.t.Fatal(err)
			}
			ids[stored.ID] = e.Seq
			list = append(list, told{
				Seq: e.Seq, TS: stored.TS, Event: append([]byte(nil), stored.Event...), Depth: e.Depth, Chain: fmt.Sprintf("#%d", ids[e.Chain]),
			})
			behind = e.Seq
		}
		page.Release()
	}
}

// events returns the events of a log alone.
func (p *place) events() []string {
	p.t.Helper()
	var list []string
	for _, e := range p.log() {
		list = append(list, string(e.Event))
	}
	return list
}

// runs returns all runs, the oldest first.
func (p *place) runs() (list []store.RuleRun) {
	p.t.Helper()
	newest, err := p.store.RuleRuns(p.t.Context(), home, store.RunFilter{}, 1_000_000)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := range newest {
		list = append(list, newest[len(newest)-1-i])
	}
	return list
}

// standing returns how far a rule is.
func (p *place) standing(rule string) (head uint64, s store.RuleStanding) {
	p.t.Helper()
	all, err := p.store.Standing(p.t.Context(), home)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, row := range all.Rules {
		if row.Rule == rule {
			return all.Head, row
		}
	}
	return all.Head, s
}
