package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hearth/relay/store"
)

// react does what must be taken.
func (s *subject) react(t testing.TB, r store.Reaction) store.Reacted {
	t.Helper()
	done, err := s.React(t.Context(), r)
	if err != nil {
		t.Fatalf("reacting in %s: %v", r.Name, err)
	}
	return done
}

// unmoved checks that a reaction is refused, and leaves everything as it is.
func unmoved[E error](t testing.TB, s *subject, r store.Reaction, want E) {
	t.Helper()
	before := s.automations(t, r.Ref)
	done, err := s.React(t.Context(), r)
	refused(t, err, want)
	equal(t, "what was told of a refusal", store.Reacted{}, done)
	equal(t, "what was refused", before, s.automations(t, r.Ref))
}

// refusal checks how a reaction is refused.
type refusal func(testing.TB, store.Reaction)

func refusing[E error](s *subject, want E) refusal {
	return func(t testing.TB, r store.Reaction) {
		t.Helper()
		unmoved(t, s, r, want)
	}
}

// automations is all that a store has of them, in a stream and its space.
type automations struct {
	Head      uint64
	Rules     []store.Rule
	Revision  uint64
	Standing  store.Standing
	Deadlines []store.Deadline
	Runs      []store.RuleRun
	Due       []store.RuleRun
	Letters   []store.Letter
	Schedules []store.Schedule
}

func (s *subject) automations(t testing.TB, ref store.Ref) (a automations) {
	t.Helper()
	states, err := s.Heads(t.Context(), ref.Space, []string{ref.Name})
	errs := []error{err}
	note := func(err error) { errs = append(errs, err) }
	a.Head = states[0].Head
	a.Rules, a.Revision, err = s.Rules(t.Context(), ref.Space)
	note(err)
	a.Standing, err = s.Standing(t.Context(), ref)
	note(err)
	a.Deadlines, err = s.Deadlines(t.Context())
	note(err)
	list, err := s.RuleRuns(t.Context(), ref, store.RunFilter{}, everything)
	note(err)
	for _, r := range list {
		whole, err := s.RuleRun(t.Context(), ref, r.ID)
		note(err)
		a.Runs = append(a.Runs, whole)
	}
	a.Due, _, err = s.DueRuns(t.Context(), store.Due{At: distant, Each: everything})
	note(err)
	a.Letters, err = s.Letters(t.Context(), ref, store.LetterFilter{}, everything)
	note(err)
	a.Schedules, err = s.Schedules(t.Context(), ref.Space)
	note(err)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return a
}

// moment and distant are times of these tests, with microseconds.
var (
	moment  = time.Date(2026, 11, 30, 11, 2, 48, 123_456_000, time.UTC)
	distant = moment.AddDate(100, 0, 0)
)

// install is a reaction that puts the first version of a rule.
func install(ref store.Ref, rule string) store.Reaction {
	return store.Reaction{Ref: ref, Rule: &store.Rule{Name: rule, Version: 1, Spec: []byte(`{"name":"` + rule + `"}`)}}
}

// ruled makes a stream of some events, at which a rule stands behind the first.
func ruled(t testing.TB, open Open, rules ...string) (*subject, store.Ref) {
	t.Helper()
	s, ref := start(t, open), named("orders")
	s.publish(t, publishTo(ref, published("a", "first"), published("b"), published("c")))
	for _, rule := range rules {
		s.react(t, install(ref, rule))
		s.react(t, store.Reaction{Ref: ref, Rules: []store.RuleProgress{{Rule: rule, Now: began}}})
	}
	return s, ref
}

// began is the progress of a rule that has evaluated one event.
var began = store.Progress{Cursor: 1, Definition: "d"}

