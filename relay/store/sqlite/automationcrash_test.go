package sqlite_test

import (
	"fmt"
	"sync"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// A process that is killed between a commit and its answer has all of a reaction that
// others were told of, and nothing of those after it: the facts in the log, how far the
// rule is, its state, the new run and the one that goes on all say the same.
func TestKilledInReaction(t *testing.T) {
	t.Parallel()
	const reactions = 60
	path := place(t)
	ref := named("events")
	var mu sync.Mutex
	var killed []string // copies of the files
	var heads []uint64  // what was told by then
	heard := 0
	s := open(t, path, sqlite.Options{Publish: func(moves []store.Moved) {
		mu.Lock()
		defer mu.Unlock()
		if heard++; heard%7 == 0 {
			killed, heads = append(killed, copyOf(t, path)), append(heads, moves[0].Head)
		}
	}})
	// With each reaction n: fact n, the cursor n, the state n, the run n, and the run
	// n-1 is over. It stands at the event n + 1.
	publish(t, s, publication("events", "first"))
	react(t, s, store.Reaction{Ref: ref, Rule: &store.Rule{Name: "alarm", Version: 1, Spec: []byte("{}")}})
	was := store.Progress{}
	for n := range uint64(reactions) {
		now := store.Progress{Cursor: n + 1, Definition: "d"}
		r := store.Reaction{
			Ref: ref, Stream: &store.StreamProgress{Was: n, Now: n + 1},
			Rules: []store.RuleProgress{{Rule: "alarm", Was: was, Now: now, States: []store.ScopeState{
				{Scope: "[]", State: fmt.Append(nil, n)},
			}}},
			NewRuns: []store.RuleRun{fired(fmt.Sprint(n), true)},
			Facts:   []store.Fact{{ID: fmt.Sprint("fact ", n), Origin: publication("events").Origin, JSON: []byte(`{"type":"rule_fired"}`)}},
		}
		if n > 0 {
			run := fired(fmt.Sprint(n-1), true)
			run.Status = store.Succeeded
			r.Runs = []store.RunChange{{RuleRun: run, Was: 1}}
		}
		react(t, s, r)
		was = now
	}
	shut(t, s)
	if len(killed) < reactions/8 {
		t.Fatalf("it was killed %d times only", len(killed))
	}
	for i, path := range killed {
		s := open(t, path, sqlite.Options{})
		n := heads[i] - 2 // the last reaction; the first event is no fact
		standing, err := s.Standing(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		state, err := s.ScopeState(t.Context(), ref, "alarm", "[]")
		if err != nil {
			t.Fatal(err)
		}
		due, _, err := s.DueRuns(t.Context(), store.Due{At: standing.Rules[0].LastRun, Each: 9})
		if err != nil || len(due) != 1 {
			t.Fatalf("%d runs are due, %v", len(due), err)
		}
		fact, err := s.Find(t.Context(), ref, fmt.Sprint("fact ", n))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(standing.Head, fact.Seq, standing.Cursor, standing.Rules[0].Cursor, string(state.State), due[0].ID, standing.Rules[0].Waiting)
		if want := fmt.Sprint(n+2, n+2, n+1, n+1, fmt.Sprint(n), fmt.Sprint(n), 1); got != want {
			t.Errorf("when the stream was at %d, it is %s, not %s", heads[i], got, want)
		}
		if v := verified(t, s, store.Verify{}); !v.Sound() {
			t.Errorf("it is not sound: %v", v.Faults)
		}
		// It goes on where it was, and nothing comes twice.
		again := store.Reaction{Ref: ref, Stream: &store.StreamProgress{Was: n, Now: n + 1}, NewRuns: []store.RuleRun{fired(fmt.Sprint(n), true)}}
		if _, err := s.React(t.Context(), again); err == nil {
			t.Error("what was told is taken once more")
		}
		run := due[0]
		run.Status = store.Succeeded
		react(t, s, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: run, Was: run.Epoch}}})
		shut(t, s)
	}
}
