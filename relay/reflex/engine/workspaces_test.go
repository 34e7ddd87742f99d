package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// workspace is what another implementation made of a log with rules, in the times at which
// it was told to.
type workspace struct {
	Name           string            `json:"name"`
	Rules          []json.RawMessage `json:"rules"`
	Ops            []operation       `json:"ops"`
	MaxDepth       int               `json:"max_depth"`
	BatchDependent bool              `json:"batch_dependent"`
	Expect         struct {
		Log         []told        `json:"log"`
		Runs        []expectedRun `json:"runs"`
		DeadLetters []struct{}    `json:"dead_letters"` // none has any
		Rules       []status      `json:"rules"`
	} `json:"expect"`
}

type operation struct {
	Op      string            `json:"op"`
	At      time.Time         `json:"at"`
	Events  []json.RawMessage `json:"events"`
	Rules   []json.RawMessage `json:"rules"`
	Rule    string            `json:"rule"`
	Mode    string            `json:"mode"`
	FromSeq uint64            `json:"from_seq"`
}

type expectedRun struct {
	ID       string   `json:"id"`
	Rule     string   `json:"rule"`
	ScopeKey string   `json:"scope_key"`
	FiredSeq uint64   `json:"fired_seq"`
	Matched  []uint64 `json:"matched"`
	Depth    int      `json:"depth"`
}

type status struct {
	Rule          string `json:"rule"`
	Enabled       bool   `json:"enabled"`
	Cursor        uint64 `json:"cursor"`
	Lag           uint64 `json:"lag"`
	Generation    uint64 `json:"generation"`
	DeadLetters   int    `json:"dead_letters"`
	SilentThrough uint64 `json:"silent_through"`
}

// TestWorkspaces: what was evaluated in another implementation leaves the same log, runs
// and progress here. Where the order of facts depends on the size of the batches there,
// it is that of the events here.
func TestWorkspaces(t *testing.T) {
	text, err := os.ReadFile("testdata/workspaces.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []workspace
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		t.Run(w.Name, func(t *testing.T) { synctest.Test(t, w.check) })
	}
}

func (w workspace) check(t *testing.T) {
	time.Sleep(time.Until(w.Ops[0].At.Add(-time.Hour)))
	p := found(t, w.MaxDepth)
	p.keepRules(w.Rules)
	for _, op := range w.Ops {
		time.Sleep(time.Until(op.At))
		p.operate(op)
	}
	want := w.Expect.Log
	if w.BatchDependent {
		want, w.Expect.Runs = inOrderOfEvents(t, want), byFiring(w.Expect.Runs)
	}
	if diff := gocmp.Diff(spelled(t, want), spelled(t, p.log())); diff != "" {
		t.Errorf("the log (-want +got)\n%s", diff)
	}
	var runs []expectedRun
	for _, r := range p.runs() {
		runs = append(runs, expectedRun{r.ID, r.Rule, r.ScopeKey, r.FiredSeq, r.Matched, r.Depth})
	}
	if diff := gocmp.Diff(w.Expect.Runs, runs, gocmp.Transformer("", func(s []expectedRun) string { return fmt.Sprint(s) })); diff != "" {
		t.Errorf("the runs (-want +got)\n%s", diff)
	}
	for _, want := range w.Expect.Rules {
		head, s := p.standing(want.Rule)
		got := status{want.Rule, want.Enabled, s.Cursor, head - s.Cursor, s.Generation, s.Letters, s.SilentThrough}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("the rule %s (-want +got)\n%s", want.Rule, diff)
		}
	}
}

// operate does what was done.
func (p *place) operate(op operation) {
	p.t.Helper()
	switch op.Op {
	case "publish":
		events := make([]string, len(op.Events))
		for i, e := range op.Events {
			events[i] = string(e)
		}
		p.publish(events...)
	case "evaluate":
		p.evaluate()
	case "replay":
		r := Replay{Ref: home, Rule: op.Rule, From: op.FromSeq, Refire: op.Mode == "refire", Actor: anna}
		if _, _, err := p.Replay(p.t.Context(), r); err != nil {
			p.t.Fatal(err)
		}
	case "rules":
		p.keepRules(op.Rules)
	default:
		p.t.Fatalf("what is %q?", op.Op)
	}
}

// keepRules puts rules, and archives all others.
func (p *place) keepRules(list []json.RawMessage) {
	p.t.Helper()
	kept := make(map[string]bool)
	for _, r := range list {
		kept[p.put(string(r))] = true
	}
	for name := range p.known {
		if !kept[name] {
			p.archive(name)
		}
	}
}

// spelled returns a log with its events spelled in one way.
func spelled(t *testing.T, log []told) []string {
	t.Helper()
	var list []string
	for _, e := range log {
		var event map[string]any
		if err := json.Unmarshal(e.Event, &event); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d %s %s depth %d chain %s", e.Seq, e.TS.Format(time.RFC3339Nano), text, e.Depth, e.Chain))
	}
	return list
}

// inOrderOfEvents puts the facts of each moment in the order of the events that they
// are about.
func inOrderOfEvents(t *testing.T, log []told) []told {
	t.Helper()
	about := func(e told) uint64 {
		var f struct {
			Matched []uint64 `json:"matched"`
		}
		if err := json.Unmarshal(e.Event, &f); err != nil {
			t.Fatal(err)
		}
		if len(f.Matched) == 0 {
			return 0
		}
		return f.Matched[len(f.Matched)-1]
	}
	sorted := slices.Clone(log)
	slices.SortStableFunc(sorted, func(a, b told) int {
		return cmp.Or(a.TS.Compare(b.TS), cmp.Compare(about(a), about(b)))
	})
	for i := range sorted {
		sorted[i].Seq = uint64(i + 1)
	}
	return sorted
}

func byFiring(runs []expectedRun) []expectedRun {
	return slices.SortedStableFunc(slices.Values(runs), func(a, b expectedRun) int { return cmp.Compare(a.FiredSeq, b.FiredSeq) })
}
