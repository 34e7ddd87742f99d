package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// many is a batch of so many entries without bytes, which are some fifty bytes
// each in the encoding of the wire.
func many(entries int) protocol.Batch {
	return protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([][]byte, entries)...)}
}

// A batch of very many entries is a batch like any other.
func testManyEntries(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	s.write(t, ref, batch(1, "before"))
	b := many(300_000)
	w := s.write(t, ref, b)
	equal(t, "where it is", store.Written{Stream: w.Stream, Epoch: 1, First: 2, Last: 300_001}, w)
	s.write(t, ref, batch(1, "after"))
	s.reopen(t)
	entries := s.readAll(t, ref, protocol.MaxPageEntries)
	if len(entries) != 300_002 {
		t.Fatalf("%d entries", len(entries))
	}
	for i, e := range entries {
		if ends := i == 0 || i >= 300_000; e.EndsBatch != ends {
			t.Fatalf("entry %d ends a batch: %t", e.Seq, e.EndsBatch)
		}
	}
}

// The largest entry that a body can bring goes in and comes out.
func testLargeEntry(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	data := bytes.Repeat([]byte("S\x01 a large entry "), protocol.MaxEntry/16+1)[:protocol.MaxEntry]
	b := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data)}
	s.write(t, ref, batch(1, "before"))
	w := s.write(t, ref, b)
	s.write(t, ref, batch(1, "after"))
	for range 2 {
		entries := s.readAll(t, ref, everything)
		equal(t, "the entries", []int{6, len(data), 5}, []int{len(entries[0].Data), len(entries[1].Data), len(entries[2].Data)})
		if !bytes.Equal(entries[1].Data, data) {
			t.Error("it came out as something else")
		}
		r, err := s.Record(t.Context(), ref, 2)
		if err != nil || !bytes.Equal(r.Data, data) {
			t.Errorf("it is not what Record tells: %v", err)
		}
		s.reopen(t)
	}
	w.Repeated = true
	equal(t, "the answer to its repeat", w, s.write(t, ref, b))
}

// Large batches and small ones that race, on one stream and on others, keep all
// promises, and no reader ever sees a part of one.
func testLargeBesideSmall(t *testing.T, open Open) {
	s := start(t, open)
	old, fresh := named("old"), named("fresh")
	s.write(t, old, batch(1, "before"))
	large := []struct {
		store.Ref
		protocol.Batch
	}{
		{old, many(200_000)},
		{fresh, many(200_000)}, // one that makes its stream
		{old, protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, protocol.MaxEntry))}},
	}
	var writing, watching sync.WaitGroup
	done := make(chan struct{})
	var mu sync.Mutex
	sizes := make(map[store.Ref]map[uint64]int) // how long the batch is that starts at a position
	note := func(ref store.Ref, w store.Written, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if sizes[ref] == nil {
			sizes[ref] = make(map[uint64]int)
		}
		sizes[ref][w.First] = int(w.Last - w.First + 1)
	}
	sizes[old] = map[uint64]int{1: 1}
	for _, l := range large {
		writing.Go(func() {
			w, err := s.Append(t.Context(), store.Append{Ref: l.Ref, Batch: l.Batch})
			note(l.Ref, w, err)
		})
	}
	for writer := range 4 {
		writing.Go(func() {
			for round := range 25 {
				for _, ref := range []store.Ref{old, fresh, named(fmt.Sprint(writer))} {
					// What a refusal or a small batch does in between must not
					// touch what is being written.
					b := batch(1, make([]string, 1+round%3)...)
					w, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b, Writer: fmt.Sprint(writer)})
					note(ref, w, err)
				}
			}
		})
	}
	for _, ref := range []store.Ref{old, fresh} {
		watching.Go(func() { s.watch(t, ref, done) })
	}
	writing.Wait()
	close(done)
	watching.Wait()
	s.reopen(t)
	for ref, of := range sizes {
		entries := s.readAll(t, ref, protocol.MaxPageEntries)
		for at := 0; at < len(entries); {
			n, ok := of[uint64(at)+1]
			if !ok {
				t.Fatalf("no batch of %s starts at %d", ref.Name, at+1)
			}
			for i := range n {
				if e := entries[at+i]; e.EndsBatch != (i == n-1) {
					t.Fatalf("entry %d of %s is the %d of %d of its batch and ends one: %t", e.Seq, ref.Name, i+1, n, e.EndsBatch)
				}
			}
			at += n
		}
	}
}

// watch reads the end of a stream until it is told to stop, which always has to
// be the end of a batch.
func (s *subject) watch(t *testing.T, ref store.Ref, done <-chan struct{}) {
	for head := uint64(0); ; {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond): // leaves the processor to the writers
		}
		heads, err := s.Heads(t.Context(), ref.Space, []string{ref.Name})
		if err != nil {
			t.Error(err)
			return
		}
		if !heads[0].Exists() {
			continue
		}
		records, err := s.Back(t.Context(), ref, 0, 1)
		if err != nil || len(records) != 1 {
			t.Errorf("%d records at the head: %v", len(records), err)
			return
		}
		last := records[0]
		if !last.EndsBatch || last.Seq < heads[0].Head || last.Seq < head {
			t.Errorf("a reader saw %s end at %d, which ends a batch: %t", ref.Name, last.Seq, last.EndsBatch)
			return
		}
		head = last.Seq
		p, err := s.Page(t.Context(), store.Read{
			Ref: ref, After: &protocol.Cursor{Stream: heads[0].Stream, Seq: last.Seq, Link: last.Link},
			Entries: 10, Bytes: everything,
		})
		if err != nil || p.Head < head {
			t.Errorf("a page after %d: head %d, %v", head, p.Head, err)
			return
		}
	}
}
