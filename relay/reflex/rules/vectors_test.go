package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// vectors are what another implementation made of rules and logs. Those that are
// marked do what few expect; see ours.
type vectors struct {
	Cases       []vectorCase
	Histories   []history
	IDs         []idVector
	Definitions []definitionVector
	Durations   []durationVector
	Rules       []ruleVector
}

type vectorEnvelope struct {
	Seq   uint64
	TS    time.Time
	Event json.RawMessage
	Depth int
	Chain *string
}

func readEvent(t testing.TB, text []byte) *Event {
	t.Helper()
	e, err := ReadEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (v vectorEnvelope) read(t *testing.T) *Envelope {
	t.Helper()
	e := &Envelope{Seq: v.Seq, TS: v.TS.UnixMicro(), Event: readEvent(t, v.Event), Depth: v.Depth}
	kind, _, _ := e.Event.field("type")
	e.Type, _ = kind.(string)
	e.Chain = fmt.Sprintf("evt_%d", v.Seq)
	if v.Chain != nil {
		e.Chain = *v.Chain
	}
	return e
}

type expected struct {
	Firings   []vectorFiring
	Errors    []struct{ Seq uint64 }
	Deadlines map[string]time.Time
	Clock     []struct {
		TS time.Time
		expected
	}
}

type vectorFiring struct {
	AtSeq    uint64 `json:"at_seq"`
	Scope    json.RawMessage
	ScopeKey string `json:"scope_key"`
	Matched  []uint64
	ID       string
	Depth    *int
	Chain    *string
}

type vectorCase struct {
	Name      string
	Surprise  bool
	Rule      json.RawMessage
	Envelopes []vectorEnvelope
	MaxDepth  *int `json:"max_depth"`
	Expect    expected
}

func readVectors(t testing.TB) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/reflexr.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decided are the vectors that we do not follow: see ARCHITECTURE.md, "Decided".
var decided = []string{
	// True is no number: neither 1 nor 1.0 is equal to it.
	"operators/eq-bool-true", "operators/eq-bool-false", "operators/eq-int-0", "operators/eq-int-1",
	"operators/eq-list-1", "operators/eq-dict-a-1", "operators/in-list-1", "operators/in-list-0", "operators/in-list-1x",
	"operators/in-list-true-a-true", "operators/contains-int-1", "operators/contains-bool-true", "operators/contains-float-1-0",

	// Regular expressions are RE2's: $ is the end of the text, \Z is not known, and
	// there is nothing in them that takes time without end.
	"regex/08-line", "regex/09-line-Z", "regex/15-foo-1",
	"definition/regex/09-line-Z", "definition/regex/15-foo-1", "definition/regex/17-x-x-3",

	// A count is a number, and a flag is true or false.
	"rule/count-bool", "rule/enabled-text",
}

// differs makes of a test of a vector that we do not follow one that we indeed do
// not.
func differs(t *testing.T, name string, follows bool) {
	t.Helper()
	if decided := slices.Contains(decided, name); decided == follows {
		t.Errorf("%s: followed: %v, decided not to: %v", name, follows, decided)
	}
}

// TestVectors holds the rules to what users of such rules know: the same firings,
// errors and deadlines, whatever the batches in which a log comes and however often
// the state is put away in between.
func TestVectors(t *testing.T) {
	for _, c := range readVectors(t).Cases {
		t.Run(c.Name, func(t *testing.T) {
			rule, err := Parse(c.Rule)
			if slices.Contains(decided, c.Name) {
				differs(t, c.Name, err == nil && c.follows(t, rule))
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			log := c.log(t)
			maxDepth := NoDepth
			if c.MaxDepth != nil {
				maxDepth = *c.MaxDepth
			}
			for _, batch := range []int{len(log) + 1, 3, 1} {
				w := &watcher{rule: rule, maxDepth: maxDepth}
				got := w.evaluate(t, log, batch)
				c.Expect.compare(t, got)
				deadlines := make(map[string]int64)
				for key, at := range c.Expect.Deadlines {
					deadlines[key] = at.UnixMicro()
				}
				if diff := cmp.Diff(deadlines, w.memory.Deadlines()); diff != "" {
					t.Errorf("the deadlines: %s", diff)
				}
				for _, tick := range c.Expect.Clock {
					later := w.copy(t)
					e := &Envelope{Seq: uint64(len(log)) + 1, TS: tick.TS.UnixMicro(), Type: "tick", Event: readEvent(t, []byte(`{"type":"tick"}`))}
					tick.compare(t, later.evaluate(t, []*Envelope{e}, 1))
				}
			}
		})
	}
}

func (c vectorCase) log(t *testing.T) []*Envelope {
	t.Helper()
	log := make([]*Envelope, len(c.Envelopes))
	for i, e := range c.Envelopes {
		log[i] = e.read(t)
	}
	return log
}

// follows says whether a rule fires where the vector has it.
func (c vectorCase) follows(t *testing.T, rule Rule) bool {
	t.Helper()
	got := (&watcher{rule: rule, maxDepth: NoDepth}).evaluate(t, c.log(t), 1)
	return slices.EqualFunc(c.Expect.Firings, got.Firings, func(want vectorFiring, got Firing) bool { return want.ID == got.ID })
}

// watcher is a rule with its progress and memory.
type watcher struct {
	rule     Rule
	progress Progress
	memory   Recall
	maxDepth int
}

// evaluate evaluates envelopes, and puts the state away as JSON after each batch.
func (w *watcher) evaluate(t *testing.T, log []*Envelope, batch int) (all Outcome) {
	t.Helper()
	for part := range slices.Chunk(log, batch) {
		for _, e := range part {
			o, err := w.rule.Evaluate(&w.progress, &w.memory, e, w.maxDepth)
			if err != nil {
				t.Fatal(err)
			}
			all.Stage = o.Stage
			all.Firings = append(all.Firings, o.Firings...)
			all.Failures = append(all.Failures, o.Failures...)
		}
		*w = *w.copy(t)
	}
	return all
}

func (w *watcher) copy(t *testing.T) *watcher {
	t.Helper()
	c := &watcher{rule: w.rule, maxDepth: w.maxDepth}
	thaw(t, w.progress, &c.progress)
	for scope, s := range w.memory.states {
		var kept State
		thaw(t, s, &kept)
		_ = c.memory.Save(scope, &kept)
	}
	return c
}

// thaw puts something away as JSON and takes it out again.
func thaw(t *testing.T, what, into any) {
	t.Helper()
	text, err := json.Marshal(what)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (x expected) compare(t *testing.T, got Outcome) {
	t.Helper()
	var want []Firing
	for i, f := range x.Firings {
		scope, err := Decode(f.Scope)
		if err != nil {
			t.Fatal(err)
		}
		one := Firing{ID: f.ID, Seq: f.AtSeq, Scope: scope.(Object), ScopeKey: f.ScopeKey, Matched: f.Matched}
		if i < len(got.Firings) { // what is not said may be anything
			one.Depth, one.Chain = got.Firings[i].Depth, got.Firings[i].Chain
		}
		if f.Depth != nil {
			one.Depth = *f.Depth
		}
		if f.Chain != nil {
			one.Chain = *f.Chain
		}
		want = append(want, one)
	}
	if diff := cmp.Diff(want, got.Firings, cmp.Comparer(func(a, b Number) bool { return Text(a) == Text(b) })); diff != "" {
		t.Errorf("the firings (-want +got): %s", diff)
	}
	var failed, wantFailed []uint64
	for _, f := range got.Failures {
		failed = append(failed, f.Seq)
	}
	for _, e := range x.Errors {
		wantFailed = append(wantFailed, e.Seq)
	}
	if diff := cmp.Diff(wantFailed, failed); diff != "" {
		t.Errorf("the errors (-want +got): %s", diff)
	}
}

// history is a log that grows while the rule changes and is replayed.
type history struct {
	Name  string
	Rule  json.RawMessage
	Steps []struct {
		Do        string
		Envelopes []vectorEnvelope
		Rule      json.RawMessage
		Mode      string
		FromSeq   uint64 `json:"from_seq"`
		Expect    struct {
			expected
			Changed  bool
			Progress struct {
				Cursor        uint64
				Generation    int
				SilentThrough uint64 `json:"silent_through"`
				Deadlines     map[string]time.Time
			}
		}
	}
}

// TestHistories holds changes of a rule, rebuilding and firing once more to the
// same vectors.
func TestHistories(t *testing.T) {
	for _, h := range readVectors(t).Histories {
		t.Run(h.Name, func(t *testing.T) {
			rule, err := Parse(h.Rule)
			if err != nil {
				t.Fatal(err)
			}
			w := &watcher{rule: rule, progress: rule.Begin(0), maxDepth: NoDepth}
			var log []*Envelope
			for _, step := range h.Steps {
				head := uint64(len(log))
				switch step.Do {
				case "log":
					for _, e := range step.Envelopes {
						log = append(log, e.read(t))
					}
					continue
				case "rule":
					if w.rule, err = Parse(step.Rule); err != nil {
						t.Fatal(err)
					}
					continue
				case "replay":
					if step.Mode == "rebuild" {
						w.progress = w.rule.Rebuild(w.progress, step.FromSeq, head)
					} else {
						w.progress = w.rule.Refire(w.progress, step.FromSeq)
					}
					w.memory = Recall{}
				case "evaluate":
					changed := w.rule.Changed(w.progress)
					if changed {
						w.progress, w.memory = w.rule.Reset(w.progress, head), Recall{}
					}
					if changed != step.Expect.Changed {
						t.Errorf("changed: %v", changed)
					}
					step.Expect.compare(t, w.evaluate(t, log[w.progress.Cursor:], 7))
				default:
					t.Fatalf("a step %q", step.Do)
				}
				want := step.Expect.Progress
				if got := w.progress; got.Cursor != want.Cursor || got.Generation != want.Generation || got.SilentThrough != want.SilentThrough {
					t.Errorf("the progress is %+v, not %+v", got, want)
				}
				if got := w.memory.Deadlines(); len(got) != len(want.Deadlines) {
					t.Errorf("the deadlines are %v, not %v", got, want.Deadlines)
				}
			}
		})
	}
}

type idVector struct {
	Name       string
	Rule       string
	Generation int
	ScopeKey   string `json:"scope_key"`
	Seq        uint64
	ID         string
}

// Ids are the same as elsewhere, so that whoever moves here keeps them.
func TestIDs(t *testing.T) {
	for _, v := range readVectors(t).IDs {
		if got := firingID(v.Rule, v.Generation, v.ScopeKey, v.Seq); got != v.ID {
			t.Errorf("%s: %s, not %s", v.Name, got, v.ID)
		}
	}
}

type definitionVector struct {
	Name       string
	Rule       json.RawMessage
	Canonical  string
	Definition string
}

// A definition is that of what is written, with what is left out filled in.
func TestDefinitions(t *testing.T) {
	for _, v := range readVectors(t).Definitions {
		rule, err := Parse(v.Rule)
		differs(t, v.Name, err == nil)
		if err != nil {
			continue
		}
		if diff := cmp.Diff(v.Canonical, rule.condition()); diff != "" || rule.Definition() != v.Definition {
			t.Errorf("%s: %s %s", v.Name, rule.Definition(), diff)
		}
	}
}

type durationVector struct {
	Name         string
	Input        json.RawMessage
	Valid        bool
	Microseconds Duration
	Text         string
}

// Durations are read to the microsecond, and written in one form.
func TestDurations(t *testing.T) {
	for _, v := range readVectors(t).Durations {
		input, err := Decode(v.Input)
		if err != nil {
			t.Fatal(err)
		}
		d, err := durationOf(input)
		if (err == nil) != v.Valid {
			t.Errorf("%s: %v", v.Name, err)
		}
		if v.Valid && (d != v.Microseconds || d.String() != v.Text) {
			t.Errorf("%s: %d, %s", v.Name, d, d)
		}
	}
}

type ruleVector struct {
	Name     string
	Surprise bool
	Rule     json.RawMessage
	Valid    bool
}

// What is a rule elsewhere is one here, and what is none is none.
func TestRules(t *testing.T) {
	for _, v := range readVectors(t).Rules {
		_, err := Parse(v.Rule)
		differs(t, v.Name, (err == nil) == v.Valid)
	}
}
