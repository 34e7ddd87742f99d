package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"hearth/relay/store"
)

// run returns a run as it is.
func (s *subject) run(t testing.TB, ref store.Ref, id string) store.RuleRun {
	t.Helper()
	run, err := s.RuleRun(t.Context(), ref, id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// change changes a run as it is now.
func (s *subject) change(t testing.TB, ref store.Ref, id string, change func(*store.RuleRun)) {
	t.Helper()
	run := s.run(t, ref, id)
	was := run.Epoch
	change(&run)
	s.react(t, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: run, Was: was}}})
}

// status has a run be in a status.
func (s *subject) status(t testing.TB, ref store.Ref, id string, status store.RunStatus) {
	t.Helper()
	s.change(t, ref, id, func(r *store.RuleRun) { r.Status = status })
}

// due returns the ids of the runs that may begin by a time.
func (s *subject) due(t testing.TB, at time.Time) (list []string) {
	t.Helper()
	runs, _, err := s.DueRuns(t.Context(), store.Due{At: at, Each: everything})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		list = append(list, r.ID)
	}
	return list
}

func ids(runs []store.RuleRun) (list []string) {
	for _, r := range runs {
		list = append(list, r.ID)
	}
	return list
}

// A run has all that it was told, from its start to its end: attempts are added and end
// once, a checkpoint stays until the next, each change raises the epoch.
func testRunLife(t *testing.T, open Open) {
	s, ref := ruled(t, open, "alarm")
	s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired("alarm", "fir_1", 2)}})
	want := s.run(t, ref, "fir_1")
	is := func() {
		t.Helper()
		got := s.run(t, ref, "fir_1")
		want.UpdatedAt = got.UpdatedAt
		equal(t, "the run", want, got)
		list, err := s.RuleRuns(t.Context(), ref, store.RunFilter{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		got.Attempts, got.Checkpoint = nil, nil
		equal(t, "in a list", []store.RuleRun{got}, list)
	}
	change := func(change func(*store.RuleRun)) {
		t.Helper()
		s.change(t, ref, "fir_1", change)
		change(&want)
		want.Epoch++
		is()
	}
	change(func(r *store.RuleRun) {
		r.Status, r.Tried, r.Lease = store.Running, 1, moment
		r.Attempts = []store.Attempt{{Number: 1, Started: moment}}
	})
	change(func(r *store.RuleRun) {
		r.Step, r.Checkpoints, r.Checkpoint, r.CheckpointSize = "one", 1, []byte(`{"at":1}`), 8
	})
	// A lease is renewed without a change that others would have to notice.
	s.react(t, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: store.RuleRun{ID: "fir_1", Status: store.Running, Lease: distant}, Was: 3, Renew: true}}})
	want.Lease = distant
	is()
	change(func(r *store.RuleRun) {
		r.Status, r.NextAttemptAt, r.Error, r.Reason, r.Lease = store.Retrying, moment, "no answer", "timeout", time.Time{}
		r.Attempts[0].Ended, r.Attempts[0].Error, r.Attempts[0].Reason = moment.Add(time.Second), "no answer", "timeout"
		r.Checkpoint = []byte(`{"at":1}`)
	})
	change(func(r *store.RuleRun) {
		r.Status, r.Tried, r.Lease = store.Running, 2, moment
		r.Attempts = append(r.Attempts, store.Attempt{Number: 2, Started: moment})
	})
	// Only what is new needs to be said; what has ended has ended.
	s.react(t, store.Reaction{Ref: ref, Runs: []store.RunChange{{Was: want.Epoch, RuleRun: store.RuleRun{
		ID: "fir_1", Status: store.Succeeded, Tried: 2, Checkpoints: 1, Ordered: true, Step: "two", Output: []byte(`{"ok":true}`), Lease: moment,
		Attempts: []store.Attempt{{Number: 1, Started: distant, Error: "other"}, {Number: 2, Started: moment, Ended: distant}},
	}}}})
	want.Status, want.Step, want.Output, want.Error, want.Reason = store.Succeeded, "two", []byte(`{"ok":true}`), "", ""
	want.NextAttemptAt, want.Lease, want.Attempts[1].Ended = time.Time{}, time.Time{}, distant
	want.Epoch++
	is()
	s.reopen(t)
	is()
	for name, attempts := range map[string][]store.Attempt{
		"one is left out": {{Number: 4, Started: moment}},
		"it never began":  {{Number: 3}},
	} {
		_, err := s.React(t.Context(), store.Reaction{Ref: ref, Runs: []store.RunChange{{
			Was: want.Epoch, RuleRun: store.RuleRun{ID: "fir_1", Status: store.Pending, Attempts: attempts},
		}}})
		if err == nil {
			t.Errorf("an attempt is taken though %s", name)
		}
	}
	is()
	_, err := s.RuleRun(t.Context(), ref, "fir_2")
	refused(t, err, &store.UnknownRunError{Ref: ref, ID: "fir_2"})
	_, err = s.RuleRun(t.Context(), named("none"), "fir_1")
	refused(t, err, &store.UnknownRunError{Ref: named("none"), ID: "fir_1"})
}

