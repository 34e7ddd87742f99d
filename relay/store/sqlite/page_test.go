package sqlite_test

import (
	"runtime"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
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
