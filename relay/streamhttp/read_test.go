package streamhttp_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
)

// seqs are the positions in a page.
func (p page) seqs() []uint64 {
	s := []uint64{}
	for _, e := range p.Entries {
		s = append(s, e.Seq)
	}
	return s
}

// A reader gets what follows its cursor, as many as it asks for; at the head an
// empty page; at position 0 with the first link everything.
func TestPages(t *testing.T) {
	r := start(t)
	w := r.writeEntries(t, "notes", "a", "b", "c", "d")
	all := r.read(t, "notes", "")
	genesis := protocol.Genesis(protocol.Identity(w.Stream))
	at := func(seq int) string {
		if seq == 0 {
			return "after=" + cursor(0, w.Stream, genesis[:])
		}
		return "after=" + cursor(uint64(seq), w.Stream, all.Entries[seq-1].Hash)
	}
	for _, tt := range []struct {
		query string
		want  []uint64
	}{
		{"", []uint64{1, 2, 3, 4}},
		{"?", []uint64{1, 2, 3, 4}},
		{"?limit=2", []uint64{1, 2}},
		{"?limit=002", []uint64{1, 2}},
		{"?limit=%2B2", []uint64{1, 2}},
		{"?&limit=2&", []uint64{1, 2}},
		{"?lim%69t=%32", []uint64{1, 2}},
		{"?limit=10000", []uint64{1, 2, 3, 4}},
		{"?" + at(0), []uint64{1, 2, 3, 4}},
		{"?" + at(1), []uint64{2, 3, 4}},
		{"?limit=1&" + at(2), []uint64{3}},
		{"?" + at(4), []uint64{}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			p := r.read(t, "notes", tt.query)
			if diff := cmp.Diff(tt.want, p.seqs()); diff != "" || p.Head != 4 {
				t.Errorf("head %d, %s", p.Head, diff)
			}
		})
	}
}

// A page that the store has in many pieces, small ones and large ones, comes whole
// and in order.
func TestPageInPieces(t *testing.T) {
	r := start(t)
	var want []string
	for i := range 60 {
		entry := fmt.Sprintf("%d%s", i, data(i*i*20)) // up to 70 kB
		want = append(want, entry)
		r.writeEntries(t, "notes", entry)
	}
	var got []string
	for _, e := range r.read(t, "notes", "").Entries {
		got = append(got, string(e.Data))
	}
	if !slices.Equal(want, got) {
		t.Errorf("%d entries came, other than those that were written", len(got))
	}
}

// Clients that take large pages slowly keep others from large pages, but nobody
// from small ones; a page that found no room comes whole once there is some.
func TestSmallPagesPassLargeOnes(t *testing.T) {
	r := start(t)
	r.writeEntries(t, "notes", "a", "b")
	r.write(t, "films", batch{Entries: [][]byte{data(1 << 20)}})
	slow, err := r.sending.Reserve(t.Context(), 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	large := r.dial(t)
	large.say(t, "GET "+path("films")+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	for range 20 {
		if p := r.read(t, "notes", ""); len(p.Entries) != 2 {
			t.Errorf("%d entries, want 2", len(p.Entries))
		}
	}
	r.write(t, "films", batch{Entries: [][]byte{data(1 << 20)}})
	slow.Release()
	p := decode[page](t, large.hear(t, http.MethodGet).body)
	if p.Head != 2 || len(p.Entries) != 2 {
		t.Errorf("head %d, %d entries; want what is there once there is room", p.Head, len(p.Entries))
	}
	all, err := r.sending.Reserve(t.Context(), 32<<20)
	if err != nil {
		t.Fatalf("the room of a page that was sent is still held: %v", err)
	}
	all.Release()
}

// Without a limit a page holds a thousand entries.
func TestDefaultLimit(t *testing.T) {
	r := start(t)
	entries := make([][]byte, 1001)
	for i := range entries {
		entries[i] = []byte{byte(i)}
	}
	r.write(t, "notes", batch{Epoch: 1, Entries: entries})
	if p := r.read(t, "notes", ""); len(p.Entries) != 1000 || p.Head != 1001 {
		t.Errorf("%d entries of %d", len(p.Entries), p.Head)
	}
}

// A page ends before its entries pass 8 MiB, but is never empty while there is
// an entry, however large.
func TestPageBytes(t *testing.T) {
	for name, tt := range map[string]struct {
		sizes []int
		want  int // entries in the first page
	}{
		"nine of 1 MiB":           {[]int{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}, 8},
		"two of 5 MiB":            {[]int{5 << 20, 5 << 20}, 1},
		"one of 16 MiB, but":      {[]int{protocol.MaxEntry, 1}, 1},
		"a small one before":      {[]int{1, protocol.MaxEntry}, 1},
		"just 8 MiB":              {[]int{8<<20 - 1, 1, 1}, 2},
		"one byte over":           {[]int{8<<20 + 1, 1}, 1},
		"empty ones do not count": {[]int{8 << 20, 0, 0}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			for _, size := range tt.sizes {
				r.write(t, "notes", batch{Epoch: 1, Entries: [][]byte{data(size)}})
			}
			query, first, seen := "", true, 0
			for seen < len(tt.sizes) {
				p := r.read(t, "notes", query)
				if first && len(p.Entries) != tt.want {
					t.Errorf("%d entries in the first page, want %d", len(p.Entries), tt.want)
				}
				for _, e := range p.Entries {
					if len(e.Data) != tt.sizes[seen] {
						t.Errorf("entry %d has %d bytes", seen+1, len(e.Data))
					}
					seen++
				}
				query, first = "?after="+p.after(), false
			}
		})
	}
}

// HEAD answers as GET does, without the page.
func TestHead(t *testing.T) {
	r := start(t)
	r.writeEntries(t, "notes", "a", "b")
	get := r.do(t, http.MethodGet, path("notes"), nil, nil)
	head := r.do(t, http.MethodHead, path("notes"), nil, nil)
	if head.status != http.StatusOK || head.header.Get("Content-Length") != get.header.Get("Content-Length") ||
		head.header.Get("Content-Type") != "application/cbor" {
		t.Errorf("status %d, headers %v", head.status, head.header)
	}
}
