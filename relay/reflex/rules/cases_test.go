package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testCase is a promise about one rule, written by hand. The rule is whole, or a
// condition, or just a filter, whichever is enough.
type testCase struct {
	Name   string
	Rule   json.RawMessage
	When   json.RawMessage
	Filter json.RawMessage
	Scope  []string

	MaxDepth *int `json:"max_depth"`
	testStep
	Steps []testStep // if there is more than one
}

// testStep is something that happens to a rule, with what comes of it.
type testStep struct {
	Log    []testEnvelope
	Unseen bool            // the rule does not look at these yet
	Rule   json.RawMessage // is changed to this one
	Replay string          // rebuild or refire
	From   uint64

	Stages []Stage // of each envelope that is looked at
	Fires  []testFiring
	Errors []testFailure
	Resets bool // the condition has changed
}

// testEnvelope is written as [seconds, event, {depth, chain}].
type testEnvelope struct {
	TS    float64
	Event json.RawMessage
	More  struct {
		Depth int
		Chain string
	}
}

func (e *testEnvelope) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&e.TS, &e.Event, &e.More})
}

// testFiring is what a firing has to be like in what is said of it.
type testFiring struct {
	At      uint64
	Matched []uint64
	Scope   json.RawMessage
	Key     *string
	Depth   *int
	Chain   *string
}

type testFailure struct {
	Seq  uint64
	Says string // among other things
}

// readCases reads the cases of a family, and refuses members that it does not know:
// what is mistyped would promise nothing.
func readCases[T any](t *testing.T, pattern string) (cases map[string][]T) {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/" + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	cases = make(map[string][]T)
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(file)
		d.DisallowUnknownFields()
		var list []T
		if err := d.Decode(&list); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		file.Close()
		cases[strings.TrimSuffix(filepath.Base(path), ".json")] = list
	}
	return cases
}

// TestCases holds rules to what is promised of them.
func TestCases(t *testing.T) {
	for family, cases := range readCases[testCase](t, "log-*.json") {
		for _, c := range cases {
			t.Run(family+"/"+c.Name, func(t *testing.T) { c.run(t) })
		}
	}
}

