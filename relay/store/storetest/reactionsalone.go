package storetest

import (
	"strings"
	"testing"

	"hearth/relay/store"
)

// A reaction needs the stream only for what belongs to one, and makes it by its facts.
func testReactAlone(t *testing.T, open Open) {
	s := start(t, open)
	ref, other := named("nowhere"), named("notes")
	equal(t, "what is told of nothing", automations{}, s.automations(t, ref))
	unmoved(t, s, store.Reaction{Ref: ref, Stream: &store.StreamProgress{Now: 1}}, &store.NotFoundError{Ref: ref})
	unmoved(t, s, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired("alarm", "fir_1", 1)}}, &store.NotFoundError{Ref: ref})
	s.react(t, install(ref, "alarm"))
	s.absent(t, ref)
	r := install(ref, "other")
	r.Facts = []store.Fact{fact(ref, "installed")}
	if done := s.react(t, r); done.First != 1 || done.Stream != s.stream(t, ref).Identity {
		t.Errorf("it came to %+v", done)
	}
	s.write(t, other, batch(0, "opaque"))
	_, err := s.React(t.Context(), store.Reaction{Ref: other, Facts: []store.Fact{fact(other, "a")}})
	refused(t, err, &store.WrongKindError{Ref: other, Kind: store.Entries})
	equal(t, "nothing at all", store.Reacted{Stream: s.stream(t, ref).Identity}, s.react(t, store.Reaction{Ref: ref}))
}

// What could not be kept is not written.
func testReactMalformed(t *testing.T, open Open) {
	s, ref := ruled(t, open, "alarm")
	long := strings.Repeat("x", store.MaxRunText+1)
	before := s.automations(t, ref)
	for name, r := range map[string]store.Reaction{
		"a fact without a type":   {Facts: []store.Fact{{Origin: fact(ref, "").Origin, JSON: []byte("{}")}}},
		"a fact of another":       {Facts: []store.Fact{fact(named("other"), "a")}},
		"a rule without a name":   {Rule: &store.Rule{Version: 1, Spec: []byte("{}")}},
		"a rule of nothing":       {Rule: &store.Rule{Name: "a", Version: 1}},
		"a large rule":            {Rule: &store.Rule{Name: "a", Version: 1, Spec: make([]byte, store.MaxSpec+1)}},
		"no definition":           {Rules: []store.RuleProgress{{Rule: "alarm", Was: began}}},
		"a rule twice":            {Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: began}, {Rule: "alarm", Was: began, Now: began}}},
		"a rule that is ahead":    {Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: store.Progress{Cursor: 4, Definition: "d"}}}},
		"a rule that goes back":   {Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: store.Progress{Definition: "d"}}}},
		"a stream that is ahead":  {Stream: &store.StreamProgress{Now: 4}},
		"a state in no scope":     {Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: began, States: []store.ScopeState{{State: []byte("{}")}}}}},
		"a run that runs already": {NewRuns: []store.RuleRun{{ID: "a", Rule: "alarm", ScopeKey: "[]", Scope: []byte("{}"), FiredSeq: 1, Status: store.Running}}},
		"a run of no event":       {NewRuns: []store.RuleRun{{ID: "a", Rule: "alarm", ScopeKey: "[]", Scope: []byte("{}")}}},
		"a run twice":             {NewRuns: []store.RuleRun{fired("alarm", "a", 1), fired("alarm", "a", 1)}},
		"a long error":            {Letters: []store.Letter{{Rule: "alarm", Seq: 1, Error: long}}},
		"a letter of a run":       {Letters: []store.Letter{{Rule: "alarm", Seq: 1, RunID: "a"}}},
		"a schedule twice":        {Schedule: &store.ScheduleChange{Name: "a", Spec: []byte("{}"), Drop: true}},
		"too much":                {Rules: []store.RuleProgress{{Rule: "alarm", Was: began, Now: began, States: []store.ScopeState{{Scope: "[]", State: make([]byte, store.MaxReaction)}}}}},
	} {
		r.Ref = ref
		if done, err := s.React(t.Context(), r); err == nil {
			t.Errorf("%s is taken: %+v", name, done)
		}
	}
	equal(t, "what is there", before, s.automations(t, ref))
}
