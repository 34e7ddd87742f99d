package storetest

import (
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// sealed is an entry that starts like a sealed blob.
func sealed(text string) string { return "S\x01" + text }

// lock is an entry that starts like a lock.
func lock(text string) string { return "L\x01" + text }

// A batch of sealed entries that the stream holds already is told, not written
// once more; any other batch is written however often it comes.
func testRepeat(t *testing.T, open Open) {
	// The stream holds the batches of held, in their order.
	held := []protocol.Batch{
		batch(1, sealed("a"), sealed("b"), lock("c")),
		batch(1, sealed("d")),
		batch(1, sealed("e")),
		batch(1, "plain"),
		batch(1, ""),
		batch(1, sealed("f"), "S\x02"),
		batch(1, "S"),
	}
	with := func(b protocol.Batch, id *protocol.Identity, first *uint64) protocol.Batch {
		b.Stream, b.First = id, first
		return b
	}
	s := start(t, open)
	for _, c := range []struct {
		name  string
		batch protocol.Batch
		at    uint64 // where it is held; 0 if it is no repeat
	}{
		{"a batch of three", held[0], 1},
		{"a batch of one", held[1], 4},
		{"another one", held[2], 5},
		{"with a position that has passed", with(held[1], nil, new(uint64(4))), 4},
		{"with a wrong position", with(held[1], nil, new(uint64(99))), 4},
		{"plain", held[3], 0},
		{"empty", held[4], 0},
		{"one of the entries is not sealed", held[5], 0},
		{"too short to be sealed", held[6], 0},
		{"the start of a batch", batch(1, sealed("a"), sealed("b")), 0},
		{"the end of a batch", batch(1, lock("c")), 0},
		{"two batches in one", batch(1, sealed("d"), sealed("e")), 0},
		{"in another order", batch(1, sealed("b"), sealed("a"), lock("c")), 0},
		{"in another epoch", batch(2, sealed("d")), 0},
		{"one byte more", batch(1, sealed("d\x00")), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ref := named(c.name)
			var id protocol.Identity
			for _, b := range held {
				id = s.write(t, ref, b).Stream
			}
			const head = 10
			want := store.Written{
				Stream: id, Epoch: c.batch.Epoch,
				First: head + 1, Last: head + uint64(c.batch.Entries.Len()),
			}
			if c.at > 0 {
				want.First, want.Last, want.Repeated = c.at, c.at+uint64(c.batch.Entries.Len())-1, true
			}
			equal(t, "the answer", want, s.write(t, ref, c.batch))
			equal(t, "the head", max(head, want.Last), uint64(len(s.readAll(t, ref, everything))))
			c.batch.First = nil
			if c.at == 0 && c.batch.Entries.Sealed() {
				want.Repeated = true
				equal(t, "the answer to its own repeat", want, s.write(t, ref, c.batch))
			}
		})
	}

	t.Run("the epoch has moved on", func(t *testing.T) {
		ref := named("notes")
		b := batch(1, sealed("a"))
		id := s.write(t, ref, b).Stream
		s.write(t, ref, batch(9, sealed("b")))
		want := store.Written{Stream: id, Epoch: 9, First: 1, Last: 1, Repeated: true}
		equal(t, "the answer", want, s.write(t, ref, b))
	})
	t.Run("another stream", func(t *testing.T) {
		b := batch(1, sealed("a"))
		s.write(t, named("calendar"), b)
		equal(t, "the stream", []string{sealed("a")}, texts(s.readAll(t, named("calendar"), everything)))
		_, err := s.try(t, named("notes"), with(b, &protocol.Identity{1}, nil))
		if err == nil {
			t.Error("a repeat was found in a stream that was not meant")
		}
	})
}

// A repeat is told also by a store that was opened anew, and also if the batch
// is large.
func testRepeatAfterRestart(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	small := batch(1, sealed("a"), lock("b"))
	// Larger than any store would want to write or to compare in one go.
	many := make([][]byte, 20_000)
	for i := range many {
		many[i] = append([]byte("S\x01"), make([]byte, 300)...)
	}
	large := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(many...)}
	s.write(t, ref, small)
	want := s.write(t, ref, large)
	want.Repeated = true
	for range 2 {
		equal(t, "the answer to the large one", want, s.write(t, ref, large))
		equal(t, "the answer to the small one",
			store.Written{Stream: want.Stream, Epoch: 1, First: 1, Last: 2, Repeated: true}, s.write(t, ref, small))
		s.reopen(t)
	}
	one := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(many[:19_999]...)}
	if w := s.write(t, ref, one); w.Repeated {
		t.Error("a part of a batch was taken for the batch")
	}
}

// Of copies of a batch that race, exactly one is written.
func testRacingRepeats(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	for round := range 10 {
		b := batch(1, sealed(string(rune('a'+round))), sealed("and"))
		if round == 0 { // also where the copies race to create the stream
			b = batch(1, sealed("first"), sealed("and"))
		}
		var mu sync.Mutex
		var written int
		places := make(map[uint64]bool)
		race(func(int) {
			w, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			places[w.First] = true
			if !w.Repeated {
				written++
			}
		})
		if written != 1 || len(places) != 1 {
			t.Fatalf("%d copies were written, at %v", written, places)
		}
		equal(t, "the head", 2*(round+1), len(s.readAll(t, ref, everything)))
	}
}
