package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// told is what a check came to, as far as a test foresees it.
type told struct {
	Damaged []string // stream, position and reason
	Faults  []string // of each, how it begins
}

// verified checks a store.
func verified(t testing.TB, s interface {
	Verify(context.Context, store.Verify) (store.Verified, error)
}, v store.Verify,
) store.Verified {
	t.Helper()
	got, err := s.Verify(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantTold compares what a check came to.
func wantTold(t *testing.T, want told, got store.Verified) {
	t.Helper()
	var is told
	for _, d := range got.Damaged {
		is.Damaged = append(is.Damaged, fmt.Sprintf("%s %d: %s", d.Name, d.Seq, d.Reason))
	}
	is.Faults = got.Faults
	for i, f := range want.Faults {
		if i < len(is.Faults) && strings.HasPrefix(is.Faults[i], f) {
			is.Faults[i] = f
		}
	}
	if diff := cmp.Diff(want, is); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
}

// checked makes a store with a stream "hurt" of three runs, a batch of sealed
// entries in each, and others beside it; and returns where it is.
func checked(t *testing.T) string {
	t.Helper()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "well", "a", "S\x01b")
	for run := range 3 {
		write(t, s, "hurt", fmt.Sprint("S\x01mark ", run), fmt.Sprint("L\x01next ", run))
	}
	write(t, s, "zero", "c")
	shut(t, s)
	return path
}

// Damage of any kind is told with the stream and the position, the same to
// whoever checks, and nothing is changed; in a running store the stream is out
// of use from then on, and the others are not.
func TestVerifyDamage(t *testing.T) {
	t.Parallel()
	whole := checked(t)
	const second = hurtRun + "3" // which holds 3 and 4
	// body is the second run with other bytes.
	body := func(change func(e []protocol.Entry)) string {
		s, err := sqlite.OpenReader(whole)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p, err := s.Page(t.Context(), store.Read{Ref: named("hurt"), Entries: 9, Bytes: 99})
		if err != nil {
			t.Fatal(err)
		}
		var entries []protocol.Entry
		for e := range p.All() {
			entries = append(entries, e)
		}
		change(entries)
		return fmt.Sprintf("UPDATE run SET body = x'%x' WHERE %s", entries[3].Append(entries[2].Append(nil)), second)
	}
	const index = "its index of batches has other ones than there are from here to 6"
	for _, c := range []struct {
		name, trigger, statement, damage string
	}{
		{"a link", "run_never_changes", body(func(e []protocol.Entry) { e[2].Link[5]++ }), "3: its link does not follow from what precedes it"},
		{"a byte", "run_never_changes", body(func(e []protocol.Entry) { e[3].Data[5]++ }), "4: its link does not follow from what precedes it"},
		{"an epoch", "run_never_changes", body(func(e []protocol.Entry) { e[2].Epoch, e[3].Epoch = 2, 2 }), "3: its link does not follow from what precedes it"},
		{"an epoch within a batch", "run_never_changes", body(func(e []protocol.Entry) { e[3].Epoch = 2 }), "4: its epoch rises within a batch"},
		{"a lower epoch", "run_never_changes", body(func(e []protocol.Entry) { e[2].Epoch = 0 }), "3: its epoch falls from 1 to 0"},
		{"a position", "run_never_changes", body(func(e []protocol.Entry) { e[3].Seq = 9 }), "4: an entry calls itself 9 where 4 belongs"},
		{"the end of a batch", "run_never_changes", body(func(e []protocol.Entry) { e[3].EndsBatch = false }), "1: " + index},
		{"no bytes", "run_never_changes", "UPDATE run SET body = x'' WHERE " + second, "3: a run holds other entries than its row says"},
		{"a count", "run_never_changes", "UPDATE run SET count = 1 WHERE " + second, "3: a run holds other entries than its row says"},
		{"a size", "run_never_changes", "UPDATE run SET bytes = bytes + 1 WHERE " + second, "3: a run holds other entries than its row says"},
		{"a run", "run_never_goes", "DELETE FROM run WHERE " + second, "3: its runs do not join"},
		{"the first run", "run_never_goes", "DELETE FROM run WHERE " + hurtRun + "1", "1: its runs do not join"},
		{"the last run", "run_never_goes", "DELETE FROM run WHERE " + hurtRun + "5", "5: its entries are missing"},
		{"the head", "stream_only_grows", "UPDATE stream SET head = 5 WHERE name = 'hurt'", "5: a run goes past its head"},
		{"the head's link", "stream_only_grows", "UPDATE stream SET link = zeroblob(32) WHERE name = 'hurt'", "6: its newest entry has another link than the stream"},
		{"the head's epoch", "stream_only_grows", "UPDATE stream SET epoch = 3 WHERE name = 'hurt'", "6: its newest entry is in epoch 1, the stream in 3"},
		{"the bytes", "stream_only_grows", "UPDATE stream SET bytes = 1 WHERE name = 'hurt'", "6: its entries have 48 bytes, and the stream says 1"},
		{"the identity", "stream_stays_itself", "UPDATE stream SET id = zeroblob(16) WHERE name = 'hurt'", "1: its link does not follow from what precedes it"},
		{"a batch that is not in the index", "batch_never_goes", "DELETE FROM batch WHERE stream = 2 AND first = 3", "1: " + index},
		{"a batch of another key", "batch_never_changes", "UPDATE batch SET key = key + 1 WHERE stream = 2 AND first = 3", "1: " + index},
		{"a batch elsewhere", "batch_never_changes", "UPDATE batch SET first = 4 WHERE stream = 2 AND first = 3", "1: " + index},
		{"a batch past the head", "batch_never_changes", "INSERT INTO batch VALUES (2, 7, 7)", "1: " + index},
		{"a batch before the start", "batch_never_changes", "INSERT INTO batch VALUES (2, 7, 0)", "1: " + index},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, whole)
			without(t, path, c.trigger, c.statement)
			before := hashes(t, path)
			want := told{Damaged: []string{"hurt " + c.damage}}

			reader, err := sqlite.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []store.Verify{{}, {Workers: 3}, {Only: named("hurt")}} {
				wantTold(t, want, verified(t, reader, v))
			}
			if err := reader.Close(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, hashes(t, path)); diff != "" {
				t.Errorf("the files have changed (-before +after):\n%s", diff)
			}

			s := open(t, path, sqlite.Options{})
			if got := verified(t, s, store.Verify{}); len(got.Damaged) != 1 {
				t.Errorf("the damage is %+v", got)
			}
			_, err = try(t, s, "hurt", "more")
			is[*store.DamagedError](t, err)
			_, err = tryRead(t, s, "hurt")
			is[*store.DamagedError](t, err)
			if got := strings.Join(read(t, s, "well"), ""); got != "aS\x01b" {
				t.Errorf("the stream beside it holds %q", got)
			}
			if damaged := s.Damaged(); len(damaged) != 1 || damaged[0].Ref != named("hurt") {
				t.Errorf("the damage is %+v", damaged)
			}
		})
	}
}

