package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// modelRuns are the runs of a stream as they should be, in the order of creation.
type modelRuns []store.RuleRun

// due returns the ids of the runs that may begin by a time, sorted.
func (m modelRuns) due(at time.Time) (list []string) {
	for i, r := range m {
		if m.mayBegin(i) && !r.NextAttemptAt.After(at) {
			list = append(list, r.ID)
		}
	}
	slices.Sort(list)
	return list
}

// mayBegin says whether a run may begin, at its time.
func (m modelRuns) mayBegin(i int) bool {
	r := m[i]
	if r.Held || r.Status != store.Pending && r.Status != store.Retrying {
		return false
	}
	for j, other := range m {
		if !r.Ordered || !other.Ordered || i == j || other.Rule != r.Rule || other.ScopeKey != r.ScopeKey {
			continue
		}
		waited := other.Status.Unfinished() || other.Status == store.DeadLettered && other.Blocks
		before := other.FiredSeq < r.FiredSeq || other.FiredSeq == r.FiredSeq && j < i
		if other.Status == store.Running || waited && before {
			return false
		}
	}
	return true
}

// Whatever happens to runs, those may begin which should, and the store holds all that
// it was told of them.
func testRunModel(t *testing.T, open Open) {
	s := start(t, open)
	histories := 0
	rapid.Check(t, func(rt *rapid.T) {
		histories++
		ref := store.Ref{Space: fmt.Sprint("space-", histories), Name: "orders"}
		s.publish(t, publishTo(ref, published("a"), published("b"), published("c")))
		for _, rule := range []string{"a", "b"} {
			s.react(t, install(ref, rule))
		}
		var m modelRuns
		at := func() time.Time {
			return moment.Add(time.Duration(rapid.IntRange(0, 2).Draw(rt, "time")) * time.Second)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"fire": func(rt *rapid.T) {
				r := store.Reaction{Ref: ref}
				for range rapid.IntRange(1, 3).Draw(rt, "runs") {
					run := fired(rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "rule"), fmt.Sprint(len(m)+len(r.NewRuns)), rapid.Uint64Range(1, 3).Draw(rt, "seq"))
					run.ScopeKey = rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "scope")
					run.Ordered = rapid.IntRange(0, 3).Draw(rt, "ordered") > 0
					run.NextAttemptAt = at()
					r.NewRuns = append(r.NewRuns, run)
				}
				done, err := s.React(t.Context(), r)
				same(rt, nil, err)
				m = append(m, done.Runs...)
			},
			"change": func(rt *rapid.T) {
				if len(m) == 0 {
					rt.Skip("there are none")
				}
				i := rapid.IntRange(0, len(m)-1).Draw(rt, "run")
				change := store.RunChange{RuleRun: m[i], Was: m[i].Epoch}
				change.Status = store.RunStatus(rapid.IntRange(0, 6).Draw(rt, "status"))
				if may := m.due(distant); len(may) > 0 && rapid.Bool().Draw(rt, "begin") {
					i = slices.IndexFunc(m, func(r store.RuleRun) bool { return r.ID == may[0] })
					change = store.RunChange{RuleRun: m[i], Was: m[i].Epoch}
					change.Status = store.Running
				}
				change.Held = rapid.IntRange(0, 5).Draw(rt, "held") == 0
				change.Blocks = rapid.Bool().Draw(rt, "blocks")
				if change.Status != store.Running {
					change.Ordered = rapid.IntRange(0, 3).Draw(rt, "ordered") > 0
				}
				change.NextAttemptAt = at()
				change.Error = rapid.SampledFrom([]string{"", "e"}).Draw(rt, "error")
				begins := change.Status == store.Running && m[i].Status != store.Running
				_, err := s.React(t.Context(), store.Reaction{Ref: ref, Runs: []store.RunChange{change}})
				if begins && !m.mayBegin(i) {
					same(rt, &store.StaleError{Ref: ref, What: "run", Name: m[i].ID}, err)
					return
				}
				same(rt, nil, err)
				m[i] = change.RuleRun
				m[i].Epoch++
			},
			"reopen": func(rt *rapid.T) {
				if rapid.IntRange(0, 11).Draw(rt, "really") > 0 {
					rt.Skip("less often than the others: it takes longest")
				}
				s.reopen(t)
			},
			"": func(rt *rapid.T) {
				for _, when := range []time.Time{moment, moment.Add(time.Second), distant} {
					var got []string
					for _, rule := range []string{"a", "b"} {
						list, _, err := s.DueRuns(t.Context(), store.Due{At: when, Each: everything, Ref: ref, Rule: rule})
						same(rt, nil, err)
						got = append(got, ids(list)...)
					}
					slices.Sort(got)
					if want := m.due(when); !slices.Equal(want, got) {
						rt.Fatalf("%v may begin, not %v", want, got)
					}
				}
				list, err := s.RuleRuns(t.Context(), ref, store.RunFilter{}, everything)
				same(rt, nil, err)
				if len(list) != len(m) {
					rt.Fatalf("of %d runs there are %d", len(m), len(list))
				}
				slices.Reverse(list)
				dead := 0
				for i := range list {
					list[i].UpdatedAt = m[i].UpdatedAt
					if m[i].Status == store.DeadLettered {
						dead++
					}
				}
				if diff := cmp.Diff([]store.RuleRun(m), list, comparing); diff != "" {
					rt.Fatalf("the runs (-want +got):\n%s", diff)
				}
				letters, err := s.Letters(t.Context(), ref, store.LetterFilter{}, everything)
				same(rt, nil, err)
				if len(letters) != dead {
					rt.Fatalf("of %d dead letters there are %d", dead, len(letters))
				}
			},
		})
	})
}
