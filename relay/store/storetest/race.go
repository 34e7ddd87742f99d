package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// racers is how many write at the same time.
const racers = 32

// race runs one function of each racer at the same time.
func race(f func(racer int)) {
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for racer := range racers {
		wg.Go(func() {
			<-ready
			f(racer)
		})
	}
	close(ready)
	wg.Wait()
}

// However many write at once, a batch is there as a whole and in one piece, and
// its writer is told the place that it has for every reader.
func testRacingWriters(t *testing.T, open Open) {
	for _, streams := range []int{1, 5, racers} {
		t.Run(fmt.Sprint(streams), func(t *testing.T) { testRace(t, open, streams) })
	}
}

func testRace(t *testing.T, open Open, streams int) {
	const rounds = 20
	s := start(t, open)
	placed := make([]map[uint64]string, streams) // what stands where
	for i := range placed {
		placed[i] = make(map[uint64]string)
	}
	ids := make([]protocol.Identity, streams)
	var mu sync.Mutex
	race(func(racer int) {
		for round := range rounds {
			stream := (racer + round) % streams
			entries := make([]string, 1+(racer+round)%4)
			for i := range entries {
				entries[i] = fmt.Sprintf("%d of %d, round %d", i, racer, round)
			}
			w, err := s.Append(t.Context(), store.Append{
				Ref: named(fmt.Sprint(stream)), Batch: batch(1, entries...), Writer: fmt.Sprint(racer % 3),
			})
			if err != nil {
				t.Error(err)
				return
			}
			if w.Last-w.First+1 != uint64(len(entries)) || w.Repeated {
				t.Errorf("%d entries are at %+v", len(entries), w)
			}
			mu.Lock()
			if ids[stream] == (protocol.Identity{}) {
				ids[stream] = w.Stream
			}
			if ids[stream] != w.Stream {
				t.Errorf("a stream is both %s and %s", ids[stream], w.Stream)
			}
			for i, e := range entries {
				placed[stream][w.First+uint64(i)] = e
			}
			mu.Unlock()
			// A refusal in the midst of a group harms nobody else in it.
			wrong := batch(0, "never")
			if _, err := s.Append(t.Context(), store.Append{Ref: named(fmt.Sprint(stream)), Batch: wrong}); !isBehind(err) {
				t.Errorf("a batch in a lower epoch: %v", err)
			}
		}
	})
	for range 2 {
		total := 0
		for stream := range streams {
			entries := s.readAll(t, named(fmt.Sprint(stream)), 100)
			equal(t, "entries that were told", len(placed[stream]), len(entries))
			for _, e := range entries {
				if placed[stream][e.Seq] != string(e.Data) {
					t.Fatalf("%q is at %d, where the writer was told of %q", e.Data, e.Seq, placed[stream][e.Seq])
				}
			}
			total += len(entries)
		}
		totals, err := s.Totals(t.Context())
		if err != nil || totals.Entries != uint64(total) || totals.Streams != streams {
			t.Errorf("%d entries in %d streams are counted as %+v, %v", total, streams, totals, err)
		}
		s.reopen(t)
	}
}

func isBehind(err error) bool {
	_, ok := errors.AsType[*store.EpochBehindError](err)
	return ok
}

// Of those who race to create a stream and say that they are the first, one is.
func testRacingCreation(t *testing.T, open Open) {
	s := start(t, open)
	for round := range 10 {
		ref := named(fmt.Sprint("new", round))
		var mu sync.Mutex
		var won []string
		race(func(racer int) {
			b := batch(1, fmt.Sprint(racer))
			b.First = new(uint64(1))
			_, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, fmt.Sprint(racer))
			} else if _, ok := errors.AsType[*store.OutOfPlaceError](err); !ok {
				t.Error(err)
			}
		})
		if len(won) != 1 {
			t.Fatalf("%d were the first", len(won))
		}
		equal(t, "the stream", won, texts(s.readAll(t, ref, everything)))
	}
}
