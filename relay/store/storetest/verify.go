package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// A check goes over all that there is, tells how far it has come, and says the
// same however many work at it.
func testVerify(t *testing.T, open Open) {
	s := start(t, open)
	v, err := s.Verify(t.Context(), store.Verify{})
	if err != nil || !v.Sound() || v.Streams != 0 {
		t.Errorf("of nothing: %+v, %v", v, err)
	}
	for i := range 3 {
		ref := store.Ref{Space: fmt.Sprint("space-", i%2), Name: fmt.Sprint("stream-", i)}
		s.write(t, ref, batch(1, "a", "bc"))
		s.write(t, ref, many(1+30_000*i))
		s.write(t, ref, batch(2, "S\x01d", "L\x01e"))
		s.write(t, ref, protocol.Batch{Epoch: 3, Entries: protocol.NewEntries(make([]byte, 3<<20))})
	}
	want, err := s.Totals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 1, 4} {
		var last, total uint64
		v, err := s.Verify(t.Context(), store.Verify{Workers: workers, Progress: func(done, of uint64) {
			if done < last || done > of {
				t.Errorf("%d of %d is done after %d", done, of, last)
			}
			last, total = done, of
		}})
		if err != nil || !v.Sound() {
			t.Errorf("it is not sound: %+v, %v", v, err)
		}
		equal(t, "what was checked", []uint64{uint64(want.Streams), want.Entries, want.Bytes}, []uint64{uint64(v.Streams), v.Entries, v.Bytes})
		equal(t, "the progress", []uint64{want.Bytes, want.Bytes}, []uint64{last, total})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Verify(ctx, store.Verify{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.close(t)
	if _, err := s.Verify(t.Context(), store.Verify{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// One stream can be checked by itself.
func testVerifyOne(t *testing.T, open Open) {
	s := start(t, open)
	s.write(t, named("notes"), batch(1, "a", "b"))
	s.write(t, named("calendar"), batch(1, "c"))
	v, err := s.Verify(t.Context(), store.Verify{Only: named("notes")})
	if err != nil || !v.Sound() || v.Streams != 1 || v.Entries != 2 || v.Bytes != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = s.Verify(t.Context(), store.Verify{Only: named("none")})
	refused(t, err, &store.NotFoundError{Ref: named("none")})
}

// What is written during a check is never taken for damage.
func testVerifyAmongWriters(t *testing.T, open Open) {
	const rounds = 12
	s := start(t, open)
	over := make(chan struct{})
	go func() {
		defer close(over)
		race(func(racer int) {
			for round := range rounds {
				b := batch(uint32(round), fmt.Sprintf("S\x01 %d, %d", racer, round), "L\x01")
				if racer%16 == 0 {
					b = many(20_000)
					b.Epoch = uint32(round)
				}
				_, err := s.Append(t.Context(), store.Append{Ref: named(fmt.Sprint("stream-", racer%5)), Batch: b})
				if _, behind := errors.AsType[*store.EpochBehindError](err); err != nil && !behind {
					t.Error(err)
				}
			}
		})
	}()
	for checks := 0; ; checks++ {
		v, err := s.Verify(t.Context(), store.Verify{Workers: checks % 3})
		if err != nil || !v.Sound() {
			t.Errorf("it is not sound: %+v, %v", v, err)
		}
		select {
		case <-over:
			if checks > 0 {
				return
			}
		default:
		}
	}
}