// whole returns the text of the rule.
func (c testCase) whole(t *testing.T) []byte {
	t.Helper()
	if c.Rule != nil {
		return c.Rule
	}
	when := c.When
	if when == nil {
		when = fmt.Appendf(nil, `{"filter":%s}`, c.Filter)
	}
	scope, err := json.Marshal(append([]string{}, c.Scope...))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"name":"r","when":%s,"scope":{"fields":%s},"then":{"action":"notify"}}`, when, scope)
}

func (c testCase) run(t *testing.T) {
	rule, err := Parse(c.whole(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{rule: rule, progress: rule.Begin(0), maxDepth: NoDepth}
	if c.MaxDepth != nil {
		w.maxDepth = *c.MaxDepth
	}
	steps := c.Steps
	if steps == nil {
		steps = []testStep{c.testStep}
	}
	var log []*Envelope
	for i, s := range steps {
		for _, e := range s.Log {
			log = append(log, e.envelope(t, uint64(len(log))+1))
		}
		head := uint64(len(log))
		switch {
		case s.Rule != nil:
			if w.rule, err = Parse(s.Rule); err != nil {
				t.Fatal(err)
			}
		case s.Replay == "rebuild":
			w.progress, w.memory = w.rule.Rebuild(w.progress, s.From, head), Recall{}
		case s.Replay == "refire":
			w.progress, w.memory = w.rule.Refire(w.progress, s.From), Recall{}
		}
		if s.Unseen {
			continue
		}
		changed := w.rule.Changed(w.progress)
		if changed {
			w.progress, w.memory = w.rule.Reset(w.progress, head), Recall{}
		}
		if changed != s.Resets {
			t.Errorf("step %d: the rule starts anew: %v", i, changed)
		}
		s.compare(t, w, log[w.progress.Cursor:])
	}
}

func (e testEnvelope) envelope(t *testing.T, seq uint64) *Envelope {
	t.Helper()
	read := &Envelope{Seq: seq, TS: int64(math.Round(e.TS * float64(Second))), Event: readEvent(t, e.Event), Depth: e.More.Depth, Chain: e.More.Chain}
	kind, _, _ := read.Event.field("type")
	read.Type, _ = kind.(string)
	if read.Chain == "" {
		read.Chain = fmt.Sprint("evt_", seq)
	}
	return read
}

// compare evaluates envelopes and compares what comes of them.
func (s testStep) compare(t *testing.T, w *watcher, log []*Envelope) {
	t.Helper()
	var stages []Stage
	var fires []testFiring
	var failures []testFailure
	for _, e := range log {
		o := w.evaluate(t, []*Envelope{e}, 1)
		stages = append(stages, o.Stage)
		for _, f := range o.Firings {
			got := testFiring{At: f.Seq, Matched: f.Matched}
			if len(fires) < len(s.Fires) { // what is not said may be anything
				switch want := s.Fires[len(fires)]; {
				case want.Scope != nil:
					scope, err := Decode(want.Scope)
					if err != nil || !equal(scope, f.Scope) {
						t.Errorf("at %d the scope is %s, not %s", f.Seq, Text(f.Scope), want.Scope)
					}
					got.Scope = want.Scope
					fallthrough
				default:
					got.Key, got.Depth, got.Chain = said(want.Key, f.ScopeKey), said(want.Depth, f.Depth), said(want.Chain, f.Chain)
				}
			}
			fires = append(fires, got)
		}
		for _, f := range o.Failures {
			failure := testFailure{Seq: f.Seq, Says: f.Reason}
			if n := len(failures); n < len(s.Errors) && s.Errors[n].Says != "" && strings.Contains(f.Reason, s.Errors[n].Says) {
				failure.Says = s.Errors[n].Says
			}
			failures = append(failures, failure)
		}
	}
	for what, pair := range map[string][2]any{
		"stages": {s.Stages, stages}, "firings": {s.Fires, fires}, "errors": {s.Errors, failures},
	} {
		if diff := cmp.Diff(pair[0], pair[1], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the %s (-want +got):\n%s", what, diff)
		}
	}
}

// said returns what there is, if something is said of it.
func said[T any](want *T, got T) *T {
	if want == nil {
		return nil
	}
	return &got
}

// TestWhere holds each operator to what it passes, for each kind of value.
func TestWhere(t *testing.T) {
	type operator struct {
		Name   string
		Op     string
		Value  json.RawMessage
		Passes []json.RawMessage // events' fields x
		Drops  []json.RawMessage
		Absent bool // whether an event without the field passes
	}
	for _, c := range readCases[operator](t, "where.json")["where"] {
		t.Run(c.Name, func(t *testing.T) {
			rule, err := Parse(testCase{
				Filter: fmt.Appendf(nil, `{"kind":"where","field":"x","op":%q,"value":%s}`, c.Op, c.Value),
			}.whole(t))
			if err != nil {
				t.Fatal(err)
			}
			check := func(event string, want bool) {
				e := &Envelope{Seq: 1, Type: "t", Event: readEvent(t, []byte(event))}
				o, err := rule.Evaluate(new(rule.Begin(0)), new(Recall), e, NoDepth)
				if err != nil || (o.Stage == Fired) != want || (o.Stage == Filtered) == want {
					t.Errorf("%s %s of %s: %s, %v", c.Op, c.Value, event, o.Stage, err)
				}
			}
			for _, x := range c.Passes {
				check(fmt.Sprintf(`{"type":"t","x":%s}`, x), true)
			}
			for _, x := range c.Drops {
				check(fmt.Sprintf(`{"type":"t","x":%s}`, x), false)
			}
			check(`{"type":"t","y":1}`, c.Absent)
		})
	}
}

// TestInvalid holds what is no rule or schedule to all its mistakes, each with its
// place and sentence.
func TestInvalid(t *testing.T) {
	type invalid struct {
		Name     string
		Rule     json.RawMessage
		When     json.RawMessage
		Schedule json.RawMessage
		Text     *string // what is not even JSON
		Errors   [][3]string
	}
	for family, cases := range readCases[invalid](t, "invalid-*.json") {
		for _, c := range cases {
			t.Run(family+"/"+c.Name, func(t *testing.T) {
				var err error
				switch {
				case c.Schedule != nil:
					_, err = ParseSchedule(c.Schedule)
				case c.Text != nil:
					_, err = Parse([]byte(*c.Text))
				default:
					_, err = Parse(testCase{Rule: c.Rule, When: c.When}.whole(t))
				}
				var got [][3]string
				for _, e := range mistakes(t, err) {
					got = append(got, [3]string{strings.Join(e.Loc, "."), e.Type, e.Msg})
				}
				if diff := cmp.Diff(c.Errors, got); diff != "" {
					t.Errorf("the mistakes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func mistakes(t *testing.T, err error) []FieldError {
	t.Helper()
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*InvalidError](err)
	if !ok || invalid.What == "" || len(invalid.Errors) == 0 {
		t.Fatalf("the error %v", err)
	}
	return invalid.Errors
}
