package sqlite_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// publishRange publishes events with the ids from one number to another, together, and
// returns how many of them were there before.
func publishRange(t testing.TB, s *sqlite.Store, name string, from, to int) (duplicates int, err error) {
	t.Helper()
	p := store.Publish{
		Ref:    named(name),
		Origin: fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"user","id":"local"},"causation":null`, name),
	}
	for i := from; i <= to; i++ {
		p.Events = append(p.Events, store.Event{ID: fmt.Sprint("id-", i), JSON: []byte(`{"type":"said"}`)})
	}
	done, err := s.Publish(t.Context(), p)
	for _, e := range done.Events {
		if e.Duplicate {
			duplicates++
		}
	}
	return duplicates, err
}

// wantPublished publishes events, so many of which are there.
func wantPublished(t testing.TB, s *sqlite.Store, name string, from, to, duplicates int) {
	t.Helper()
	if n, err := publishRange(t, s, name, from, to); err != nil || n != duplicates {
		t.Errorf("of the events %d to %d of %s %d are there, not %d: %v", from, to, name, n, duplicates, err)
	}
}

// What the index does not have yet is found, told from what is new, and counted by
// the check, in the process that wrote it and in the next one.
func TestRecent(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	wantPublished(t, s, "events", 1, 3, 0)
	wantPublished(t, s, "others", 2, 4, 0)
	for range 2 {
		if n := number(t, path, "SELECT count(*) FROM batch"); n != 0 {
			t.Fatalf("the index has %d batches", n)
		}
		wantPublished(t, s, "events", 1, 3, 3)
		for id, seq := range map[string]uint64{"id-1": 1, "id-3": 3, "id-4": 0} {
			r, err := s.Find(t.Context(), named("events"), id)
			if seq == 0 {
				is[*store.NotFoundError](t, err)
			} else if err != nil || r.Seq != seq {
				t.Errorf("%s is at %d, %v", id, r.Seq, err)
			}
		}
		for _, v := range []store.Verify{{}, {Workers: 3}, {Only: named("events")}, {Only: named("others")}} {
			wantTold(t, told{}, verified(t, s, v))
		}
		shut(t, s)
		s = open(t, path, sqlite.Options{})
	}
	wantPublished(t, s, "events", 3, 5, 1)
	wantPublished(t, s, "others", 1, 4, 3)
	wantTold(t, told{}, verified(t, s, store.Verify{}))
}

// Recent batches go into the index little by little while others write. At each
// moment, and if the process is killed then, they are found in one place or the other.
func TestMerge(t *testing.T) {
	t.Parallel()
	const total, each = 33_000, 3_000
	path := place(t)
	var killed string // the files, copied in the course of it
	s := open(t, path, sqlite.Options{Publish: func(moved []store.Moved) {
		// The writer waits here, so nothing moves while it is looked at.
		if moved[0].Name == "few" && killed == "" && number(t, path, "SELECT count(*) FROM batch") > 0 {
			killed = copyOf(t, path)
		}
	}})
	for from := 1; from <= total; from += each {
		wantPublished(t, s, "events", from, from+each-1, 0)
		wantPublished(t, s, "few", -from, 1-from, 0)
	}
	few := 0
	merge := func(s *sqlite.Store, path string) {
		t.Helper()
		for ; number(t, path, "SELECT count(*) FROM recent WHERE stream = 1") > 0; few += 2 {
			wantPublished(t, s, "few", few+1, few+2, 0)
			if few%10 == 0 {
				wantPublished(t, s, "events", few+1, few+10, 10)
			}
		}
	}
	merge(s, path)
	wantTold(t, told{}, verified(t, s, store.Verify{}))
	wantPublished(t, s, "events", 1, each, each)
	shut(t, s)

	// A process that was killed when all of them were added, and some in rows still.
	added := copyOf(t, path)
	raw(t, added, "INSERT INTO recent SELECT NULL, stream, key, first, x'' FROM batch")
	for state, path := range map[string]string{"adding": killed, "deleting": added, "over": path} {
		if path == "" {
			t.Fatalf("nothing was seen of %s", state)
		}
		s := open(t, path, sqlite.Options{})
		wantTold(t, told{}, verified(t, s, store.Verify{}))
		wantPublished(t, s, "events", 1, total+1, total)
		few = 1_000
		merge(s, path) // begins anew
		wantTold(t, told{}, verified(t, s, store.Verify{}))
		wantPublished(t, s, "events", 1, total+1, total+1)
	}
}

// What a transaction would have added that has failed is not remembered.
func TestRecentUndone(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	wantPublished(t, s, "events", 1, 2, 0)
	for _, table := range []string{"stream", "recent", "batch"} {
		event := "INSERT ON " + table
		if table == "stream" {
			event = "UPDATE OF head ON stream"
		}
		raw(t, path, "CREATE TRIGGER broken BEFORE "+event+" BEGIN SELECT RAISE(ABORT, 'broken'); END")
		last := 4
		if table == "batch" {
			last = 3 // one by itself goes there at once
		}
		if n, err := publishRange(t, s, "events", 3, last); err == nil {
			t.Errorf("%s: published, with %d duplicates", table, n)
		}
		raw(t, path, "DROP TRIGGER broken")
	}
	wantPublished(t, s, "events", 1, 4, 2)
	wantTold(t, told{}, verified(t, s, store.Verify{}))
}

// What is wrong with recent batches is told like what is wrong with the index.
func TestVerifyRecent(t *testing.T) {
	t.Parallel()
	whole := place(t)
	s := open(t, whole, sqlite.Options{})
	wantPublished(t, s, "events", 1, 3, 0)
	write(t, s, "well", "S\x01a")
	shut(t, s)
	const index = "events 1: its index of batches has other ones than there are from here to 3"
	for _, c := range []struct {
		name, trigger, statement string
		want                     told
	}{
		{"in both places", "recent_batches_come_once", "INSERT INTO batch SELECT stream, key, first FROM recent", told{}},
		{"another key", "recent_batches_never_change", "UPDATE recent SET key = key + 1", told{Damaged: []string{index}}},
		{"fewer", "recent_batches_never_change", "UPDATE recent SET others = substr(others, 25)", told{Damaged: []string{index}}},
		{"twice", "recent_batches_never_change", "UPDATE recent SET others = CAST(others || others AS BLOB)", told{}},
		{"none", "recent_batches_go_into_the_index", "DELETE FROM recent", told{Damaged: []string{index}}},
		{"past the head", "recent_batches_come_once", "INSERT INTO recent VALUES (NULL, 1, 7, 4, x'')", told{Damaged: []string{index}}},
		{
			"of no stream", "recent_batches_come_once", "INSERT INTO recent VALUES (NULL, 9, 7, 4, x'')",
			told{Faults: []string{"There are batches in the index that belong to no stream, with the key 9."}},
		},
		{
			"before all streams", "recent_batches_come_once", "INSERT INTO recent VALUES (NULL, -9, 7, 4, x'')",
			told{Faults: []string{"There are batches in the index that belong to no stream, with the key -9."}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, whole)
			without(t, path, c.trigger, c.statement)
			reader, err := sqlite.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			for _, v := range []store.Verify{{}, {Workers: 3}} {
				wantTold(t, c.want, verified(t, reader, v))
			}
		})
	}
}

// A page of recent batches that cannot be read is a fault of the file, and hinders
// only who writes what has to be looked for there.
func TestRecentUnreadable(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	wantPublished(t, s, "events", 1, 3, 0)
	write(t, s, "notes", "a")
	shut(t, s)
	leaf := kinds(t, path)["recent, leaf"]
	if len(leaf) != 1 {
		t.Fatalf("recent batches are in %v", leaf)
	}
	data := readFile(t, path)
	data[leaf[0].from] = 0xff // what kind of page it is
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, sqlite.Options{})
	write(t, s, "notes", "b")
	if _, err := publishRange(t, s, "events", 4, 5); err == nil {
		t.Error("events are published though it is unknown whether they are there")
	}
	if got := strings.Join(read(t, s, "notes"), ""); got != "ab" {
		t.Errorf("notes are %q", got)
	}
	v := verified(t, s, store.Verify{})
	if len(v.Damaged) > 0 || !strings.Contains(strings.Join(v.Faults, "\n"), "The newest part of the index of batches cannot be read") {
		t.Errorf("told are %+v and %q", v.Damaged, v.Faults)
	}
}
