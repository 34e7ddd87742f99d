package relay_test

import (
	"path/filepath"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// A backup has rules and schedules, how far the rules are and what they remember. A run
// that was not over is held after a restore: it may have gone on since.
func TestAutomationsBackedUp(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.reflex(t, "POST", "streams/orders/events", `{"event":{"type":"order.placed"},"id":"7"}`)
	h.stop(t)
	ref := store.Ref{Space: "default", Name: "orders"}
	in := func(dir string, f func(s *sqlite.Store)) {
		t.Helper()
		s, err := sqlite.Open(t.Context(), filepath.Join(dir, "hearth.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	in(dir, func(s *sqlite.Store) {
		for _, r := range []store.Reaction{
			{Rule: &store.Rule{Name: "alarm", Version: 1, Spec: []byte("{}")}},
			{Rule: &store.Rule{Name: "alarm", Version: 2, Spec: []byte(`{"a":1}`)}},
			{
				Stream: &store.StreamProgress{Now: 1},
				Rules: []store.RuleProgress{{
					Rule: "alarm", Now: store.Progress{InStep: true, Definition: "d"},
					States: []store.ScopeState{{Scope: "[]", State: []byte("{}"), Deadline: time.UnixMicro(7)}},
				}},
				NewRuns: []store.RuleRun{{ID: "fir_1", Rule: "alarm", ScopeKey: "[]", Scope: []byte("{}"), FiredSeq: 1, Matched: []uint64{1}, Ordered: true}},
				Letters: []store.Letter{{Rule: "alarm", Seq: 1, Error: "e"}},
			},
			{Schedule: &store.ScheduleChange{Name: "daily", Spec: []byte("{}"), Tick: time.UnixMicro(7)}},
		} {
			r.Ref = ref
			if _, err := s.React(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	})
	h = open(t, dir)
	file := h.backUp(t)
	other := t.TempDir()
	restore(t, relay.Restore{File: file}, other)
	in(other, func(s *sqlite.Store) {
		standing, err := s.Standing(t.Context(), ref)
		if err != nil || len(standing.Rules) != 1 || standing.Cursor != 1 {
			t.Fatalf("the rules are at %+v, %v", standing, err)
		}
		if r := standing.Rules[0]; !r.InStep || r.Scopes != 1 || r.Letters != 1 || r.Waiting != 1 {
			t.Errorf("the rule has left %+v", r)
		}
		rules, _, err := s.Rules(t.Context(), "default")
		if err != nil || len(rules) != 1 || rules[0].Version != 2 {
			t.Errorf("the rules are %+v, %v", rules, err)
		}
		schedules, err := s.Schedules(t.Context(), "default")
		if err != nil || len(schedules) != 1 || !schedules[0].Ticks["orders"].Equal(time.UnixMicro(7)) {
			t.Errorf("the schedules are %+v, %v", schedules, err)
		}
		run, err := s.RuleRun(t.Context(), ref, "fir_1")
		if err != nil || !run.Held {
			t.Errorf("the run is %+v, %v", run, err)
		}
	})
}
