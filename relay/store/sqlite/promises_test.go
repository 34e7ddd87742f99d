package sqlite_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// attack is a statement with the trigger that refuses it; none, if it is something else
// that does.
type attack struct{ trigger, statement string }

// The database refuses by itself to change, to lose and to misplace anything,
// also when somebody else's connection asks for it.
func TestDatabaseRefuses(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a", "b")
	write(t, s, "notes", "S\x01c")
	write(t, s, "calendar", "d")
	wantPublished(t, s, "events", 1, 2, 0)
	for _, id := range []string{"1", "2"} {
		if _, err := s.Settle(t.Context(), store.Command{ID: id}, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	automate(t, s)
	shut(t, s)

	conn, err := driver.OpenConn(path, driver.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before := dump(t, conn)

	const (
		run    = "INSERT INTO run (id, count, bytes, written_at, body) VALUES (%s, %s, 0, 0, x'00')"
		stream = `INSERT %s INTO stream (key, space, name, kind, id, epoch, head, tail, link, bytes, created_at, written_at)
			VALUES (%s, %s, %s, 0, zeroblob(16), 0, %d, %d, zeroblob(32), %d, 0, 0)`
	)
	refused := make(map[string]bool) // the triggers that have refused something
	for _, c := range append([]attack{
		{"space_comes_once", "INSERT INTO space (key, name, created_at) VALUES (1, 'other', 0)"},
		{"space_comes_once", "INSERT INTO space (name, created_at) VALUES ('default', 0)"},
		{"space_comes_once", "REPLACE INTO space (key, name, created_at) VALUES (9, 'default', 0)"},
		{"space_comes_once", "REPLACE INTO space (key, name, created_at) VALUES (1, 'other', 0)"},
		{"space_never_changes", "UPDATE space SET name = 'other'"},
		{"space_never_changes", "UPDATE space SET key = 9"},
		{"space_never_changes", "UPDATE space SET rowid = 9"},
		{"space_never_changes", "UPDATE OR REPLACE space SET _rowid_ = 9"},
		{"space_never_goes", "DELETE FROM space"},

		{"stream_starts_empty", fmt.Sprintf(stream, "", "NULL", "1", "'new'", 1, 1, 0)},
		{"stream_starts_empty", fmt.Sprintf(stream, "", "NULL", "1", "'new'", 0, 1, 0)},
		{"stream_starts_empty", fmt.Sprintf(stream, "", "NULL", "1", "'new'", 0, 0, 1)},
		{"stream_starts_empty", fmt.Sprintf(stream, "", "NULL", "1", "'notes'", 0, 0, 0)},
		{"stream_starts_empty", fmt.Sprintf(stream, "OR REPLACE", "NULL", "1", "'notes'", 0, 0, 0)},
		{"stream_starts_empty", fmt.Sprintf(stream, "OR REPLACE", "1", "1", "'new'", 0, 0, 0)},
		{"stream_stays_itself", "UPDATE stream SET name = 'other' WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET space = 2 WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET key = 9 WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET rowid = 9 WHERE key = 1"},
		{"stream_stays_itself", "UPDATE OR REPLACE stream SET oid = 2 WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET kind = 1 WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET id = zeroblob(16) WHERE key = 1"},
		{"stream_stays_itself", "UPDATE stream SET created_at = 0 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET head = 2 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET epoch = 0 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET epoch = 2 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET bytes = bytes - 1 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET bytes = bytes + 1 WHERE key = 1"},
		{"stream_only_grows", "UPDATE stream SET link = zeroblob(32) WHERE key = 1"},
		{"", "UPDATE stream SET head = 4 WHERE key = 1"}, // past the tail, which a CHECK refuses
		{"stream_never_goes", "DELETE FROM stream"},

		{"run_follows_the_tail", fmt.Sprintf(run, "1 << 38 | 5", "1")},       // a gap
		{"run_follows_the_tail", fmt.Sprintf(run, "1 << 38 | 3", "1")},       // an overlap
		{"run_follows_the_tail", fmt.Sprintf(run, "1 << 38", "1")},           // position 0
		{"run_follows_the_tail", fmt.Sprintf(run, "7 << 38 | 1", "1")},       // no stream
		{"run_follows_the_tail", fmt.Sprintf(run, "NULL", "1")},              // no place
		{"run_follows_the_tail", fmt.Sprintf(run, "-1", "1")},                // a place that is none
		{"run_follows_the_tail", "REPLACE INTO run SELECT * FROM run"},       // all anew
		{"", fmt.Sprintf(run, "1 << 38 | 4", "0")},                           // no entries, which a CHECK refuses
		{"", fmt.Sprintf(run, "1 << 38 | 4", "0x3fffffffff")},                // past all positions, the same
		{"run_never_changes", "UPDATE run SET body = x'00'"},                 // other bytes
		{"run_never_changes", "UPDATE run SET written_at = 0"},               // another time
		{"run_never_changes", "UPDATE run SET writer = 'me'"},                // another writer
		{"run_never_changes", "UPDATE run SET id = id + 10"},                 // another place
		{"run_never_changes", "UPDATE OR REPLACE run SET rowid = rowid + 1"}, // the same
		{"run_never_goes", "DELETE FROM run"},
		{"run_never_goes", "DELETE FROM run WHERE id = 1 << 38 | 3"},
		{"tail_rises_with_a_run", "UPDATE stream SET tail = 4 WHERE key = 1"},
		{"tail_rises_with_a_run", "UPDATE stream SET tail = 4, head = 4 WHERE key = 1"},
		{"tail_only_falls_to_the_head", "UPDATE stream SET tail = 2, head = 1 WHERE key = 1"},

		{"batch_never_changes", "UPDATE batch SET first = 1"},
		{"batch_never_goes", "DELETE FROM batch"},

		{"recent_batches_come_once", "REPLACE INTO recent SELECT * FROM recent"},
		{"recent_batches_come_once", "REPLACE INTO recent VALUES (1, 1, 1, 1, x'')"},
		{"recent_batches_never_change", "UPDATE recent SET first = 1"},
		{"recent_batches_never_change", "UPDATE recent SET rowid = 9"},
		{"recent_batches_go_into_the_index", "DELETE FROM recent"},
		{"", "INSERT INTO recent VALUES (9, 1, 1, 1, zeroblob(23))"}, // less than a batch, which a CHECK refuses

		{"command_runs_once", "INSERT INTO command (key, at, result) SELECT key, 0, x'00' FROM command"},
		{"command_runs_once", "REPLACE INTO command (key, at, result) SELECT key, 0, x'00' FROM command"},
		{"command_runs_once", "REPLACE INTO command (seq, key, at, result) VALUES (2, zeroblob(16), 0, x'00')"},
		{"", "INSERT INTO command (key, at, result) VALUES (zeroblob(15), 0, x'00')"}, // a key that is none, which a CHECK refuses
		{"command_never_changes", "UPDATE command SET result = x'00'"},
		{"command_never_changes", "UPDATE command SET rowid = 9"},
		{"command_goes_in_turn", "DELETE FROM command WHERE seq = 2"},
	}, automationAttacks...) {
		// Each in a transaction that goes back, should it be let through.
		if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
			t.Fatal(err)
		}
		err := sqlitex.ExecuteTransient(conn, c.statement, nil)
		want := strings.ReplaceAll(c.trigger, "_", " ")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it refused because %s", c.statement, err, want)
		}
		refused[c.trigger] = true
		if err := sqlitex.ExecuteTransient(conn, "ROLLBACK", nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, dump(t, conn)); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}

	// No trigger is left out, but the one that refuses nothing.
	triggers := map[string]bool{"": true}
	err = sqlitex.ExecuteTransient(conn, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name <> 'run_moves_the_tail'",
		&sqlitex.ExecOptions{ResultFunc: func(stmt *driver.Stmt) error {
			triggers[stmt.ColumnText(0)] = true
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(triggers, refused) {
		t.Errorf("the triggers (-there +tried):\n%s", cmp.Diff(triggers, refused))
	}
}

// dump returns all rows of a database as text.
func dump(t *testing.T, conn *driver.Conn) []string {
	t.Helper()
	var rows []string
	for _, query := range append([]string{
		"SELECT key, name, created_at FROM space ORDER BY key",
		"SELECT key, space, name, kind, hex(id), epoch, head, tail, hex(link), bytes, created_at, written_at FROM stream ORDER BY key",
		"SELECT id, count, bytes, written_at, writer, hex(body) FROM run ORDER BY id",
		"SELECT stream, key, first FROM batch ORDER BY stream, key, first",
		"SELECT id, stream, key, first, hex(others) FROM recent ORDER BY id",
		"SELECT seq, hex(key), at, hex(result) FROM command ORDER BY seq",
	}, automationRows...) {
		err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *driver.Stmt) error {
			var row []string
			for i := range stmt.ColumnCount() {
				row = append(row, stmt.ColumnText(i))
			}
			rows = append(rows, strings.Join(row, "|"))
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(rows) < 6 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}
