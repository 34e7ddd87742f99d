package sqlite_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// A stream that has no more positions says that there is no room.
func TestLastPosition(t *testing.T) {
	t.Parallel()
	const last = 1<<38 - 1
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	shut(t, s)
	// The stream's only run becomes one that stands three before the end; its
	// entry has to say so too, in a head of nine bytes instead of one.
	body := "x'a5001b" + "0000003ffffffffc" + "' || substr(body, 4)"
	for trigger, statement := range map[string]string{
		"run_never_changes":     "UPDATE run SET id = 1 << 38 | 0x3ffffffffc, body = CAST(" + body + " AS BLOB)",
		"tail_rises_with_a_run": "UPDATE stream SET tail = 0x3ffffffffc, head = 0x3ffffffffc",
	} {
		without(t, path, trigger, statement)
	}
	s = open(t, path, sqlite.Options{})
	write(t, s, "other", "a")
	_, err := try(t, s, "notes", "b", "c", "d", "e")
	is[*store.FullError](t, err)
	if w := write(t, s, "notes", "b", "c", "d"); w.Last != last {
		t.Errorf("the last batch is at %+v", w)
	}
	for range 2 {
		_, err := try(t, s, "notes", "f")
		is[*store.FullError](t, err)
		r, err := s.Record(t.Context(), named("notes"), last)
		if err != nil || string(r.Data) != "d" || r.Seq != last {
			t.Errorf("the last entry is %+v, %v", r, err)
		}
		write(t, s, "other", "a")
		shut(t, s)
		s = open(t, path, sqlite.Options{})
	}
}

// A relay that has no more keys for streams says that there is no room, and
// writes to those that it has.
func TestLastStream(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	shut(t, s)
	const last = "0x1ffffff"
	without(t, path, "run_never_changes", "UPDATE run SET id = "+last+" << 38 | 1")
	without(t, path, "stream_stays_itself", "UPDATE stream SET key = "+last)
	s = open(t, path, sqlite.Options{})
	for range 2 {
		_, err := try(t, s, "new", "b")
		is[*store.FullError](t, err)
		write(t, s, "notes", "c")
	}
	if got := strings.Join(read(t, s, "notes"), ""); got != "acc" {
		t.Errorf("the stream holds %q", got)
	}
	_, err := s.Stream(t.Context(), named("new"))
	is[*store.NotFoundError](t, err)
}

// Migrations are numbered from 1 on without a gap, which is also their order.
func TestMigrationNames(t *testing.T) {
	files, err := os.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, f := range files {
		names = append(names, f.Name())
		number, what, ok := strings.Cut(f.Name(), "_")
		if !ok || len(number) != 4 || strings.TrimLeft(number, "0") != strings.TrimLeft(string([]byte{'0' + byte((i+1)/10), '0' + byte((i+1)%10)}), "0") ||
			!strings.HasSuffix(what, ".sql") {
			t.Errorf("the migration %d is called %s", i+1, f.Name())
		}
	}
	if len(names) == 0 || !slices.IsSorted(names) {
		t.Errorf("the migrations are %v", names)
	}
	path := place(t)
	open(t, path, sqlite.Options{})
	if n := number(t, path, "PRAGMA user_version"); n != int64(len(names)) {
		t.Errorf("a new database is of version %d with %d migrations", n, len(names))
	}
}
