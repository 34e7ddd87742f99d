package storetest

import (
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Who knows only a position reads on behind it just as with a cursor, and each page
// tells the cursor of its end, also one without entries.
func testBehind(t *testing.T, open Open) {
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
	check := func() {
		t.Helper()
		for behind := range head + 1 {
			for _, count := range []int{0, 1, 3, everything} {
				last := min(head, behind+uint64(count))
				cursor := &protocol.Cursor{Stream: id, Seq: behind, Link: link(behind)}
				for _, ask := range []store.Read{{Ref: ref, Behind: behind}, {Ref: ref, After: cursor}} {
					ask.Entries, ask.Bytes = count, everything
					p := s.page(t, ask)
					equal(t, "the entries", entries[behind:last], decode(t, p))
					equal(t, "the end", protocol.Cursor{Stream: id, Seq: last, Link: link(last)}, p.Cursor())
				}
			}
		}
		for _, seq := range []uint64{head + 1, 1 << 63} {
			_, err := s.Page(t.Context(), store.Read{Ref: ref, Behind: seq, Entries: 1, Bytes: 1})
			refused(t, err, &store.AheadError{Ref: ref, Seq: seq, Head: head})
		}
	}
	check()
	s.reopen(t)
	check()
	check() // from what is remembered
}
