package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// comparing takes a list of nothing and no list for the same, and does not look
// at megabytes one byte after the other.
var comparing = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal)),
}

// everything asks for more than any page of these tests holds.
const everything = 1 << 30

// subject is a store that a test looks at.
type subject struct {
	store.Store
	open   Open
	folder string

	mu        sync.Mutex
	moves     []store.Moved
	published func() // runs after a publication, with mu held; may be nil
}

// start opens an empty store, and closes it when the test is over.
func start(t testing.TB, open Open) *subject {
	t.Helper()
	s := &subject{open: open, folder: t.TempDir()}
	s.Store = open(t, s.folder, s.hear)
	t.Cleanup(func() { s.close(t) })
	return s
}

func (s *subject) hear(moves []store.Moved) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves = append(s.moves, moves...)
	if s.published != nil {
		s.published()
	}
}

// heard returns what was published so far.
func (s *subject) heard() []store.Moved {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.moves)
}

// close closes the store, in which whatever a test has done to it has left no
// damage.
func (s *subject) close(t testing.TB) {
	t.Helper()
	if v, err := s.Verify(context.Background(), store.Verify{}); !errors.Is(err, store.ErrClosed) && (err != nil || !v.Sound()) {
		t.Errorf("the store is not sound: %+v, %v", v, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

// reopen closes the store and opens what it left.
func (s *subject) reopen(t testing.TB) {
	t.Helper()
	s.close(t)
	s.Store = s.open(t, s.folder, s.hear)
}

// named refers to a stream in the space that most tests use.
func named(name string) store.Ref { return store.Ref{Space: "default", Name: name} }

// batch is a batch without conditions in an epoch.
func batch(epoch uint32, entries ...string) protocol.Batch {
	data := make([][]byte, len(entries))
	for i, e := range entries {
		data[i] = []byte(e)
	}
	return protocol.Batch{Epoch: epoch, Entries: protocol.NewEntries(data...)}
}

// try appends a batch and returns how that went.
func (s *subject) try(t testing.TB, ref store.Ref, b protocol.Batch) (store.Written, error) {
	t.Helper()
	w, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b})
	if err != nil && w != (store.Written{}) {
		t.Errorf("a refused batch was told to be at %+v", w)
	}
	return w, err
}

// write appends a batch that must be taken.
func (s *subject) write(t testing.TB, ref store.Ref, b protocol.Batch) store.Written {
	t.Helper()
	w, err := s.try(t, ref, b)
	if err != nil {
		t.Fatalf("appending to %s: %v", ref.Name, err)
	}
	return w
}

// page reads a page that must be there.
func (s *subject) page(t testing.TB, r store.Read) store.Page {
	t.Helper()
	p, err := s.Page(t.Context(), r)
	if err != nil {
		t.Fatalf("reading %s: %v", r.Name, err)
	}
	return p
}

// decode returns the entries of a page.
func decode(t testing.TB, p store.Page) []protocol.Entry {
	t.Helper()
	entries := make([]protocol.Entry, 0, p.Count)
	for e, err := range p.All() {
		if err != nil {
			t.Fatalf("decoding a page: %v", err)
		}
		entries = append(entries, e)
	}
	if len(entries) != p.Count {
		t.Fatalf("a page of %d entries says it has %d", len(entries), p.Count)
	}
	return entries
}

// readAll reads a stream from its start to its head in pages of up to so many
// entries, and checks that positions have no gap and links are those of the
// chain.
func (s *subject) readAll(t testing.TB, ref store.Ref, pageEntries int) []protocol.Entry {
	t.Helper()
	var all []protocol.Entry
	var after *protocol.Cursor
	var chain *protocol.Chain
	for {
		p := s.page(t, store.Read{Ref: ref, After: after, Entries: pageEntries, Bytes: protocol.MaxPageData})
		if chain == nil {
			chain = protocol.NewChain(0, protocol.Genesis(p.Stream))
		}
		for _, e := range decode(t, p) {
			link := chain.Next(e.Epoch, e.Data)
			if e.Seq != chain.Seq() || e.Link != link {
				t.Fatalf("entry %d with link %s stands where %d with %s belongs", e.Seq, e.Link, chain.Seq(), link)
			}
			all = append(all, e)
		}
		if p.Last != chain.Seq() {
			t.Fatalf("a page that ends at %d says it ends at %d", chain.Seq(), p.Last)
		}
		if p.Last == p.Head {
			return all
		}
		if p.Count == 0 {
			t.Fatalf("an empty page at %d before the head %d", p.Last, p.Head)
		}
		after = &protocol.Cursor{Stream: p.Stream, Seq: p.Last, Link: chain.Link()}
	}
}

// texts returns the bytes of entries.
func texts(entries []protocol.Entry) []string {
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = string(e.Data)
	}
	return list
}

// equal compares what a test got with what it wants.
func equal[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, comparing); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refused checks that an error is a certain one, with all that it tells.
func refused[E error](t testing.TB, err error, want E) {
	t.Helper()
	got, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got the error %v, want %v", err, want)
	}
	equal(t, "the refusal", want, got)
}

// absent checks that there is no stream at all.
func (s *subject) absent(t testing.TB, ref store.Ref) {
	t.Helper()
	_, err := s.Stream(t.Context(), ref)
	refused(t, err, &store.NotFoundError{Ref: ref})
	_, err = s.Page(t.Context(), store.Read{Ref: ref, Entries: everything, Bytes: everything})
	refused(t, err, &store.NotFoundError{Ref: ref})
	heads, err := s.Heads(t.Context(), ref.Space, []string{ref.Name})
	if err != nil || heads[0].Exists() {
		t.Errorf("the head of a stream that is not there: %v, %v", heads, err)
	}
}
