package storetest

import (
	"math"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// patched fills a stream with batches that a store may keep in pieces of
// different sizes, and returns its identity and its entries.
func patched(t testing.TB, s *subject, ref store.Ref) (protocol.Identity, []protocol.Entry) {
	t.Helper()
	var id protocol.Identity
	for i, sizes := range [][]int{
		{1, 2, 3}, {0}, {0, 0}, {130_000, 130_000, 1}, {300_000}, {40_000, 5, 40_000}, {4}, {4, 4, 4, 4, 4},
	} {
		b := protocol.Batch{Epoch: uint32(i)}
		var data [][]byte
		for _, size := range sizes {
			data = append(data, make([]byte, size))
		}
		b.Entries = protocol.NewEntries(data...)
		id = s.write(t, ref, b).Stream
	}
	return id, s.readAll(t, ref, everything)
}

// A cursor gets exactly one answer: the entries after it, or how it and the
// stream have parted.
func testCursor(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	id, entries := patched(t, s, ref)
	head := uint64(len(entries))
	link := func(seq uint64) protocol.Link {
		if seq == 0 {
			return protocol.Genesis(id)
		}
		return entries[seq-1].Link
	}
	other := protocol.Identity{1}
	// What each refusal is checked with.
	replaced := func(t *testing.T, err error) { refused(t, err, &store.ReplacedError{Ref: ref, Now: id}) }
	diverged := func(seq uint64) func(*testing.T, error) {
		return func(t *testing.T, err error) { refused(t, err, &store.DivergedError{Ref: ref, Seq: seq}) }
	}
	ahead := func(seq uint64) func(*testing.T, error) {
		return func(t *testing.T, err error) { refused(t, err, &store.AheadError{Ref: ref, Seq: seq, Head: head}) }
	}
	check := func(t *testing.T) {
		for _, c := range []struct {
			name   string
			cursor protocol.Cursor
			want   func(*testing.T, error) // nil: the entries
		}{
			{"at the start", protocol.Cursor{Stream: id, Link: link(0)}, nil},
			{"in the midst", protocol.Cursor{Stream: id, Seq: 2, Link: link(2)}, nil},
			{"at the head", protocol.Cursor{Stream: id, Seq: head, Link: link(head)}, nil},
			{"another link at the start", protocol.Cursor{Stream: id}, diverged(0)},
			{"the link of another position", protocol.Cursor{Stream: id, Seq: 2, Link: link(3)}, diverged(2)},
			{"another link at the end of a batch", protocol.Cursor{Stream: id, Seq: 3, Link: link(2)}, diverged(3)},
			{"another link at the head", protocol.Cursor{Stream: id, Seq: head, Link: link(head - 1)}, diverged(head)},
			{"past the head", protocol.Cursor{Stream: id, Seq: head + 1, Link: link(head)}, ahead(head + 1)},
			{"far past the head", protocol.Cursor{Stream: id, Seq: math.MaxUint64}, ahead(math.MaxUint64)},
			{"past all numbers with a sign", protocol.Cursor{Stream: id, Seq: 1 << 63}, ahead(1 << 63)},
			{"another identity", protocol.Cursor{Stream: other, Seq: 2, Link: link(2)}, replaced},
			{"another identity, past the head", protocol.Cursor{Stream: other, Seq: head + 1}, replaced},
			{"another identity, at the start", protocol.Cursor{Stream: other, Link: protocol.Genesis(other)}, replaced},
		} {
			t.Run(c.name, func(t *testing.T) {
				p, err := s.Page(t.Context(), store.Read{Ref: ref, After: &c.cursor, Entries: everything, Bytes: everything})
				if c.want != nil {
					c.want(t, err)
					equal(t, "the page beside it", store.Page{}, p)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "the entries", entries[c.cursor.Seq:], decode(t, p))
				equal(t, "what is told beside them",
					store.Page{Stream: id, Epoch: 7, Head: head, Count: len(entries[c.cursor.Seq:]), Last: head},
					store.Page{Kind: p.Kind, Stream: p.Stream, Epoch: p.Epoch, Head: p.Head, Count: p.Count, Last: p.Last})
			})
		}
		_, err := s.Page(t.Context(), store.Read{Ref: named("none"), After: &protocol.Cursor{Stream: id}, Entries: 1, Bytes: 1})
		refused(t, err, &store.NotFoundError{Ref: named("none")})
	}
	check(t)
	s.reopen(t)
	t.Run("after a restart", check)
}

// From every position on, in pages of every size, readers see the same.
func testCursorEverywhere(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	id, entries := patched(t, s, ref)
	cursor := protocol.Cursor{Stream: id, Link: protocol.Genesis(id)}
	for i := range len(entries) + 1 {
		if i > 0 {
			cursor.Seq, cursor.Link = entries[i-1].Seq, entries[i-1].Link
		}
		for _, size := range []int{1, 2, 3, 5, len(entries)} {
			p := s.page(t, store.Read{Ref: ref, After: &cursor, Entries: size, Bytes: everything})
			want := entries[i:min(i+size, len(entries))]
			equal(t, "the page", want, decode(t, p))
			equal(t, "where it ends", cursor.Seq+uint64(len(want)), p.Last)
		}
		wrong := cursor
		wrong.Link[31] ^= 1
		_, err := s.Page(t.Context(), store.Read{Ref: ref, After: &wrong, Entries: 1, Bytes: everything})
		refused(t, err, &store.DivergedError{Ref: ref, Seq: wrong.Seq})
	}
}