// What is wrong beside the streams is told as well: rows that belong to none, a
// promise that was taken away, and what SQLite itself finds.
func TestVerifyFaults(t *testing.T) {
	t.Parallel()
	whole := checked(t)
	for _, c := range []struct {
		name string
		hurt func(t *testing.T, path string)
		want told
	}{
		{"sound", func(*testing.T, string) {}, told{}},
		{"runs of no stream", func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_follows_the_tail", "INSERT INTO run VALUES (9 << 38 | 1, 1, 0, 0, NULL, x'00')", "INSERT INTO run VALUES (-5, 1, 0, 0, NULL, x'00')")
		}, told{Faults: []string{"There are entries that belong to no stream, with the key -1.", "There are entries that belong to no stream, with the key 9."}}},
		{"runs behind the end", func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_moves_the_tail", "INSERT INTO run VALUES (2 << 38 | 7, 1, 0, 0, NULL, x'00')")
		}, told{Faults: []string{"There are entries behind the end of the stream with the key 2."}}},
		{"batches of no stream", func(t *testing.T, path string) {
			t.Helper()
			raw(t, path, "INSERT INTO batch VALUES (9, 1, 1)")
		}, told{Faults: []string{"There are batches in the index that belong to no stream, with the key 9."}}},
		{"a space that is gone", func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "space_never_goes", "DELETE FROM space")
		}, told{Faults: []string{`The stream "well" is in a space`, `The stream "hurt" is in a space`, `The stream "zero" is in a space`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, whole)
			c.hurt(t, path)
			reader, err := sqlite.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			got := verified(t, reader, store.Verify{})
			if !got.Whole {
				t.Error("the file was not checked as a whole")
			}
			wantTold(t, c.want, got)
		})
	}
}

// A promise that is taken away while the store is open does not go unnoticed.
func TestVerifySchema(t *testing.T) {
	t.Parallel()
	path := checked(t)
	s := open(t, path, sqlite.Options{})
	raw(t, path, "DROP TRIGGER run_never_goes")
	wantTold(t, told{Faults: []string{`The database is not as Hearth made it: its trigger "run_never_goes" is missing or altered.`}}, verified(t, s, store.Verify{}))
}

// Bytes that turn over in the file are found, wherever they are: in what is
// served and in what only SQLite needs.
func TestVerifyFlippedPages(t *testing.T) {
	t.Parallel()
	whole := marked(t)
	size := int64(len(readFile(t, whole)))
	const page = 4096
	for at := int64(page); at < size; at += page {
		path := copyOf(t, whole)
		data := readFile(t, path)
		for i := range data[at : at+page] {
			data[at+int64(i)] ^= 0x55
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		reader, err := sqlite.OpenReader(path)
		if err != nil {
			continue // it is found already now
		}
		v, err := reader.Verify(t.Context(), store.Verify{})
		if err != nil || v.Sound() {
			t.Errorf("the page at %d of %d is turned over: %+v, %v", at, size, v, err)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