// fact is an event of the relay's own.
func fact(ref store.Ref, text string, id ...string) store.Fact {
	e := published(text, id...)
	return store.Fact{
		ID: e.ID, JSON: e.JSON,
		Origin: fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"system","name":"reactor"},"causation":{"for":%q}`, ref.Name, text),
	}
}

// fired is a new run.
func fired(rule, id string, seq uint64) store.RuleRun {
	return store.RuleRun{
		ID: id, Rule: rule, ScopeKey: `["auth"]`, Scope: []byte(`{"service":"auth"}`), FiredSeq: seq, Matched: []uint64{1, seq},
		Chain: "first", Depth: 2, Ordered: true,
	}
}

// Everything of a reaction is there at once, as it was said, and stays: its facts with
// their own origins and chains, and what they tell.
func testReact(t *testing.T, open Open) {
	s, ref := ruled(t, open, "alarm")
	before := s.heard()
	in := fact(ref, "fired")
	in.Chain = "first"
	moved := store.Progress{InStep: true, Generation: 3, Definition: "e", SilentThrough: 2}
	run := fired("alarm", "fir_1", 2)
	done := s.react(t, store.Reaction{
		Ref:    ref,
		Stream: &store.StreamProgress{Was: 0, Now: 3},
		Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: moved, States: []store.ScopeState{
			{Scope: `["auth"]`, State: []byte(`{"a":1}`), Deadline: moment}, {Scope: `[]`, State: []byte(`{}`)},
		}}},
		NewRuns: []store.RuleRun{run},
		Letters: []store.Letter{{Rule: "alarm", Seq: 3, Error: "no field", Reason: "r"}},
		Rule:    &store.Rule{Name: "other", Version: 1, Spec: []byte(`{}`), Provenance: []byte(`{"by":"hand"}`), Actor: []byte(`{"kind":"user"}`)},
		Facts:   []store.Fact{in, fact(ref, "tick", "tick-1"), fact(ref, "again", "tick-1"), fact(ref, "known", "first")},
	})
	stream := s.stream(t, ref)
	equal(t, "what was told", store.Reacted{
		Stream: stream.Identity, First: 4, Last: 5, Runs: done.Runs,
		Facts: []store.Published{{Seq: 4, ID: done.Facts[0].ID}, {Seq: 5, ID: "tick-1"}, {Seq: 5, ID: "tick-1", Duplicate: true}, {Seq: 1, ID: "first", Duplicate: true}},
	}, done)
	equal(t, "what was heard", []store.Moved{{
		Ref: ref, State: store.State{Stream: stream.Identity, Head: 5}, Kind: store.Events, Before: 3,
	}}, s.heard()[len(before):])
	check := func() {
		t.Helper()
		list := s.envelopes(t, ref)[3:]
		equal(t, "the facts", []string{"fired", "tick"}, said(t, list))
		equal(t, "their chains", []string{`"first"`, `"tick-1"`}, []string{string(list[0].CorrelationID), string(list[1].CorrelationID)})
		equal(t, "their causes", []string{`{"for":"fired"}`, `{"for":"tick"}`}, []string{string(list[0].Causation), string(list[1].Causation)})
		equal(t, "their actor", `{"kind":"system","name":"reactor"}`, string(list[0].Actor))

		a := s.automations(t, ref)
		moved.Cursor = 3
		equal(t, "how far it is", store.Standing{Cursor: 3, Head: 5, Rules: []store.RuleStanding{{
			Rule: "alarm", Progress: moved, Scopes: 2, Letters: 1, Waiting: 1, LastSeq: 2, LastRun: a.Runs[0].CreatedAt,
		}}}, a.Standing)
		equal(t, "the deadlines", []store.Deadline{{Ref: ref, Rule: "alarm", At: moment}}, a.Deadlines)
		want := run
		want.Ref, want.Number, want.Epoch, want.CreatedAt, want.UpdatedAt = ref, done.Runs[0].Number, 1, a.Runs[0].CreatedAt, a.Runs[0].UpdatedAt
		equal(t, "the run", []store.RuleRun{want}, a.Runs)
		equal(t, "the run that was told", done.Runs, a.Runs)
		equal(t, "the run that is due", a.Runs, a.Due)
		equal(t, "the letters", []store.Letter{{
			Number: a.Letters[0].Number, Rule: "alarm", Seq: 3, Error: "no field", Reason: "r", At: a.Letters[0].At,
		}}, a.Letters)
		equal(t, "the rules", []string{"alarm", "other"}, []string{a.Rules[0].Name, a.Rules[1].Name})
	}
	check()
	s.reopen(t)
	check()
}

// A reaction that is based on what has changed since is refused as a whole, and says
// what that is.
func testReactStale(t *testing.T, open Open) {
	s, ref := ruled(t, open, "alarm")
	s.react(t, store.Reaction{
		Ref: ref, Stream: &store.StreamProgress{Now: 2}, NewRuns: []store.RuleRun{fired("alarm", "fir_1", 2), fired("alarm", "fir_2", 3)},
		Letters:  []store.Letter{{Rule: "alarm", Seq: 1, Error: "e"}},
		Schedule: &store.ScheduleChange{Name: "daily", Spec: []byte("{}"), Tick: moment},
	})
	_, revision, err := s.Rules(t.Context(), ref.Space)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := began
	elsewhere.Cursor = 2
	stale := func(what, name string) refusal {
		return refusing(s, &store.StaleError{Ref: ref, What: what, Name: name})
	}
	running := store.RuleRun{ID: "fir_2", Status: store.Running}
	for _, c := range []struct {
		name   string
		change func(r *store.Reaction)
		want   refusal
	}{
		{"the stream is elsewhere", func(r *store.Reaction) { r.Stream = &store.StreamProgress{Was: 1, Now: 3} }, stale("stream", "")},
		{"the rules are others", func(r *store.Reaction) { r.Revision = revision + 1 }, stale("rules", "")},
		{"the rule is elsewhere", func(r *store.Reaction) {
			r.Rules = []store.RuleProgress{{Rule: "alarm", Was: elsewhere, Now: elsewhere}}
		}, stale("rule", "alarm")},
		{"the rule had begun", func(r *store.Reaction) { r.Rules = []store.RuleProgress{{Rule: "alarm", Now: began}} }, stale("rule", "alarm")},
		{
			"the rule is not there", func(r *store.Reaction) { r.Rules = []store.RuleProgress{{Rule: "none", Now: began}} },
			refusing(s, &store.UnknownRuleError{Space: ref.Space, Name: "none"}),
		},
		{"the version is there", func(r *store.Reaction) { r.Rule = &store.Rule{Name: "alarm", Version: 1, Spec: []byte("{}")} }, stale("rule", "alarm")},
		{"a version is left out", func(r *store.Reaction) { r.Rule = &store.Rule{Name: "alarm", Version: 3, Spec: []byte("{}")} }, stale("rule", "alarm")},
		{"no rule to be archived", func(r *store.Reaction) {
			r.Rule = &store.Rule{Name: "none", Version: 1, Spec: []byte("{}"), Archived: true}
		}, refusing(s, &store.UnknownRuleError{Space: ref.Space, Name: "none"})},
		{"the run is there", func(r *store.Reaction) { r.NewRuns = []store.RuleRun{fired("alarm", "fir_1", 3)} }, stale("run", "fir_1")},
		{
			"the run is of no rule", func(r *store.Reaction) { r.NewRuns = []store.RuleRun{fired("none", "fir_3", 3)} },
			refusing(s, &store.UnknownRuleError{Space: ref.Space, Name: "none"}),
		},
		{"the run has changed", func(r *store.Reaction) {
			r.Runs = []store.RunChange{{RuleRun: store.RuleRun{ID: "fir_1", Status: store.Cancelled}, Was: 2}}
		}, stale("run", "fir_1")},
		{"the run waits for another", func(r *store.Reaction) { r.Runs = []store.RunChange{{RuleRun: running, Was: 1}} }, stale("run", "fir_2")},
		{"the run does not run", func(r *store.Reaction) { r.Runs = []store.RunChange{{RuleRun: running, Was: 1, Renew: true}} }, stale("run", "fir_2")},
		{
			"the run is not there", func(r *store.Reaction) { r.Runs = []store.RunChange{{RuleRun: store.RuleRun{ID: "fir_9"}, Was: 1}} },
			refusing(s, &store.UnknownRunError{Ref: ref, ID: "fir_9"}),
		},
		{"the letter is not there", func(r *store.Reaction) { r.Settled = []uint64{99} }, refusing(s, &store.UnknownLetterError{Ref: ref, Number: 99})},
		{
			"the letter is of no rule", func(r *store.Reaction) { r.Letters = []store.Letter{{Rule: "none", Seq: 1}} },
			refusing(s, &store.UnknownRuleError{Space: ref.Space, Name: "none"}),
		},
		{"the schedule has ticked", func(r *store.Reaction) { r.Schedule = &store.ScheduleChange{Name: "daily", Tick: distant} }, stale("schedule", "daily")},
		{
			"the schedule is not there", func(r *store.Reaction) { r.Schedule = &store.ScheduleChange{Name: "none", Drop: true} },
			refusing(s, &store.UnknownScheduleError{Space: ref.Space, Name: "none"}),
		},
	} {
		// With all that there can be beside it.
		r := store.Reaction{
			Ref: ref, Revision: revision, Stream: &store.StreamProgress{Was: 2, Now: 3},
			Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: store.Progress{InStep: true, Definition: "e"}, States: []store.ScopeState{
				{Scope: "[]", State: []byte("{}")},
			}}},
			NewRuns:  []store.RuleRun{fired("alarm", "fir_7", 3)},
			Letters:  []store.Letter{{Rule: "alarm", Seq: 2, Error: "e"}},
			Rule:     &store.Rule{Name: "new", Version: 1, Spec: []byte("{}")},
			Schedule: &store.ScheduleChange{Name: "weekly", Spec: []byte("{}"), Tick: moment},
			Facts:    []store.Fact{fact(ref, "told")},
		}
		c.change(&r)
		t.Run(c.name, func(t *testing.T) { c.want(t, r) })
	}
	// A letter of a run goes with the run alone.
	s.react(t, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: store.RuleRun{ID: "fir_1", Status: store.DeadLettered, Error: "e"}, Was: 1}}})
	letters, err := s.Letters(t.Context(), ref, store.LetterFilter{}, 1)
	if err != nil || letters[0].RunID != "fir_1" {
		t.Fatalf("the letters are %+v, %v", letters, err)
	}
	stale("letter", fmt.Sprint(letters[0].Number))(t, store.Reaction{Ref: ref, Settled: []uint64{letters[0].Number}})
}

// A reaction that is a command runs once. What it came to is remembered, but not that
// it was out of date.
func testReactCommand(t *testing.T, open Open) {
	s, ref := ruled(t, open)
	command := store.Command{Space: ref.Space, Actor: "user:local", Stream: ref.Name, ID: "cmd_1"}
	r := store.Reaction{
		Ref: ref, Command: &command, Rule: &store.Rule{Name: "alarm", Version: 2, Spec: []byte("{}")}, Facts: []store.Fact{fact(ref, "installed")},
		Result: func(r store.Reacted) []byte { return fmt.Appendf(nil, `{"outcome":{"seq":%d}}`, r.First) },
	}
	unmoved(t, s, r, &store.StaleError{Ref: ref, What: "rule", Name: "alarm"})
	if _, found, err := s.Recall(t.Context(), command); found || err != nil {
		t.Errorf("what was refused is remembered, %v", err)
	}
	r.Rule.Version = 1
	first := s.react(t, r)
	equal(t, "the first time", uint64(4), first.First)
	for range 2 {
		equal(t, "another time", store.Reacted{Earlier: []byte(`{"outcome":{"seq":4}}`)}, s.react(t, r))
		equal(t, "what happened", 4, len(s.envelopes(t, ref)))
		s.reopen(t)
	}
}
