package sqlite_test

import (
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// What the check finds that no longer holds of rules and runs, it tells.
func TestVerifyAutomations(t *testing.T) {
	t.Parallel()
	whole := place(t)
	s := open(t, whole, sqlite.Options{})
	publish(t, s, publication("events", "", ""))
	automate(t, s)
	if v := verified(t, s, store.Verify{}); !v.Sound() {
		t.Fatalf("it is not sound: %v", v.Faults)
	}
	shut(t, s)
	for _, c := range []struct {
		name, trigger string
		statements    []string
		fault         string
	}{
		{"a rule without versions", "version_never_goes", []string{"DELETE FROM version"}, `The rule "alarm" has no version.`},
		{"a version that is missing", "version_never_goes", []string{"DELETE FROM version WHERE version = 1"}, `The rule "alarm" lacks a version.`},
		{"a stream that is ahead", "evaluation_rises_to_the_head", []string{"UPDATE evaluation SET cursor = 9"}, `The stream "events" is evaluated further than it goes.`},
		{"a rule that is ahead", "progress_goes_on", []string{"UPDATE progress SET cursor = 9"}, `The rule "alarm" has come further than its stream goes.`},
		{"a state that is missing", "", []string{"DELETE FROM scope WHERE scope = '[1]'"}, `The rule "alarm" counts other scopes than it has.`},
		{"a run that waits for nothing", "", []string{"UPDATE firing SET due = NULL WHERE id = 'first'"}, `The run "first" is not where it belongs in its line.`},
		{
			"a run that is before its turn", "",
			[]string{"UPDATE firing SET due = NULL WHERE id = 'first'", "UPDATE firing SET due = next_at WHERE id = 'second'"},
			`The run "first" is not where it belongs in its line.`,
		},
		{"a free run that waits", "", []string{"UPDATE firing SET due = NULL WHERE id = 'pending'"}, `The run "pending" is not where it belongs in its line.`},
		{"a dead letter that is missing", "letter_stays_with_its_run", []string{"DELETE FROM letter"}, `The run "dead_lettered" has failed for good, but has no dead letter.`},
		{
			"a dead letter too many", "",
			[]string{"UPDATE firing SET status = 4 WHERE id = 'dead_lettered'"},
			`There is a dead letter of the run "dead_lettered", which has not failed for good.`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := copyOf(t, whole)
			if c.trigger == "" {
				raw(t, path, c.statements...)
			} else {
				without(t, path, c.trigger, c.statements...)
			}
			s := open(t, path, sqlite.Options{})
			wantTold(t, told{Faults: []string{c.fault}}, verified(t, s, store.Verify{}))
		})
	}
}

// A page of runs that SQLite cannot make sense of hinders those who ask for runs, and
// the reactions that need it; streams, and other reactions, go on.
func TestDamagedRuns(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	publish(t, s, publication("events", "", ""))
	automate(t, s)
	shut(t, s)
	page := number(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = 'firing'")
	change(t, path, func(data []byte) []byte {
		for i := (page - 1) * pageSize; i < page*pageSize; i++ {
			data[i] = 0xff
		}
		return data
	})
	s = open(t, path, sqlite.Options{})
	ref := named("events")
	if _, err := s.RuleRuns(t.Context(), ref, store.RunFilter{}, 9); err == nil {
		t.Error("runs are listed")
	}
	run := fired("pending", false)
	if _, err := s.React(t.Context(), store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: run, Was: 2}}}); err == nil {
		t.Error("a run changes")
	}
	react(t, s, store.Reaction{Ref: ref, Stream: &store.StreamProgress{Was: 1, Now: 2}})
	publish(t, s, publication("events", ""))
	if v := verified(t, s, store.Verify{}); v.Sound() || len(v.Damaged) > 0 {
		t.Errorf("the check tells %v, %v", v.Faults, v.Damaged)
	}
}
