package sqlite_test

import (
	"slices"
	"testing"
	"time"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What automations have left is loaded as it was carried: rules with their versions, how
// far they are, what they remember, letters and schedules. Runs that are over stay
// behind, and those that are not are held.
func TestLoadAutomations(t *testing.T) {
	t.Parallel()
	from := open(t, place(t), sqlite.Options{})
	publish(t, from, publication("events", "", ""))
	automate(t, from)
	ref := named("events")
	is, carried, err := from.Carry(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	history, err := from.RuleHistory(t.Context(), ref.Space, "alarm", 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slices.Backward(history) {
		carried = append(carried, store.Carried{Rule: &v})
	}
	schedules, err := from.Schedules(t.Context(), ref.Space)
	if err != nil {
		t.Fatal(err)
	}
	carried = append(carried, store.Carried{Schedule: &schedules[0]})

	path := place(t)
	l, err := sqlite.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(l.Stream(is))
	runs, err := from.Runs(t.Context(), ref, 0, is.Head)
	do(err)
	part, err := store.NewWalk(ref, is.Kind, is.Identity).Take(runs)
	do(err)
	for i, run := range runs {
		keyed := part.Keyed
		if i > 0 {
			keyed = nil
		}
		do(l.Run(run, keyed))
	}
	do(l.End(is))
	for _, c := range carried {
		do(l.Carried(c))
	}
	do(l.Close())

	to := open(t, path, sqlite.Options{})
	if v := verified(t, to, store.Verify{}); !v.Sound() {
		t.Errorf("it is not sound: %v", v.Faults)
	}
	got, carriedOn, err := to.Carry(t.Context(), ref)
	do(err)
	if diff := cmp.Diff(is, got); diff != "" {
		t.Errorf("the stream (-want +got):\n%s", diff)
	}
	held := 0
	for i := range carriedOn {
		if run := carriedOn[i].Run; run != nil && run.Status.Unfinished() != run.Held {
			t.Errorf("%+v is held, or is not", run)
		} else if run != nil && run.Held {
			run.Held = false
			held++
		}
	}
	if held != 5 { // the first and the second of a line, a pending, a running and a retrying one
		t.Errorf("%d runs are held", held)
	}
	if diff := cmp.Diff(carried[:len(carried)-len(history)-1], carriedOn, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is carried on (-want +got):\n%s", diff)
	}
	again, err := to.RuleHistory(t.Context(), ref.Space, "alarm", 0, 9)
	do(err)
	ticks, err := to.Schedules(t.Context(), ref.Space)
	do(err)
	if diff := cmp.Diff([]any{history, schedules}, []any{again, ticks}); diff != "" {
		t.Errorf("the rules and schedules (-want +got):\n%s", diff)
	}
	if due, _, err := to.DueRuns(t.Context(), store.Due{At: time.Now(), Each: 9}); err != nil || len(due) > 0 {
		t.Errorf("%+v may begin, %v", due, err)
	}
	// Somebody says so.
	run, err := to.RuleRun(t.Context(), ref, "first")
	do(err)
	run.Held = false
	react(t, to, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: run, Was: run.Epoch}}})
	due, _, err := to.DueRuns(t.Context(), store.Due{At: time.Now(), Each: 9})
	if err != nil || len(due) != 1 || due[0].ID != "first" {
		t.Errorf("%+v may begin, %v", due, err)
	}
	react(t, to, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired("new", false)}})
}
