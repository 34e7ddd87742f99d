package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"hearth/relay/store"
)

// A caller who has gone before his turn came leaves nothing behind.
func testCancelled(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // of two things that are ready, either may be looked at first
		if _, err := s.Append(gone, store.Append{Ref: ref, Batch: batch(1, "a")}); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	s.absent(t, ref)

	// While others write, it is either gone or written and told.
	var written atomic.Int64
	race(func(racer int) {
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			if racer%2 == 0 {
				go cancel()
			}
			_, err := s.Append(ctx, store.Append{Ref: ref, Batch: batch(1, "a")})
			cancel()
			if err == nil {
				written.Add(1)
			} else if racer%2 != 0 || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
	equal(t, "the entries", int(written.Load()), len(s.readAll(t, ref, everything)))
}

// A closed store says so, whatever it is asked.
func testClosed(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	s.write(t, ref, batch(1, "a"))
	s.close(t)
	for name, call := range map[string]func() error{
		"Append": func() error {
			_, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: batch(1, "b")})
			return err
		},
		"Page": func() error {
			_, err := s.Page(t.Context(), store.Read{Ref: ref, Entries: 1, Bytes: 1})
			return err
		},
		"Heads":   func() error { _, err := s.Heads(t.Context(), ref.Space, []string{ref.Name}); return err },
		"Streams": func() error { _, err := s.Streams(t.Context(), store.Ref{}, 1); return err },
		"Stream":  func() error { _, err := s.Stream(t.Context(), ref); return err },
		"Back":    func() error { _, err := s.Back(t.Context(), ref, 0, 1); return err },
		"Record":  func() error { _, err := s.Record(t.Context(), ref, 1); return err },
		"Totals":  func() error { _, err := s.Totals(t.Context()); return err },
	} {
		for range 20 { // of two things that are ready, either may be looked at first
			if err := call(); !errors.Is(err, store.ErrClosed) {
				t.Fatalf("%s on a closed store: %v", name, err)
			}
		}
	}
}

// A store that is closed in the midst of writing keeps all that it has answered
// and nothing of what it has refused.
func testCloseAmongWriters(t *testing.T, open Open) {
	for range 5 {
		s := start(t, open)
		var written atomic.Int64
		closing := make(chan struct{})
		closed := make(chan error, 1)
		go func() {
			<-closing
			closed <- s.Close()
		}()
		race(func(racer int) {
			for round := 0; ; round++ {
				if racer == 0 && round == 3 {
					close(closing)
				}
				_, err := s.Append(t.Context(), store.Append{Ref: named("notes"), Batch: batch(1, "a", "b")})
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				written.Add(2)
			}
		})
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		s.reopen(t)
		equal(t, "the entries", int(written.Load()), len(s.readAll(t, named("notes"), everything)))
	}
}

// A closed store is one file, which holds everything.
func testReopen(t *testing.T, open Open) {
	s := start(t, open)
	want := make(map[store.Ref]int)
	for round := range 4 {
		for i := range 3 + round {
			ref := store.Ref{Space: fmt.Sprint("space", i%2), Name: fmt.Sprint("stream", i)}
			s.write(t, ref, batch(uint32(round), fmt.Sprint(round), "x"))
			want[ref] += 2
		}
		s.close(t)
		files, err := os.ReadDir(s.folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 1 {
			t.Errorf("a closed store has the files %v", files)
		}
		s.reopen(t)
		for ref, n := range want {
			equal(t, "the entries", n, len(s.readAll(t, ref, 3)))
		}
	}
}
