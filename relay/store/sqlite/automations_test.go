package sqlite_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// react does what must be taken.
func react(t testing.TB, s store.Store, r store.Reaction) store.Reacted {
	t.Helper()
	done, err := s.React(t.Context(), r)
	if err != nil {
		t.Fatalf("reacting in %s: %v", r.Name, err)
	}
	return done
}

// fired is a new run of the rule "alarm".
func fired(id string, ordered bool) store.RuleRun {
	return store.RuleRun{ID: id, Rule: "alarm", ScopeKey: "[]", Scope: []byte("{}"), FiredSeq: 1, Matched: []uint64{1}, Chain: "1", Ordered: ordered}
}

// began is the progress of a rule that has evaluated one event.
var began = store.Progress{Cursor: 1, Generation: 1, Definition: "d"}

// automate gives the stream "events", of two events and more, all that automations can
// leave: a rule in two versions, runs in each status, and a schedule.
func automate(t testing.TB, s store.Store) {
	t.Helper()
	ref := named("events")
	for version := range uint64(2) {
		react(t, s, store.Reaction{Ref: ref, Rule: &store.Rule{Name: "alarm", Version: version + 1, Spec: []byte("{}")}})
	}
	react(t, s, store.Reaction{
		Ref: ref, Stream: &store.StreamProgress{Now: 1},
		Rules: []store.RuleProgress{{Rule: "alarm", Now: began, States: []store.ScopeState{
			{Scope: "[]", State: []byte("{}"), Deadline: time.UnixMilli(1)}, {Scope: "[1]", State: []byte("{}")},
		}}},
		NewRuns: []store.RuleRun{fired("first", true), fired("second", true)},
		Letters: []store.Letter{{Rule: "alarm", Seq: 1, Error: "e"}},
	})
	for status := range store.Cancelled + 1 {
		id := status.String()
		react(t, s, store.Reaction{Ref: ref, NewRuns: []store.RuleRun{fired(id, false)}})
		run := fired(id, false)
		run.Status, run.Checkpoints, run.Checkpoint = status, 1, []byte("{}")
		run.Attempts = []store.Attempt{{Number: 1, Started: time.UnixMilli(1), Ended: time.UnixMilli(2)}}
		react(t, s, store.Reaction{Ref: ref, Runs: []store.RunChange{{RuleRun: run, Was: 1}}})
	}
	react(t, s, store.Reaction{Ref: ref, Schedule: &store.ScheduleChange{Name: "daily", Spec: []byte("{}"), Tick: time.UnixMilli(1)}})
}

