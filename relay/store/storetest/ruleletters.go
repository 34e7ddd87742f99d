package storetest

import (
	"fmt"
	"testing"

	"hearth/relay/store"
)

// A run is a dead letter until somebody has dealt with it; so is an event that could not
// be evaluated. Numbers do not come again.
func testLetters(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a", "b")
	s.react(t, store.Reaction{
		Ref: ref, NewRuns: []store.RuleRun{fired("a", "fir_1", 2)},
		Letters: []store.Letter{{Rule: "a", Seq: 1, Error: "first"}, {Rule: "b", Seq: 2, Error: "second"}},
	})
	list := func(f store.LetterFilter, limit int) (list []store.Letter) {
		t.Helper()
		list, err := s.Letters(t.Context(), ref, f, limit)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	is := func(want ...string) {
		t.Helper()
		var got []string
		for _, l := range list(store.LetterFilter{}, everything) {
			got = append(got, fmt.Sprint(l.Rule, l.Seq, l.RunID, l.Error, l.Reason))
		}
		equal(t, "the letters", want, got)
	}
	is("b2second", "a1first")
	dead := func(why string) {
		t.Helper()
		s.change(t, ref, "fir_1", func(r *store.RuleRun) { r.Status, r.Error, r.Reason = store.DeadLettered, why, "r" })
	}
	dead("no")
	is("a2fir_1nor", "b2second", "a1first")
	all := list(store.LetterFilter{}, everything)
	equal(t, "those of a rule", all[1:2], list(store.LetterFilter{Rule: "b"}, everything))
	equal(t, "the first page", all[:2], list(store.LetterFilter{}, 2))
	equal(t, "the second", all[2:], list(store.LetterFilter{Before: all[1].Number}, 2))
	s.change(t, ref, "fir_1", func(r *store.RuleRun) { r.Blocks = true })
	is("a2fir_1nor", "b2second", "a1first")
	s.status(t, ref, "fir_1", store.Pending)
	s.react(t, store.Reaction{Ref: ref, Settled: []uint64{all[1].Number}})
	is("a1first")
	s.reopen(t)
	is("a1first")
	dead("still not")
	is("a2fir_1still notr", "a1first")
	if n := list(store.LetterFilter{}, 1)[0].Number; n <= all[0].Number {
		t.Errorf("the number %d comes again after %d", n, all[0].Number)
	}
	standing, err := s.Standing(t.Context(), ref)
	if err != nil || standing.Rules[0].Letters != 2 || standing.Rules[1].Letters != 0 {
		t.Errorf("the letters are counted as %+v, %v", standing.Rules, err)
	}
}

// What has been over the longest goes if it is too old or too much; nothing else, and no
// number comes again.
func testPruneRuns(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a")
	statuses := []store.RunStatus{
		store.Pending, store.Succeeded, store.DeadLettered, store.Skipped, store.Cancelled, store.Retrying, store.Succeeded, store.Succeeded,
	}
	for i, status := range statuses {
		r := fired("a", fmt.Sprint(i), 2)
		r.Ordered = false
		s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{r}})
		s.change(t, ref, r.ID, func(r *store.RuleRun) {
			r.Status, r.Checkpoints, r.Checkpoint, r.Attempts = status, 1, []byte("{}"), []store.Attempt{{Number: 1, Started: moment}}
		})
	}
	is := func(want ...string) {
		t.Helper()
		list, err := s.RuleRuns(t.Context(), ref, store.RunFilter{}, everything)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the runs", want, ids(list))
	}
	prune := func(r store.Retention, want int) {
		t.Helper()
		pruned, err := s.PruneRuns(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "how many went", want, pruned)
	}
	newest := s.run(t, ref, "7").Number
	prune(store.Retention{}, 0)
	prune(store.Retention{Most: 8}, 0)
	is("7", "6", "5", "4", "3", "2", "1", "0")
	prune(store.Retention{Most: 5}, 1)
	is("7", "6", "5", "4", "3", "2", "0")
	prune(store.Retention{Since: s.run(t, ref, "4").UpdatedAt}, 1)
	is("7", "6", "5", "4", "2", "0")
	prune(store.Retention{Since: distant}, 3)
	is("5", "2", "0")
	s.reopen(t)
	is("5", "2", "0")
	s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired("a", "new", 2)}})
	if n := s.run(t, ref, "new").Number; n <= newest {
		t.Errorf("the number %d comes again after %d", n, newest)
	}
}