// In a scope one run follows the other, by what they fired at. Those of other scopes and
// rules, and those without order, do not wait.
func testRunOrder(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a", "b")
	in := func(rule, id, scope string, seq uint64) store.RuleRun {
		r := fired(rule, id, seq)
		r.ScopeKey = scope
		return r
	}
	free := in("b", "free 1", "x", 2)
	free.Ordered = false
	also := free
	also.ID = "free 2"
	also.NextAttemptAt = moment
	s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{
		in("a", "x 3", "x", 3), in("a", "x 2", "x", 2), in("a", "x 3 again", "x", 3), in("a", "y 3", "y", 3), in("b", "b 3", "x", 3), free, also,
	}})
	is := func(want ...string) {
		t.Helper()
		got := s.due(t, distant)
		slices.Sort(got)
		slices.Sort(want)
		equal(t, "what may begin", want, got)
	}
	is("x 2", "y 3", "b 3", "free 1", "free 2")
	equal(t, "what may begin first", []string{"x 2", "y 3", "b 3", "free 1"}, s.due(t, moment.Add(-1)))
	_, next, err := s.DueRuns(t.Context(), store.Due{At: moment.Add(-time.Microsecond), Each: 1})
	if err != nil || !next.Equal(moment) {
		t.Errorf("the next one is due at %v, %v", next, err)
	}
	one, _, err := s.DueRuns(t.Context(), store.Due{At: distant, Each: 1})
	equal(t, "one of each rule", []string{"x 2", "b 3"}, ids(one))
	if err != nil {
		t.Error(err)
	}
	one, _, err = s.DueRuns(t.Context(), store.Due{At: distant, Each: 9, Ref: ref, Rule: "b"})
	equal(t, "of one rule", []string{"b 3", "free 1", "free 2"}, ids(one))
	if err != nil {
		t.Error(err)
	}

	s.status(t, ref, "x 2", store.Running)
	s.status(t, ref, "free 1", store.Running)
	is("y 3", "b 3", "free 2")
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Status, r.NextAttemptAt = store.Retrying, distant })
	is("x 2", "y 3", "b 3", "free 2")
	equal(t, "what may begin before", []string{"y 3", "b 3", "free 2"}, s.due(t, moment))
	s.status(t, ref, "x 2", store.Running)
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Status, r.Blocks, r.Error = store.DeadLettered, true, "e" })
	is("y 3", "b 3", "free 2")
	s.status(t, ref, "x 2", store.Skipped)
	is("x 3", "y 3", "b 3", "free 2")
	s.status(t, ref, "x 3", store.Running)
	s.change(t, ref, "x 3", func(r *store.RuleRun) { r.Status, r.Blocks, r.Error = store.DeadLettered, false, "e" })
	is("x 3 again", "y 3", "b 3", "free 2")
	// One that is put in line again is where it was; it waits for one that runs.
	s.status(t, ref, "x 2", store.Pending)
	is("x 2", "y 3", "b 3", "free 2")
	s.status(t, ref, "x 2", store.Cancelled)
	s.status(t, ref, "x 3 again", store.Running)
	s.status(t, ref, "x 2", store.Pending)
	is("y 3", "b 3", "free 2")
	s.status(t, ref, "x 3 again", store.Succeeded)
	is("x 2", "y 3", "b 3", "free 2")
	// A held one is waited for, and does not begin.
	s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{in("a", "x 4", "x", 3)}})
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Held = true })
	s.reopen(t)
	is("y 3", "b 3", "free 2")
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Held = false })
	is("x 2", "y 3", "b 3", "free 2")
	// One may be taken out of the line.
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Ordered = false })
	is("x 2", "x 4", "y 3", "b 3", "free 2")
	s.change(t, ref, "x 2", func(r *store.RuleRun) { r.Ordered = true })
	is("x 2", "y 3", "b 3", "free 2")
}

// Of those who want to begin a run at the same time, one does.
func testRacingRuns(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a")
	for round := range 10 {
		id := fmt.Sprint(round)
		s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired("a", id, 2)}})
		var mu sync.Mutex
		begun := 0
		race(func(int) {
			_, err := s.React(t.Context(), store.Reaction{
				Ref: ref, Facts: []store.Fact{fact(ref, "begun "+id)},
				Runs: []store.RunChange{{RuleRun: store.RuleRun{ID: id, Status: store.Running, Ordered: true, Lease: moment}, Was: 1}},
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				begun++
			} else {
				refused(t, err, &store.StaleError{Ref: ref, What: "run", Name: id})
			}
		})
		equal(t, "how many have begun it", 1, begun)
		s.status(t, ref, id, store.Succeeded)
	}
	equal(t, "the facts", 13, len(s.envelopes(t, ref)))
}

