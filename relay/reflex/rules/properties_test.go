package rules

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sameValues compares what holds values, and leaves alone what is made of texts
// that are compared, too.
var sameValues = cmp.Options{
	cmp.Comparer(func(a, b Number) bool { return Text(a) == Text(b) }),
	cmpopts.IgnoreUnexported(Rule{}, Where{}, CEL{}, State{}),
	cmpopts.EquateEmpty(),
}

const someDepth = 3

// A log gives the same firings and failures, and leaves the same states behind, in
// whatever batches it comes and however often the state is put away in between.
func TestReplayGivesTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		log := drawLog(r, rule.Name)
		whole := &watcher{rule: rule, maxDepth: someDepth}
		want := whole.evaluate(t, log, len(log)+1)
		parted := &watcher{rule: rule, maxDepth: someDepth}
		var got Outcome
		for rest := log; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "batch")
			o := parted.evaluate(t, rest[:n], rapid.IntRange(1, n).Draw(r, "thawed"))
			got.Firings, got.Failures = append(got.Firings, o.Firings...), append(got.Failures, o.Failures...)
			rest = rest[n:]
		}
		want.Stage = ""
		if diff := cmp.Diff(want, got, sameValues); diff != "" {
			t.Fatalf("(-at once +in parts):\n%s", diff)
		}
		if diff := cmp.Diff(whole.memory.states, parted.memory.states, sameValues); diff != "" {
			t.Fatalf("the states (-at once +in parts):\n%s", diff)
		}
	})
}

// A scope knows nothing of others: what fires in it is what would if the events of
// all others were none that the rule knows.
func TestScopesAreApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		log := drawLog(r, rule.Name)
		all := (&watcher{rule: rule, maxDepth: someDepth}).evaluate(t, log, len(log)+1)
		byScope := make(map[string][]Firing)
		for _, f := range all.Firings {
			byScope[f.ScopeKey] = append(byScope[f.ScopeKey], f)
		}
		keys := slices.Sorted(maps.Keys(byScope))
		if len(keys) == 0 {
			return
		}
		key := rapid.SampledFrom(keys).Draw(r, "scope")
		var alone []*Envelope
		for _, e := range log {
			other := *e
			if _, of, err := rule.scopeOf(e); err != nil || of != key {
				other.Type, other.Event = "other", readEvent(t, []byte(`{"type":"other"}`)) // in no scope
				if len(rule.Scope.Fields) == 0 {
					other = *e
				}
			}
			alone = append(alone, &other)
		}
		var got []Firing
		for _, f := range (&watcher{rule: rule, maxDepth: someDepth}).evaluate(t, alone, len(log)+1).Firings {
			if f.ScopeKey == key {
				got = append(got, f)
			}
		}
		if diff := cmp.Diff(byScope[key], got, sameValues); diff != "" {
			t.Fatalf("in the scope %s (-among others +alone):\n%s", key, diff)
		}
	})
}

// A count fires with as many members as it asks for, all within its window, and
// each envelope counts once.
func TestCountStaysInItsWindow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r, "count")
		log := drawLog(r, rule.Name)
		count := rule.When.Pattern.(Count)
		counted := make(map[uint64]bool)
		for _, f := range (&watcher{rule: rule, maxDepth: NoDepth}).evaluate(t, log, len(log)+1).Firings {
			if len(f.Matched) != count.AtLeast || f.Matched[len(f.Matched)-1] != f.Seq || !slices.IsSorted(f.Matched) {
				t.Fatalf("matched %v at %d", f.Matched, f.Seq)
			}
			if log[f.Seq-1].TS-log[f.Matched[0]-1].TS >= int64(count.Within) {
				t.Fatalf("the members %v are further apart than %s", f.Matched, count.Within)
			}
			for _, seq := range f.Matched {
				if counted[seq] {
					t.Fatalf("%d counts twice", seq)
				}
				counted[seq] = true
			}
		}
	})
}

