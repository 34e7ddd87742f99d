package sqlite_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"pgregory.net/rapid"
)

// A page takes as much memory as it shows to those who count it, not that of the
// runs that it was cut from.
func TestPageMemory(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	w, err := s.Append(t.Context(), store.Append{Ref: named("notes"), Batch: sealedBatch(700, 300)}) // most of a run
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Record(t.Context(), named("notes"), w.Last-1)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const pages, roomy = 200, 64 << 10
	held := make([]store.Page, pages)
	start := heap()
	shown := 0
	for i := range held {
		held[i], err = s.Page(t.Context(), store.Read{
			Ref: named("notes"), After: &protocol.Cursor{Stream: w.Stream, Seq: w.Last - 1, Link: before.Link},
			Entries: 10, Bytes: protocol.MaxPageData,
		})
		if err != nil || held[i].Count != 1 {
			t.Fatalf("%d entries: %v", held[i].Count, err)
		}
		shown += cap(held[i].Wire[0])
	}
	if took := heap() - start; took > pages*roomy {
		t.Errorf("%d pages that show %d bytes take %d", pages, shown, took)
	}
	runtime.KeepAlive(held)
}

// A page shows its entries whatever their sizes and however they fall into
// pieces, takes not much more memory than they do, and is not changed by others
// that are given back.
func TestPagePieces(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	const batches = 40
	var data [][]byte
	for i := range batches {
		batch := make([][]byte, 1+i%7)
		for j := range batch {
			size := []int{0, 100, 30_000, store.PieceSize / 3, store.PieceSize, 2 * store.PieceSize}[(i*i+j)%6]
			batch[j] = bytes.Repeat([]byte{byte(len(data) + j)}, size)
		}
		data = append(data, batch...)
		if _, err := s.Append(t.Context(), store.Append{
			Ref: named("notes"), Batch: protocol.Batch{Entries: protocol.NewEntries(batch...)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	cursors := []*protocol.Cursor{nil}
	for seq := 1; seq < len(data); {
		p, err := s.Page(t.Context(), store.Read{
			Ref: named("notes"), After: cursors[len(cursors)-1], Entries: protocol.MaxPageEntries, Bytes: protocol.MaxPageData,
		})
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range p.All() {
			if err != nil {
				t.Fatal(err)
			}
			cursors = append(cursors, &protocol.Cursor{Stream: p.Stream, Seq: e.Seq, Link: e.Link})
			seq++
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.IntRange(0, len(data)-1).Draw(t, "after")
		limit := rapid.IntRange(1, len(data)).Draw(t, "limit")
		p, err := s.Page(context.Background(), store.Read{
			Ref: named("notes"), After: cursors[after], Entries: limit, Bytes: protocol.MaxPageData,
		})
		if err != nil || p.Count == 0 || p.Count > limit {
			t.Fatalf("%d entries of %d: %v", p.Count, limit, err)
		}
		held, size := 0, 0
		for _, piece := range p.Wire {
			held += cap(piece)
			size += len(piece)
		}
		if held > 2*size+store.PieceSize {
			t.Fatalf("%d bytes take %d", size, held)
		}
		seq := after
		for e, err := range p.All() {
			if err != nil || int(e.Seq) != seq+1 || !bytes.Equal(e.Data, data[seq]) {
				t.Fatalf("the entry at %d is another one: %v", seq+1, err)
			}
			seq++
		}
		if seq != after+p.Count {
			t.Fatalf("%d entries in a page of %d", seq-after, p.Count)
		}
		if rapid.Bool().Draw(t, "given back") {
			p.Release()
		}
	})
}
