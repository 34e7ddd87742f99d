package sqlite_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// firstStream is a stream as the first version served it over HTTP, with the link
// of each of its entries.
type firstStream struct {
	Name     string   `json:"name"`
	Identity string   `json:"identity"`
	Epoch    uint32   `json:"epoch"`
	Head     uint64   `json:"head"`
	Bytes    uint64   `json:"bytes"`
	Links    []string `json:"links"`
}

// cursor is where a device stood that had read up to a position.
func (f firstStream) cursor(t *testing.T, seq int) protocol.Cursor {
	t.Helper()
	c := protocol.Cursor{Seq: uint64(seq)}
	if _, err := hex.Decode(c.Stream[:], []byte(f.Identity)); err != nil {
		t.Fatal(err)
	}
	if _, err := hex.Decode(c.Link[:], []byte(f.Links[seq-1])); err != nil {
		t.Fatal(err)
	}
	return c
}

// first returns a copy of a database that the first version wrote and closed, and
// what it said is in there: epochs from 0 to 4, batches of sealed entries, an empty
// entry, a stream of nothing else, and an entry of 300 KiB among small ones.
func first(t *testing.T) (path string, streams []firstStream) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "first.db"))
	if err != nil {
		t.Fatal(err)
	}
	path = place(t)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(filepath.Join("testdata", "first.json")); err == nil {
		err = json.Unmarshal(data, &streams)
	}
	if err != nil || len(streams) == 0 {
		t.Fatal(err)
	}
	return path, streams
}

// What the first version wrote is there for every later one: sound to its last
// link, the same for each cursor that a device may still hold, and it goes on.
func TestFirstVersion(t *testing.T) {
	t.Parallel()
	path, streams := first(t)
	s := open(t, path, sqlite.Options{})
	same := func() {
		t.Helper()
		if v := verified(t, s, store.Verify{}); !v.Sound() || !v.Whole || v.Streams != len(streams) {
			t.Errorf("it is not sound: %+v", v)
		}
		for _, f := range streams {
			for seq := 1; seq < len(f.Links); seq++ {
				after := f.cursor(t, seq)
				p, err := s.Page(t.Context(), store.Read{Ref: named(f.Name), After: &after, Entries: 1, Bytes: 1})
				if err != nil || p.Count != 1 {
					t.Fatalf("%s at %d: %d entries, %v", f.Name, seq, p.Count, err)
				}
				for e, err := range p.All() {
					if err != nil || e.Seq != uint64(seq)+1 || e.Link != f.cursor(t, seq+1).Link {
						t.Fatalf("%s at %d is followed by %d, %v, %v", f.Name, seq, e.Seq, e.Link, err)
					}
				}
			}
		}
	}
	same()
	var got []firstStream
	list, err := s.Streams(t.Context(), store.Ref{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, is := range list {
		got = append(got, firstStream{is.Name, is.Identity.String(), is.Epoch, is.Head, is.Bytes, streams[i].Links})
	}
	if diff := cmp.Diff(streams, got); diff != "" {
		t.Errorf("the streams (-want +got):\n%s", diff)
	}

	// A writer that did not hear the answer then may ask again now.
	third, fourth := entryAt(t, s, "notes", 3), entryAt(t, s, "notes", 4)
	again := store.Append{Ref: named("notes"), Batch: protocol.Batch{Epoch: third.Epoch, Entries: protocol.NewEntries(third.Data, fourth.Data)}}
	if w, err := s.Append(t.Context(), again); err != nil || !w.Repeated || w.First != 3 {
		t.Errorf("a repeat is %+v, %v", w, err)
	}
	for _, f := range streams {
		more := store.Append{Ref: named(f.Name), Batch: protocol.Batch{Epoch: f.Epoch + 1, Entries: protocol.NewEntries([]byte("more"))}}
		if w, err := s.Append(t.Context(), more); err != nil || w.First != f.Head+1 || w.Stream.String() != f.Identity {
			t.Errorf("%s goes on at %+v, %v", f.Name, w, err)
		}
	}
	same()
	shut(t, s)
	s = open(t, path, sqlite.Options{})
	same()
	for _, f := range streams {
		after := f.cursor(t, int(f.Head))
		p, err := s.Page(t.Context(), store.Read{Ref: named(f.Name), After: &after, Entries: 10, Bytes: 100})
		if err != nil || p.Count != 1 || p.Last != f.Head+1 {
			t.Errorf("behind the old head of %s: %+v, %v", f.Name, p, err)
		}
	}
}

// What the first version wrote can be looked at without a trace.
func TestFirstVersionRead(t *testing.T) {
	t.Parallel()
	path, streams := first(t)
	before := hashes(t, path)
	r, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	totals, err := r.Totals(t.Context())
	if err != nil || totals.Streams != len(streams) {
		t.Errorf("%+v, %v", totals, err)
	}
	if v := verified(t, r, store.Verify{}); !v.Sound() || !v.Whole {
		t.Errorf("it is not sound: %+v", v)
	}
	// It had none of these.
	if list, err := r.Types(t.Context(), ""); len(list) > 0 || err != nil {
		t.Errorf("the types are %+v, %v", list, err)
	}
	if list, err := r.Commands(t.Context(), 0, 10); len(list) > 0 || err != nil {
		t.Errorf("the commands are %+v, %v", list, err)
	}
	if _, found, err := r.Recall(t.Context(), store.Command{}); found || err != nil {
		t.Errorf("a command is remembered, %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, hashes(t, path)); diff != "" {
		t.Errorf("the files (-before +after):\n%s", diff)
	}
}

func entryAt(t *testing.T, s *sqlite.Store, name string, seq uint64) protocol.Entry {
	t.Helper()
	r, err := s.Record(t.Context(), named(name), seq)
	if err != nil {
		t.Fatal(err)
	}
	return r.Entry
}
