package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"hearth/relay/store"
)

// The versions of a rule follow each other; the newest one is the rule, also of one
// that is archived and put anew. The revision rises with each, in its space alone.
func testRuleVersions(t *testing.T, open Open) {
	s := start(t, open)
	ref, other := named("orders"), store.Ref{Space: "other", Name: "orders"}
	put := func(ref store.Ref, name string, version uint64, archived bool) store.Rule {
		t.Helper()
		r := store.Rule{
			Space: ref.Space, Name: name, Version: version, Archived: archived, Spec: fmt.Appendf(nil, `{"v":%d}`, version),
			Provenance: []byte(`{}`), Actor: []byte(`{"kind":"user"}`), Reason: "why",
		}
		s.react(t, store.Reaction{Ref: ref, Rule: &r})
		return r
	}
	_, before, err := s.Rules(t.Context(), ref.Space)
	if err != nil {
		t.Fatal(err)
	}
	b := []store.Rule{put(ref, "b", 1, false), put(ref, "b", 2, true), put(ref, "b", 3, false)}
	a := put(ref, "a", 1, false)
	theirs := put(other, "b", 1, false)
	check := func() {
		t.Helper()
		list, revision, err := s.Rules(t.Context(), ref.Space)
		if err != nil || revision <= before {
			t.Fatalf("the revision is %d after %d, %v", revision, before, err)
		}
		stamped := func(want, got []store.Rule) {
			t.Helper()
			for i := range got {
				if got[i].At.IsZero() {
					t.Errorf("%+v is of no time", got[i])
				}
				got[i].At = time.Time{}
			}
			equal(t, "the rules", want, got)
		}
		stamped([]store.Rule{a, b[2]}, list)
		list, _, err = s.Rules(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		stamped([]store.Rule{a, b[2], theirs}, list)
		list, err = s.RuleHistory(t.Context(), ref.Space, "b", 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		stamped([]store.Rule{b[2], b[1]}, list)
		list, err = s.RuleHistory(t.Context(), ref.Space, "b", 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		stamped([]store.Rule{b[0]}, list)
		_, err = s.RuleHistory(t.Context(), ref.Space, "c", 0, 1)
		refused(t, err, &store.UnknownRuleError{Space: ref.Space, Name: "c"})
		// Another space's rules matter to nobody here.
		s.react(t, store.Reaction{Ref: ref, Revision: revision})
	}
	check()
	s.reopen(t)
	check()
}

// Of those who put the next version of a rule at the same time, one does.
func testRacingVersions(t *testing.T, open Open) {
	s, ref := start(t, open), named("orders")
	for version := range uint64(10) {
		var mu sync.Mutex
		put := 0
		race(func(int) {
			r := install(ref, "alarm")
			r.Rule.Version = version + 1
			r.Facts = []store.Fact{fact(ref, "installed")}
			_, err := s.React(t.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				put++
			} else {
				refused(t, err, &store.StaleError{Ref: ref, What: "rule", Name: "alarm"})
			}
		})
		equal(t, "how many have put it", 1, put)
	}
	equal(t, "the facts", 10, len(s.envelopes(t, ref)))
}

// A rule that is in step goes along with the stream, and leaves it where that is.
func testInStep(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a", "b")
	step := store.Progress{InStep: true, Definition: "d"}
	s.react(t, store.Reaction{Ref: ref, Stream: &store.StreamProgress{Now: 2}, Rules: []store.RuleProgress{{Rule: "a", Was: began, Now: step}}})
	is := func(want ...store.Progress) {
		t.Helper()
		standing, err := s.Standing(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range standing.Rules {
			equal(t, "the progress of "+r.Rule, want[i], r.Progress)
		}
	}
	at := func(p store.Progress, cursor uint64) store.Progress { p.Cursor = cursor; return p }
	is(at(step, 2), began)
	s.react(t, store.Reaction{Ref: ref, Stream: &store.StreamProgress{Was: 2, Now: 3}})
	is(at(step, 3), began)
	// Where it thinks that it is does not matter while it is in step.
	states := []store.ScopeState{{Scope: "[]", State: []byte("{}")}}
	s.react(t, store.Reaction{Ref: ref, Rules: []store.RuleProgress{{Rule: "a", Was: at(step, 2), Now: at(step, 7), States: states}}})
	is(at(step, 3), began)
	out := store.Progress{Cursor: 3, Definition: "d"}
	s.react(t, store.Reaction{Ref: ref, Rules: []store.RuleProgress{{Rule: "a", Was: step, Now: out}}})
	is(out, began)
	s.reopen(t)
	is(out, began)
	// A replay looks back, in another generation.
	back := store.Progress{Cursor: 0, Generation: 1, Definition: "d", SilentThrough: 3}
	s.react(t, store.Reaction{Ref: ref, Rules: []store.RuleProgress{{Rule: "a", Was: out, Now: back, DropStates: true}}})
	is(back, began)
	state, err := s.ScopeState(t.Context(), ref, "a", "[]")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what was forgotten", store.ScopeState{Scope: "[]"}, state)
}

// States are put, replaced and forgotten, each in its scope, and are found by their
// deadlines, earliest first.
func testStates(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a", "b")
	at := func(n int) time.Time { return moment.Add(time.Duration(n) * time.Microsecond) }
	put := func(rule string, drop bool, states ...store.ScopeState) {
		t.Helper()
		s.react(t, store.Reaction{Ref: ref, Rules: []store.RuleProgress{{Rule: rule, Was: began, Now: began, DropStates: drop, States: states}}})
	}
	state := func(scope, text string, deadline time.Time) store.ScopeState {
		return store.ScopeState{Scope: scope, State: []byte(text), Deadline: deadline}
	}
	due := func(rule string, n, limit int) (scopes []string) {
		t.Helper()
		list, err := s.DueStates(t.Context(), ref, rule, at(n), limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			scopes = append(scopes, s.Scope)
		}
		return scopes
	}
	scopes := func() (list []int) {
		t.Helper()
		standing, err := s.Standing(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range standing.Rules {
			list = append(list, r.Scopes)
		}
		return list
	}
	put("a", false, state("x", "1", at(5)), state("z", "2", at(3)), state("y", "3", at(3)), state("w", "4", time.Time{}))
	put("b", false, state("x", "5", at(1)))
	for range 2 {
		equal(t, "in how many scopes", []int{4, 1}, scopes())
		equal(t, "due before", nil, due("a", 2, 9))
		equal(t, "due at", []string{"y", "z"}, due("a", 3, 9))
		equal(t, "due later", []string{"y", "z", "x"}, due("a", 5, 9))
		equal(t, "due first", []string{"y"}, due("a", 5, 1))
		equal(t, "due of another", []string{"x"}, due("b", 5, 9))
		got, err := s.ScopeState(t.Context(), ref, "a", "y")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "a state", state("y", "3", at(3)), got)
		deadlines := s.automations(t, ref).Deadlines
		equal(t, "the deadlines", []store.Deadline{{Ref: ref, Rule: "a", At: at(3)}, {Ref: ref, Rule: "b", At: at(1)}}, deadlines)
		s.reopen(t)
	}
	put("a", false, state("y", "6", at(9)), state("z", "", time.Time{}), state("none", "", time.Time{}), state("w", "7", at(1)))
	equal(t, "in how many scopes then", []int{3, 1}, scopes())
	equal(t, "due then", []string{"w", "x", "y"}, due("a", 9, 9))
	put("a", true, state("v", "8", at(2)))
	equal(t, "in how many scopes at last", []int{1, 1}, scopes())
	equal(t, "due at last", []string{"v"}, due("a", 9, 9))
	none, err := s.ScopeState(t.Context(), ref, "none", "v")
	equal(t, "of no rule", store.ScopeState{Scope: "v"}, none)
	if err != nil {
		t.Error(err)
	}
}

// Schedules are put, replaced and dropped, and tick in each of their streams on their
// own; another timetable begins anew.
func testSchedules(t *testing.T, open Open) {
	s, ref := start(t, open), named("orders")
	later := named("later")
	change := func(ref store.Ref, c store.ScheduleChange, facts ...store.Fact) store.Reacted {
		t.Helper()
		return s.react(t, store.Reaction{Ref: ref, Schedule: &c, Facts: facts})
	}
	is := func(want ...store.Schedule) {
		t.Helper()
		list, err := s.Schedules(t.Context(), ref.Space)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].ChangedAt.IsZero() || list[i].Space != ref.Space {
				t.Errorf("%+v is of no time or space", list[i])
			}
			list[i].ChangedAt, list[i].Space = time.Time{}, ""
		}
		equal(t, "the schedules", want, list)
	}
	ticks := func(at ...time.Time) map[string]time.Time {
		all := make(map[string]time.Time)
		for i, name := range []string{ref.Name, later.Name}[:len(at)] {
			all[name] = at[i]
		}
		return all
	}
	is()
	change(ref, store.ScheduleChange{Name: "daily", Spec: []byte(`{"a":1}`)})
	change(ref, store.ScheduleChange{Name: "weekly", Spec: []byte(`{"b":1}`), Tick: moment})
	change(ref, store.ScheduleChange{Name: "daily", Tick: moment})
	change(later, store.ScheduleChange{Name: "daily", Tick: moment})
	weekly := store.Schedule{Name: "weekly", Spec: []byte(`{"b":1}`), Ticks: ticks(moment)}
	is(store.Schedule{Name: "daily", Spec: []byte(`{"a":1}`), Ticks: ticks(moment, moment)}, weekly)

	next := moment.Add(time.Second)
	tick := store.ScheduleChange{Name: "daily", Was: moment, Tick: next}
	if done := change(ref, tick, fact(ref, "tick", "evt_1")); done.First != 1 {
		t.Errorf("a tick came to %+v", done)
	}
	unmoved(t, s, store.Reaction{Ref: ref, Schedule: &tick, Facts: []store.Fact{fact(ref, "tick", "evt_2")}},
		&store.StaleError{Ref: ref, What: "schedule", Name: "daily"})
	change(ref, store.ScheduleChange{Name: "daily", Spec: []byte(`{"a":1}`)}) // the same
	is(store.Schedule{Name: "daily", Spec: []byte(`{"a":1}`), Ticks: ticks(next, moment)}, weekly)
	change(ref, store.ScheduleChange{Name: "daily", Spec: []byte(`{"a":2}`)})
	is(store.Schedule{Name: "daily", Spec: []byte(`{"a":2}`)}, weekly)
	unmoved(t, s, store.Reaction{Ref: later, Schedule: &store.ScheduleChange{Name: "daily", Was: moment, Tick: next}},
		&store.StaleError{Ref: later, What: "schedule", Name: "daily"})
	s.reopen(t)
	is(store.Schedule{Name: "daily", Spec: []byte(`{"a":2}`)}, weekly)
	change(ref, store.ScheduleChange{Name: "weekly", Drop: true})
	is(store.Schedule{Name: "daily", Spec: []byte(`{"a":2}`)})

	var putting sync.WaitGroup
	for i := range store.MaxSchedules - 1 {
		putting.Go(func() { change(ref, store.ScheduleChange{Name: fmt.Sprint(i), Spec: []byte("{}")}) })
	}
	putting.Wait()
	one := store.ScheduleChange{Name: "one more", Spec: []byte("{}")}
	unmoved(t, s, store.Reaction{Ref: ref, Schedule: &one}, &store.TooManySchedulesError{Space: ref.Space})
	change(store.Ref{Space: "other", Name: "orders"}, one)
}