// automationAttacks are statements that a database which was automated refuses.
var automationAttacks = []attack{
	{"rule_comes_once", "INSERT INTO rule (key, space, name) VALUES (1, 1, 'other')"},
	{"rule_comes_once", "REPLACE INTO rule (space, name) SELECT space, name FROM rule"},
	{"rule_stays_itself", "UPDATE rule SET name = 'other'"},
	{"rule_stays_itself", "UPDATE rule SET rowid = 9"},
	{"rule_never_goes", "DELETE FROM rule"},
	{"version_follows", "INSERT INTO version SELECT NULL, space, rule, 4, 0, spec, provenance, actor, reason, at FROM version WHERE id = 1"},
	{"version_follows", "INSERT INTO version SELECT NULL, 2, rule, 3, 0, spec, provenance, actor, reason, at FROM version WHERE id = 1"},
	{"version_follows", "REPLACE INTO version SELECT 1, space, rule, 3, 0, spec, provenance, actor, reason, at FROM version WHERE id = 1"},
	{"version_follows", "REPLACE INTO version SELECT * FROM version"},
	{"version_never_changes", "UPDATE version SET spec = x'00'"},
	{"version_never_changes", "UPDATE version SET rowid = 9"},
	{"version_never_goes", "DELETE FROM version"},
	{"evaluation_comes_once", "REPLACE INTO evaluation SELECT stream, 0 FROM evaluation"},
	{"evaluation_comes_once", "INSERT INTO evaluation VALUES (1, 999)"},
	{"evaluation_rises_to_the_head", "UPDATE evaluation SET cursor = 0"},
	{"evaluation_rises_to_the_head", "UPDATE evaluation SET cursor = 999"},
	{"evaluation_rises_to_the_head", "UPDATE evaluation SET stream = 1"},
	{"evaluation_never_goes", "DELETE FROM evaluation"},
	{"progress_comes_once", "REPLACE INTO progress SELECT stream, rule, 1, 0, 0, definition, 0, 0 FROM progress"},
	{"progress_comes_once", "INSERT INTO progress SELECT 1, rule, 0, 999, 0, definition, 0, 0 FROM progress"},
	{"progress_goes_on", "UPDATE progress SET generation = 0"},
	{"progress_goes_on", "UPDATE progress SET cursor = 0"},
	{"progress_goes_on", "UPDATE progress SET cursor = 999"},
	{"progress_goes_on", "UPDATE progress SET rule = 9"},
	{"progress_never_goes", "DELETE FROM progress"},
	{"firing_comes_once", "REPLACE INTO firing SELECT * FROM firing"},
	{"firing_comes_once", `REPLACE INTO firing SELECT NULL, stream, id, rule, scope_key, scope, seq, matched, chain, depth, created_at, ordered,
		blocks, held, status, epoch, tried, next_at, due, lease, updated_at, error, reason, step, checkpoints, output FROM firing WHERE number = 1`},
	{"firing_stays_itself", "UPDATE firing SET number = 99 WHERE number = 1"},
	{"firing_stays_itself", "UPDATE firing SET rowid = 99 WHERE number = 1"},
	{"firing_stays_itself", "UPDATE firing SET stream = 1"},
	{"firing_stays_itself", "UPDATE firing SET id = id || '1'"},
	{"firing_stays_itself", "UPDATE firing SET rule = 9"},
	{"firing_stays_itself", "UPDATE firing SET scope_key = ''"},
	{"firing_stays_itself", "UPDATE firing SET scope = x'00'"},
	{"firing_stays_itself", "UPDATE firing SET seq = 2"},
	{"firing_stays_itself", "UPDATE firing SET matched = x''"},
	{"firing_stays_itself", "UPDATE firing SET chain = ''"},
	{"firing_stays_itself", "UPDATE firing SET depth = 9"},
	{"firing_stays_itself", "UPDATE firing SET created_at = 0"},
	{"firing_stays_itself", "UPDATE firing SET epoch = 1 WHERE id = 'succeeded'"},
	{"firing_goes_once_over", "DELETE FROM firing"},
	{"firing_goes_once_over", "DELETE FROM firing WHERE id = 'dead_lettered'"},
	{"", "UPDATE firing SET due = next_at WHERE id = 'second'"}, // two of a line, which an index refuses
	{"", "UPDATE firing SET due = 7 WHERE id = 'first'"},        // another time, which a CHECK refuses
	{"", "UPDATE firing SET held = 1 WHERE id = 'first'"},       // what is held is not due, the same
	{"", "UPDATE firing SET due = 0 WHERE id = 'succeeded'"},    // what is over neither, the same
	{"attempt_follows", "INSERT INTO attempt SELECT run, 3, 1, 1, '', '' FROM attempt"},
	{"attempt_follows", "REPLACE INTO attempt SELECT * FROM attempt"},
	{"attempt_ends_once", "UPDATE attempt SET ended = 9"},
	{"attempt_ends_once", "UPDATE attempt SET number = 9"},
	{"attempt_goes_with_its_run", "DELETE FROM attempt"},
	{"letter_comes_once", "REPLACE INTO letter SELECT * FROM letter"},
	{"letter_comes_once", "REPLACE INTO letter SELECT NULL, stream, rule, seq, run, '', '', 0 FROM letter WHERE run IS NOT NULL"},
	{"letter_never_changes", "UPDATE letter SET error = ''"},
	{"letter_never_changes", "UPDATE letter SET rowid = 99 WHERE run IS NULL"},
	{"letter_stays_with_its_run", "DELETE FROM letter"},
	{"tick_comes_later", "UPDATE tick SET last = last"},
	{"tick_comes_later", "UPDATE tick SET stream = 'other'"},
}

// automationRows list what automations have left.
var automationRows = []string{
	"SELECT key, space, name FROM rule ORDER BY key",
	"SELECT id, space, rule, version, archived, hex(spec), hex(provenance), hex(actor), reason, at FROM version ORDER BY id",
	"SELECT stream, cursor FROM evaluation ORDER BY stream",
	"SELECT stream, rule, in_step, cursor, generation, definition, silent_through, scopes FROM progress ORDER BY stream, rule",
	"SELECT stream, rule, scope, deadline, hex(state) FROM scope ORDER BY stream, rule, scope",
	`SELECT number, stream, id, rule, scope_key, hex(scope), seq, hex(matched), chain, depth, created_at, ordered, blocks, held, status, epoch,
		tried, next_at, due, lease, updated_at, error, reason, step, checkpoints, hex(output) FROM firing ORDER BY number`,
	"SELECT run, number, started, ended, error, reason FROM attempt ORDER BY run, number",
	"SELECT run, hex(data) FROM checkpoint ORDER BY run",
	"SELECT number, stream, rule, seq, run, error, reason, at FROM letter ORDER BY number",
	"SELECT key, space, name, hex(spec), changed_at FROM schedule ORDER BY key",
	"SELECT schedule, stream, last FROM tick ORDER BY schedule, stream",
}

