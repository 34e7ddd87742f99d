package storetest

import (
	"fmt"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// A page ends at its number of entries, or at the head.
func testPageEntries(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	for range 5 {
		data := make([][]byte, 500)
		s.write(t, ref, protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)})
	}
	for _, c := range []struct{ entries, want int }{
		{1, 1},
		{499, 499},
		{500, 500},
		{501, 501},
		{2499, 2499},
		{2500, 2500},
		{2501, 2500},
		{protocol.MaxPageEntries, 2500},
	} {
		p := s.page(t, store.Read{Ref: ref, Entries: c.entries, Bytes: protocol.MaxPageData})
		equal(t, "the entries of the page", c.want, len(decode(t, p)))
		equal(t, "where it ends", uint64(c.want), p.Last)
	}
}

// A page ends before the entry that would take it over its number of bytes, but
// a first entry that is larger goes alone.
func testPageBytes(t *testing.T, open Open) {
	const most = protocol.MaxPageData
	s := start(t, open)
	for i, c := range []struct {
		sizes []int
		pages []int // how many entries each of them holds
	}{
		{[]int{most, 0, 0, 1}, []int{3, 1}},
		{[]int{most - 1, 1, 1}, []int{2, 1}},
		{[]int{most - 1, 2, 1}, []int{1, 2}},
		{[]int{0, most + 1, 0, 1}, []int{1, 1, 2}},
		{[]int{5 << 20, 5 << 20}, []int{1, 1}},
		{[]int{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}, []int{8, 1}},
	} {
		t.Run(fmt.Sprint(c.sizes), func(t *testing.T) {
			ref := named(fmt.Sprint(i))
			for _, size := range c.sizes { // each in a batch of its own: together they may be too large for one
				s.write(t, ref, protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, size))})
			}
			var pages []int
			var after *protocol.Cursor
			for read := 0; read < len(c.sizes); {
				p := s.page(t, store.Read{Ref: ref, After: after, Entries: 1000, Bytes: most})
				entries := decode(t, p)
				if len(entries) == 0 {
					t.Fatalf("the page after %d is empty", read)
				}
				last := entries[len(entries)-1]
				after = &protocol.Cursor{Stream: p.Stream, Seq: last.Seq, Link: last.Link}
				pages = append(pages, len(entries))
				read += len(entries)
			}
			equal(t, "the pages", c.pages, pages)
		})
	}
}
