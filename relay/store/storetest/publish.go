package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// A move is published before the writer has its answer, and once; what moves
// nothing is not published.
func testPublish(t *testing.T, open Open) {
	s := start(t, open)
	var want []store.Moved
	expect := func() {
		t.Helper()
		equal(t, "what was published", want, s.heard())
	}
	write := func(ref store.Ref, b protocol.Batch) {
		t.Helper()
		w := s.write(t, ref, b)
		if !w.Repeated {
			want = append(want, store.Moved{Ref: ref, State: store.State{Stream: w.Stream, Head: w.Last}, Before: w.First - 1})
		}
		expect()
	}
	write(named("a"), batch(1, "1", "2"))
	write(named("a"), batch(1, sealed("3")))
	write(store.Ref{Space: "other", Name: "a"}, batch(1, "1"))
	write(named("a"), batch(1, sealed("3")))
	if _, err := s.try(t, named("a"), batch(0, "behind")); err == nil {
		t.Error("a lower epoch was taken")
	}
	expect()
	s.reopen(t)
	expect()
	write(named("a"), batch(1, "4"))
}

// However many write at once, the heads of a stream are published in their
// order, a reader who hears of one finds it there, and the last one is told.
func testPublishInOrder(t *testing.T, open Open) {
	var s store.Store
	var mu sync.Mutex
	heads := make(map[store.Ref]uint64)
	s = open(t, t.TempDir(), func(moves []store.Moved) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range moves {
			if m.Head <= heads[m.Ref] {
				t.Errorf("%s has moved to %d after %d", m.Name, m.Head, heads[m.Ref])
			}
			heads[m.Ref] = m.Head
			now, err := s.Heads(t.Context(), m.Space, []string{m.Name})
			if err != nil || now[0].Stream != m.Stream || now[0].Head < m.Head {
				t.Errorf("heard of %+v, found %+v, %v", m.State, now, err)
			}
		}
	})
	defer s.Close()
	race(func(racer int) {
		for round := range 20 {
			ref := named(fmt.Sprint((racer + round) % 3))
			w, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: batch(1, "x", "y")})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			if heads[ref] < w.Last {
				t.Errorf("answered %d, published only %d", w.Last, heads[ref])
			}
			mu.Unlock()
		}
	})
	for _, ref := range slices.Collect(maps.Keys(heads)) {
		now, err := s.Stream(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the last head", now.Head, heads[ref])
	}
}