// Runs are listed newest first, page by page, by rule, scope and status.
func testRuleRuns(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a", "b")
	other := named("other")
	s.publish(t, publishTo(other, published("a")))
	s.react(t, store.Reaction{Ref: other, NewRuns: []store.RuleRun{fired("a", "theirs", 1)}})
	var runs []store.RuleRun
	for i := range 40 {
		r := fired([]string{"a", "b"}[i%2], fmt.Sprint(i), 2)
		r.ScopeKey = fmt.Sprint(i % 3)
		r.Ordered, r.Held = false, i%5 == 0
		runs = append(runs, r)
	}
	s.react(t, store.Reaction{Ref: ref, NewRuns: runs})
	for i := range runs {
		switch runs[i].Status = store.RunStatus(i % 7); runs[i].Status {
		case store.Pending:
			continue
		case store.Running:
			if runs[i].Held {
				runs[i].Status = store.Pending
				continue
			}
		}
		s.status(t, ref, runs[i].ID, runs[i].Status)
	}
	for name, f := range map[string]store.RunFilter{
		"all":              {},
		"rule":             {Rule: "b"},
		"scope":            {ScopeKey: "2"},
		"rule and scope":   {Rule: "a", ScopeKey: "1"},
		"status":           {Status: []store.RunStatus{store.Succeeded}},
		"statuses":         {Status: []store.RunStatus{store.Cancelled, store.Pending, store.DeadLettered, store.Pending}},
		"status and rule":  {Status: []store.RunStatus{store.Skipped, store.Succeeded}, Rule: "a"},
		"status and scope": {Status: []store.RunStatus{store.Pending}, Rule: "a", ScopeKey: "0"},
		"held":             {Held: true},
		"held and status":  {Held: true, Status: []store.RunStatus{store.Pending}},
		"no rule":          {Rule: "none"},
	} {
		var want []string
		for _, r := range slices.Backward(runs) {
			if (f.Rule == "" || f.Rule == r.Rule) && (f.ScopeKey == "" || f.ScopeKey == r.ScopeKey) &&
				(len(f.Status) == 0 || slices.Contains(f.Status, r.Status)) && (!f.Held || r.Held) {
				want = append(want, r.ID)
			}
		}
		for _, limit := range []int{1, 3, everything} {
			var got []string
			for f := f; ; {
				page, err := s.RuleRuns(t.Context(), ref, f, limit)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) > limit {
					t.Fatalf("%d runs are more than %d", len(page), limit)
				}
				if got = append(got, ids(page)...); len(page) == 0 {
					break
				}
				f.Before = page[len(page)-1].Number
			}
			equal(t, name, want, got)
		}
	}
	none, err := s.RuleRuns(t.Context(), named("none"), store.RunFilter{}, 9)
	if err != nil || len(none) > 0 {
		t.Errorf("a stream that is not there has %+v, %v", none, err)
	}
}

// A list ends once it has the bytes of a page.
func testRuleRunsBytes(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a")
	const each, count = store.MaxOutput, 140
	for i := range count {
		r := fired("a", fmt.Sprint(i), 2)
		r.Ordered, r.Output = false, bytes.Repeat([]byte{' '}, each)
		s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{r}})
	}
	for _, f := range []store.RunFilter{{}, {Status: []store.RunStatus{store.Pending, store.Running}}} {
		first, err := s.RuleRuns(t.Context(), ref, f, everything)
		if err != nil {
			t.Fatal(err)
		}
		if len(first) == 0 || len(first) == count {
			t.Errorf("%d of %d runs are in a page", len(first), count)
		}
		f.Before = first[len(first)-1].Number
		second, err := s.RuleRuns(t.Context(), ref, f, everything)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "those of both pages", count, len(first)+len(second))
	}
}

// The leases that end first are found first, those of held runs too, and none of runs
// that do not run.
func testLeases(t *testing.T, open Open) {
	s, ref := ruled(t, open, "a")
	for i := range 5 {
		r := fired("a", fmt.Sprint(i), 2)
		r.Ordered = false
		s.react(t, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{r}})
		if i < 4 {
			s.change(t, ref, r.ID, func(r *store.RuleRun) {
				r.Status, r.Lease, r.Held = store.Running, moment.Add(time.Duration(-i)*time.Second), i == 2
			})
		}
	}
	s.status(t, ref, "1", store.Succeeded)
	for range 2 {
		for at, want := range map[time.Time][]string{
			distant:                      {"3", "2", "0"},
			moment:                       {"3", "2"},
			moment.Add(-3 * time.Second): nil,
		} {
			list, err := s.Leases(t.Context(), at, 9)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "the leases", want, ids(list))
		}
		one, err := s.Leases(t.Context(), distant, 1)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the first", []string{"3"}, ids(one))
		s.reopen(t)
	}
}
