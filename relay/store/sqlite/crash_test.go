package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// A process that is killed at any moment has lost nothing that it answered.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := place(t)
	var killed []string // copies of the files, from between commit and answer
	var published []int
	var s *sqlite.Store
	count := 0
	s = open(t, path, sqlite.Options{Publish: func(moves []store.Moved) {
		count += len(moves)
		if count%7 == 0 {
			killed = append(killed, copyOf(t, path))
			published = append(published, count)
		}
	}})
	for i := range 50 {
		write(t, s, "notes", fmt.Sprint(i))
	}
	if len(killed) == 0 {
		t.Fatal("nothing was copied")
	}
	for i, path := range killed {
		s := open(t, path, sqlite.Options{})
		list := read(t, s, "notes")
		if len(list) != published[i] {
			t.Errorf("%d of %d entries are left", len(list), published[i])
		}
		w := write(t, s, "notes", "after")
		if w.Last != uint64(published[i])+1 {
			t.Errorf("the next batch is at %+v", w)
		}
		totals, err := s.Totals(t.Context())
		if err != nil || totals.Entries != w.Last || totals.Streams != 1 {
			t.Errorf("the totals are %+v, %v", totals, err)
		}
		shut(t, s)
	}
}

// A log that ends in the midst of a write, or in garbage, is good up to its last
// whole commit.
func TestTornLog(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	sizes := []int64{0} // of the log, after each batch
	for i := range 10 {
		write(t, s, "notes", fmt.Sprint(i))
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	for batches := 1; batches < len(sizes); batches++ {
		for name, tear := range map[string]func(file string) error{
			"cut": func(file string) error { return os.Truncate(file, sizes[batches]-1) },
			"garbled": func(file string) error {
				data, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				data[sizes[batches]-10] ^= 0xff
				return os.WriteFile(file, data[:sizes[batches]], 0o600)
			},
		} {
			killed := copyOf(t, path)
			if err := tear(killed + "-wal"); err != nil {
				t.Fatal(err)
			}
			s := open(t, killed, sqlite.Options{})
			list, err := tryRead(t, s, "notes")
			if batches == 1 {
				is[*store.NotFoundError](t, err)
			} else if err != nil || len(list) != batches-1 {
				t.Errorf("a log that is %s in batch %d has %d of them, %v", name, batches, len(list), err)
			}
			shut(t, s)
		}
	}
}

// A large batch that was being written when the process was killed is gone, and
// so is the stream that it was to make; small ones on other streams went on
// meanwhile.
func TestKilledInLargeBatch(t *testing.T) {
	t.Parallel()
	path := place(t)
	large := protocol.Batch{Epoch: 2, Entries: protocol.NewEntries(make([][]byte, 300_000)...)}
	var killed string // the files, copied while the large batches were half there
	half := make(chan struct{})
	s := open(t, path, sqlite.Options{Publish: func([]store.Moved) {
		const query = "SELECT count(*) FROM stream WHERE tail > head"
		// The writer waits here, so nothing moves while it is looked at.
		if killed == "" && number(t, path, query) > 0 {
			killed = copyOf(t, path)
			close(half)
		}
	}})
	write(t, s, "old", "a", "b")
	for attempt := 0; ; attempt++ {
		var writing sync.WaitGroup
		for _, ref := range []store.Ref{named("old"), named(fmt.Sprint("fresh", attempt))} {
			writing.Go(func() {
				if _, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: large}); err != nil {
					t.Error(err)
				}
			})
		}
		done := make(chan struct{})
		go func() { writing.Wait(); close(done) }()
		for running := true; running; {
			write(t, s, "small", "x")
			select {
			case <-done:
				running = false
			default:
			}
		}
		select {
		case <-half:
		default:
			if attempt < 10 {
				continue // no small batch came in between, which can happen once
			}
			t.Fatal("small batches stand behind large ones of other streams")
		}
		break
	}
	shut(t, s)

	const leftovers = "SELECT (SELECT count(*) FROM stream WHERE tail > head OR head = 0)"
	if number(t, killed, leftovers) == 0 {
		t.Fatal("nothing was half there")
	}
	heads := number(t, killed, "SELECT sum(head) FROM stream WHERE head > 0")
	again := open(t, killed, sqlite.Options{})
	list, err := again.Streams(t.Context(), store.Ref{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var sum uint64
	for _, stream := range list {
		sum += stream.Head
		if got := read(t, again, stream.Name); uint64(len(got)) != stream.Head {
			t.Errorf("%s has %d of %d entries", stream.Name, len(got), stream.Head)
		}
	}
	if sum != uint64(heads) {
		t.Errorf("the streams have %d entries, not the %d that were promised", sum, heads)
	}
	cleared(t, killed, leftovers)
	first := write(t, again, "old", "c")
	if stream, err := again.Stream(t.Context(), named("old")); err != nil || stream.Head != first.Last {
		t.Errorf("the stream after the next batch: %+v, %v", stream, err)
	}
	write(t, again, "fresh0", "d")
}

// cleared waits until a count has gone down to nothing.
func cleared(t *testing.T, path, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for number(t, path, query) > 0 {
		select {
		case <-ctx.Done():
			t.Fatal("what a killed process left was not cleared away")
		case <-time.After(time.Millisecond):
		}
	}
}

// A store that is closed in the midst of a large batch says so to its writer
// and keeps nothing of it.
func TestClosedInLargeBatch(t *testing.T) {
	t.Parallel()
	path := place(t)
	large := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([][]byte, 300_000)...)}
	half, closing := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := open(t, path, sqlite.Options{Publish: func([]store.Moved) {
		if number(t, path, "SELECT count(*) FROM stream WHERE tail > head") > 0 {
			once.Do(func() {
				close(half)
				<-closing
			})
		}
	}})
	want := []string{"a"}
	write(t, s, "notes", want...)
	result := make(chan error, 1)
	var small sync.WaitGroup
	begin := func() {
		_, err := s.Append(t.Context(), store.Append{Ref: named("notes"), Batch: large})
		result <- err
	}
	go begin()
	for waiting := true; waiting; {
		small.Go(func() {
			if _, err := try(t, s, "small", "x"); err != nil && !errors.Is(err, store.ErrClosed) {
				t.Error(err)
			}
		})
		select {
		case <-half:
			waiting = false
		case err := <-result: // before a small one came in between, which can happen
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, make([]string, 300_000)...)
			go begin()
		case <-time.After(time.Millisecond):
		}
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for err := error(nil); err == nil; {
		_, err = s.Totals(t.Context()) // which tells once it is closing
	}
	close(closing)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	small.Wait()
	if err := <-result; !errors.Is(err, store.ErrClosed) {
		t.Errorf("the writer was told %v", err)
	}
	s = open(t, path, sqlite.Options{})
	if got := read(t, s, "notes"); !slices.Equal(want, got) {
		t.Errorf("%d of %d entries are left", len(got), len(want))
	}
}
