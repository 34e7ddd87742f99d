package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hearth/relay/archive"
	"hearth/relay/store"
)

// drawCarried makes what automations have left in a stream: some of all that there can
// be, in the order of the store.
func drawCarried(t *rapid.T, s store.Stream) (list []store.Carried) {
	if s.Kind != store.Events {
		return nil
	}
	at := time.UnixMicro(rapid.Int64Range(1, 1<<50).Draw(t, "at")).UTC()
	state := store.ScopeState{Scope: "[]", State: rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "state"), Deadline: at}
	for _, c := range []store.Carried{
		{Evaluated: &store.Evaluated{Cursor: s.Head}},
		{Progress: &store.CarriedProgress{Rule: "a", Progress: store.Progress{InStep: true, Cursor: 1, Generation: 2, Definition: "d", SilentThrough: 3}}},
		{State: &store.CarriedState{Rule: "a", ScopeState: state}},
		{Run: &store.RuleRun{
			Number: 7, ID: "fir_1", Rule: "a", ScopeKey: "[]", Scope: []byte("{}"), FiredSeq: 1, Matched: []uint64{1}, Chain: "c", Depth: 1, CreatedAt: at,
			Ordered: true, Blocks: true, Status: store.DeadLettered, Epoch: 3, Tried: 1, UpdatedAt: at, Error: "e", Reason: "r", Step: "s", Checkpoints: 1,
			Checkpoint: []byte("{}"), Output: []byte("1"), Attempts: []store.Attempt{{Number: 1, Started: at, Ended: at, Error: "e", Reason: "r"}},
		}},
		{Letter: &store.Letter{Number: 3, Rule: "a", Seq: 1, RunID: "fir_1", Error: "e", Reason: "r", At: at}},
	} {
		if rapid.Bool().Draw(t, "carried") {
			list = append(list, c)
		}
	}
	return list
}

// drawSpaces makes rules and schedules.
func drawSpaces(t *rapid.T) (list []store.Carried) {
	at := time.UnixMicro(rapid.Int64Range(1, 1<<50).Draw(t, "at")).UTC()
	for version := range rapid.Uint64Range(0, 2).Draw(t, "versions") {
		list = append(list, store.Carried{Rule: &store.Rule{
			Space: "default", Name: "a", Version: version + 1, Archived: version == 1, Spec: []byte(`{"a": 1}`), Provenance: []byte("{}"),
			Actor: []byte("{}"), Reason: "r", At: at,
		}})
	}
	if rapid.Bool().Draw(t, "schedule") {
		list = append(list, store.Carried{Schedule: &store.Schedule{
			Space: "default", Name: "daily", Spec: []byte("{}"), ChangedAt: at, Ticks: map[string]time.Time{"notes": at},
		}})
	}
	return list
}

// What a relay could not have left is not taken, nor is what is in the wrong place.
func TestHostileCarried(t *testing.T) {
	s, r := one()
	at := time.UnixMilli(5)
	rule := store.Rule{Space: "default", Name: "a", Version: 1, Spec: []byte("{}"), At: at}
	run := store.RuleRun{Number: 1, ID: "a", Rule: "a", ScopeKey: "[]", FiredSeq: 1, Epoch: 1, CreatedAt: at, UpdatedAt: at}
	with := func(change func(*store.RuleRun)) store.Carried {
		n := run
		change(&n)
		return store.Carried{Run: &n}
	}
	ruled := func(change func(*store.Rule)) store.Carried {
		v := rule
		change(&v)
		return store.Carried{Rule: &v}
	}
	taken := func(parts ...store.Carried) error {
		var out bytes.Buffer
		w, err := archive.NewWriter(&out, archive.Manifest{})
		if err = errors.Join(err, w.Stream(s), w.Run(r)); err != nil {
			t.Fatal(err)
		}
		for _, c := range parts {
			if err := w.Carried(c); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = read(&out)
		return err
	}
	if err := taken(store.Carried{Evaluated: &store.Evaluated{Cursor: 1}}, store.Carried{Run: &run}, store.Carried{Rule: &rule}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]store.Carried{
		"nothing":                {},
		"two at once":            {Rule: &rule, Schedule: &store.Schedule{Space: "default", Name: "a", Spec: []byte("{}"), ChangedAt: at}},
		"a stream that is ahead": {Evaluated: &store.Evaluated{Cursor: 2}},
		"a rule that is ahead":   {Progress: &store.CarriedProgress{Rule: "a", Progress: store.Progress{Cursor: 2}}},
		"a state of nothing":     {State: &store.CarriedState{Rule: "a", ScopeState: store.ScopeState{Scope: "[]"}}},
		"a run without an id":    with(func(n *store.RuleRun) { n.ID = "" }),
		"a run that is over":     with(func(n *store.RuleRun) { n.Status = store.Succeeded }),
		"a run of no status":     with(func(n *store.RuleRun) { n.Status = 200 }),
		"an attempt left out":    with(func(n *store.RuleRun) { n.Attempts = []store.Attempt{{Number: 2, Started: at}} }),
		"a letter of no event":   {Letter: &store.Letter{Number: 1, Rule: "a", At: at}},
		"a version left out":     ruled(func(v *store.Rule) { v.Version = 2 }),
		"a rule of no space":     ruled(func(v *store.Rule) { v.Space = "/" }),
		"a rule that is no JSON": ruled(func(v *store.Rule) { v.Spec = []byte("{") }),
		"a long name":            ruled(func(v *store.Rule) { v.Name = strings.Repeat("a", store.MaxRuleName+1) }),
		"a schedule of no time":  {Schedule: &store.Schedule{Space: "default", Name: "a", Spec: []byte("{}")}},
	} {
		if taken(c) == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if taken(store.Carried{Rule: &rule}, store.Carried{Run: &run}) == nil {
		t.Error("a run behind a rule is taken")
	}
}