// A throttle never lets more through than it says, wherever the window begins.
func TestThrottleHolds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		log := drawLog(r, rule.Name)
		fired := make(map[string][]int64)
		for _, f := range (&watcher{rule: rule, maxDepth: NoDepth}).evaluate(t, log, len(log)+1).Firings {
			fired[f.ScopeKey] = append(fired[f.ScopeKey], log[f.Seq-1].TS)
		}
		throttle := rule.When.Throttle
		if throttle == nil {
			return
		}
		for scope, times := range fired {
			for i := throttle.AtMost; i < len(times); i++ {
				if times[i]-times[i-throttle.AtMost] < int64(throttle.Per) {
					t.Fatalf("in %s it fired at %v", scope, times)
				}
			}
		}
	})
}

// An absence fires once for each silence that is long enough, with the event before
// it, at the first envelope that shows it.
func TestAbsenceFiresOncePerSilence(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r, "absence")
		rule.When.Dedupe, rule.When.Throttle = nil, nil
		log := drawLog(r, rule.Name)
		within := int64(rule.When.Pattern.(Absence).Within)

		type silence struct{ Match, At uint64 }
		var want, got []silence
		last := make(map[string]*Envelope) // the last match by its scope
		for _, e := range log {
			for key, m := range last {
				if e.TS-m.TS >= within {
					want = append(want, silence{m.Seq, e.Seq})
					delete(last, key)
				}
			}
			if isFact(e.Type) || !rule.concerns(e.Type) { // the facts here are all its own
				continue
			}
			if ok, err := rule.When.Filter.matches(e); !ok || err != nil {
				continue
			}
			if _, key, err := rule.scopeOf(e); err == nil {
				last[key] = e
			}
		}
		for _, f := range (&watcher{rule: rule, maxDepth: NoDepth}).evaluate(t, log, len(log)+1).Firings {
			got = append(got, silence{f.Matched[0], f.Seq})
		}
		less := cmpopts.SortSlices(func(a, b silence) bool { return a.Match < b.Match })
		if diff := cmp.Diff(want, got, less, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the silences (-want +got):\n%s", diff)
		}
	})
}

// Who asks a rule only for envelopes of its types, and for those at which time is
// up, gets all that it has to say.
func TestEventTypesAreAllThatMatters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		log := drawLog(r, rule.Name)
		types, all := rule.EventTypes()
		asked := &watcher{rule: rule, maxDepth: someDepth}
		var got Outcome
		for _, e := range log {
			due, _ := asked.memory.Due(e.TS)
			if due != "" && !rule.Waits() {
				t.Fatalf("a rule that does not wait has a deadline")
			}
			if !all && !slices.Contains(types, e.Type) && due == "" {
				continue
			}
			o := asked.evaluate(t, []*Envelope{e}, 1)
			got.Firings, got.Failures = append(got.Firings, o.Firings...), append(got.Failures, o.Failures...)
		}
		// One to which nothing is said of types looks at everything itself.
		blind := rule
		blind.types = nil
		every := &watcher{rule: blind, maxDepth: someDepth}
		want := every.evaluate(t, log, len(log)+1)
		want.Stage = ""
		if diff := cmp.Diff(want, got, sameValues); diff != "" {
			t.Fatalf("of the types %v (-asked for all +asked for these):\n%s", types, diff)
		}
	})
}

// A state that has expired may be forgotten: nothing that the rule does later tells.
func TestExpiredStatesMeanNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		log := drawLog(r, rule.Name)
		keeping := &watcher{rule: rule, maxDepth: someDepth}
		forgetting := &watcher{rule: rule, maxDepth: someDepth}
		for _, e := range log {
			for scope, s := range forgetting.memory.states {
				if rule.Expires(s) <= e.TS {
					_ = forgetting.memory.Save(scope, nil)
				}
			}
			want, got := keeping.evaluate(t, []*Envelope{e}, 1), forgetting.evaluate(t, []*Envelope{e}, 1)
			if diff := cmp.Diff(want, got, sameValues); diff != "" {
				t.Fatalf("at %d (-keeping +forgetting):\n%s", e.Seq, diff)
			}
		}
	})
}

// What a rule is written as is read as the same rule.
func TestRulesAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := drawParsed(r)
		text, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(rule, again, sameValues); diff != "" || rule.Definition() != again.Definition() {
			t.Fatalf("%s (-written +read):\n%s", text, diff)
		}
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(text, twice) {
			t.Fatalf("%v: written as %s, and then as %s", err, text, twice)
		}
	})
}
