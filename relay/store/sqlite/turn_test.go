package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// held is a store whose writer stands still in the midst of its first group
// until it is let go, so that a test knows what waits behind it.
//
// heard hears of what has moved, before those are answered who moved it; it may
// be nil.
func held(t *testing.T, path string, heard func(name string)) (s *sqlite.Store, letGo func()) {
	t.Helper()
	hold := make(chan struct{})
	s = open(t, path, sqlite.Options{Publish: func(moves []store.Moved) {
		<-hold
		for _, m := range moves {
			if heard != nil {
				heard(m.Name)
			}
		}
	}})
	go beside(t, s, "first", "a")
	synctest.Wait() // until the writer stands still
	return s, func() { close(hold) }
}

// A caller who leaves before his turn came leaves nothing behind; the others of
// his group are not touched.
func TestCancelledInQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, letGo := held(t, place(t), nil)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 10)
		for i := range 10 {
			go func() {
				_, err := s.Append(ctx, store.Append{Ref: named(fmt.Sprint(i)), Batch: one("gone")})
				gone <- err
			}()
			go beside(t, s, "stays", fmt.Sprint(i))
		}
		synctest.Wait()
		cancel()
		letGo()
		synctest.Wait()
		for range 10 {
			if err := <-gone; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		if n := len(read(t, s, "stays")); n != 10 {
			t.Errorf("%d of the others were written", n)
		}
		list, err := s.Streams(t.Context(), store.Ref{}, 100)
		if err != nil || len(list) != 2 {
			t.Errorf("the streams are %+v, %v", list, err)
		}
	})
}

// A large batch whose turn has not come, for another large one is being
// written, can be left as well.
func TestCancelledBehindLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// It is left once both have been looked at: when a small batch has been
		// written that waits beside them.
		ctx, cancel := context.WithCancel(t.Context())
		s, letGo := held(t, place(t), func(name string) {
			if name == "small" {
				cancel()
			}
		})
		go func() {
			if _, err := s.Append(t.Context(), store.Append{Ref: named("large"), Batch: many()}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		gone := make(chan error, 1)
		go func() {
			_, err := s.Append(ctx, store.Append{Ref: named("gone"), Batch: many()})
			gone <- err
		}()
		synctest.Wait()
		go beside(t, s, "small", "a")
		synctest.Wait()
		letGo()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if n := len(read(t, s, "large")); n != many().Entries.Len() {
			t.Errorf("the other one has %d entries", n)
		}
		_, err := s.Stream(t.Context(), named("gone"))
		is[*store.NotFoundError](t, err)
	})
}

// Whether a large batch is a repeat is found out little by little: small batches
// do not stand behind that, and who leaves meanwhile leaves at once.
func TestRepeatInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		b := sealedBatch(5_000, 1_000)
		// One that differs at its end, and is the first to be taken for it.
		list := slices.Collect(b.Entries.All())
		list[len(list)-1] = []byte("S\x01another")
		like := protocol.Batch{Epoch: b.Epoch, Entries: protocol.NewEntries(list...)}
		s := open(t, path, sqlite.Options{})
		var first store.Written
		for _, batch := range []protocol.Batch{like, b} {
			var err error
			if first, err = s.Append(t.Context(), store.Append{Ref: named("large"), Batch: batch}); err != nil {
				t.Fatal(err)
			}
		}
		shut(t, s)
		raw(t, path, fmt.Sprintf("INSERT INTO batch SELECT stream, key, 1 FROM batch WHERE first = %d", first.First))
		// It is left when the first transaction that looks at it is over.
		ctx, cancel := context.WithCancel(t.Context())
		s, letGo := held(t, path, func(name string) {
			if name == "small" {
				cancel()
			}
		})
		gone := make(chan error, 1)
		go func() {
			_, err := s.Append(ctx, store.Append{Ref: named("large"), Batch: b})
			gone <- err
		}()
		synctest.Wait()
		go beside(t, s, "small", "a")
		synctest.Wait()
		letGo()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		again, err := s.Append(t.Context(), store.Append{Ref: named("large"), Batch: b})
		first.Repeated = true
		if err != nil || again != first {
			t.Errorf("the repeat is at %+v, not %+v: %v", again, first, err)
		}
	})
}

// Those who wait when the store is closed are told, and none of theirs is there;
// the group that was being answered is.
func TestClosedInQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		s, letGo := held(t, path, nil)
		waiting := make(chan error, 10)
		for range 10 {
			go func() {
				_, err := try(t, s, "notes", "a")
				waiting <- err
			}()
		}
		synctest.Wait()
		go s.Close()
		synctest.Wait()
		letGo()
		synctest.Wait()
		for range 10 {
			if err := <-waiting; !errors.Is(err, store.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		s = open(t, path, sqlite.Options{})
		list, err := s.Streams(t.Context(), store.Ref{}, 100)
		if err != nil || len(list) != 1 || list[0].Ref != named("first") {
			t.Errorf("the streams are %+v, %v", list, err)
		}
	})
}

// Batches that wait together share a commit; one that is refused in their midst
// leaves no trace, and each stream's entries are in the order in which they came.
func TestGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		s, letGo := held(t, path, nil)
		results := make(chan error, 100)
		for i := range 20 {
			for _, b := range []protocol.Batch{one(fmt.Sprint(i)), {Epoch: 0, Entries: one("never").Entries}} {
				go func() {
					_, err := s.Append(t.Context(), store.Append{Ref: named("notes"), Batch: b})
					results <- err
				}()
				synctest.Wait() // so that they come one after the other
			}
		}
		letGo()
		synctest.Wait()
		behind := 0
		for range 40 {
			if err := <-results; err != nil {
				is[*store.EpochBehindError](t, err)
				behind++
			}
		}
		if behind != 20 {
			t.Errorf("%d were refused", behind)
		}
		for i, text := range read(t, s, "notes") {
			if text != fmt.Sprint(i) {
				t.Errorf("entry %d is %q", i+1, text)
			}
		}
		if n := number(t, path, "SELECT count(*) FROM run WHERE id >> 38 = (SELECT key FROM stream WHERE name = 'notes')"); n != 1 {
			t.Errorf("what waited together is in %d runs", n)
		}
	})
}

// beside writes from a goroutine beside the test's.
func beside(t *testing.T, s *sqlite.Store, name, entry string) {
	t.Helper()
	if _, err := try(t, s, name, entry); err != nil {
		t.Error(err)
	}
}

func one(text string) protocol.Batch {
	return protocol.Batch{Epoch: 1, Entries: protocol.NewEntries([]byte(text))}
}

// many is a batch that takes several transactions.
func many() protocol.Batch {
	return protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([][]byte, 200_000)...)}
}