// However many rules are in step, an evaluation that finds nothing writes one row.
func TestRulesInStepCostOneRow(t *testing.T) {
	t.Parallel()
	const rules = 1000
	path := place(t)
	s := open(t, path, sqlite.Options{})
	ref := named("events")
	publish(t, s, publication("events", "", "", ""))
	in := store.Reaction{Ref: ref, Stream: &store.StreamProgress{Now: 1}}
	var putting sync.WaitGroup
	for i := range rules {
		name := fmt.Sprint("rule-", i)
		putting.Go(func() {
			react(t, s, store.Reaction{Ref: ref, Rule: &store.Rule{Name: name, Version: 1, Spec: []byte("{}")}})
		})
		in.Rules = append(in.Rules, store.RuleProgress{Rule: name, Now: store.Progress{InStep: true, Definition: "d"}})
	}
	putting.Wait()
	react(t, s, in)
	_, revision, err := s.Rules(t.Context(), ref.Space)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.OpenConn(path, driver.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before := dump(t, conn)
	react(t, s, store.Reaction{Ref: ref, Revision: revision, Stream: &store.StreamProgress{Was: 1, Now: 2}})
	changed := slices.DeleteFunc(dump(t, conn), func(row string) bool { return slices.Contains(before, row) })
	if diff := cmp.Diff([]string{"1|2"}, changed); diff != "" {
		t.Errorf("the rows that have changed (-want +got):\n%s", diff)
	}
	// With a state, its own row is beside it, and that of its rule when a scope is new.
	state := func(text string) store.RuleProgress {
		p := in.Rules[7]
		p.Was, p.States = p.Now, []store.ScopeState{{Scope: "[]", State: []byte(text)}}
		return p
	}
	for i, want := range []int{2, 1} {
		before = dump(t, conn)
		react(t, s, store.Reaction{Ref: ref, Revision: revision, Rules: []store.RuleProgress{state(fmt.Sprint(i))}})
		changed := slices.DeleteFunc(dump(t, conn), func(row string) bool { return slices.Contains(before, row) })
		if len(changed) != want {
			t.Errorf("%d rows have changed, not %d: %q", len(changed), want, changed)
		}
	}
}

// Whoever looks for runs that may begin, that wait or whose leases end goes by indexes
// of those alone: a million runs that are over cost nothing.
func TestRunsThatAreOverAreNotLookedAt(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	publish(t, s, publication("events", "", ""))
	automate(t, s)
	const many = 20_000
	shut(t, s)
	raw(t, path, fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO firing SELECT 1000 + i, stream, 'over ' || i, rule, scope_key, scope, seq, matched, chain, depth, created_at, ordered, blocks,
		held, 4, 1, 1, 0, NULL, 0, updated_at, '', '', '', 0, x'' FROM n, firing WHERE id = 'first'`, many))
	conn, err := driver.OpenConn(path, driver.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, index := range []string{"firing_due", "firing_running", "firing_in_line", "firing_one_by_one", "firing_unfinished"} {
		rows, err := sqlitex.ResultInt64(conn.Prep("SELECT count(*) FROM firing INDEXED BY " + index + " WHERE " + partOf(t, conn, index)))
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 || rows > 9 {
			t.Errorf("the index %s has %d rows", index, rows)
		}
	}
	// What the store asks goes by them, and by nothing else.
	for name, query := range sqlite.RunQueries {
		plan := conn.Prep("EXPLAIN QUERY PLAN " + query)
		for {
			more, err := plan.Step()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !more {
				break
			}
			step := plan.ColumnText(3)
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	s = open(t, path, sqlite.Options{})
	list, _, err := s.DueRuns(t.Context(), store.Due{At: time.Now(), Each: 100})
	if err != nil || len(list) != 3 {
		t.Errorf("%d runs may begin, %v", len(list), err)
	}
}

// partOf returns which rows a partial index has.
func partOf(t *testing.T, conn *driver.Conn, index string) string {
	t.Helper()
	text, err := sqlitex.ResultText(conn.Prep("SELECT sql FROM sqlite_schema WHERE name = '" + index + "'"))
	if err != nil {
		t.Fatal(err)
	}
	_, where, partial := strings.Cut(text, "WHERE")
	if !partial {
		t.Fatalf("the index %s has all rows", index)
	}
	return where
}
