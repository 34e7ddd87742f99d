package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// Whatever was read before, a reader gets what the stream holds now: those who
// have all of it, those whom a little is missing, and those whose cursor was
// never the stream's.
func TestTailsAreCurrent(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		ctx, ref := context.Background(), named(fmt.Sprint(runs))
		var id protocol.Identity
		var data []string
		links := []protocol.Link{{}}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(data) == 0 || rapid.IntRange(0, 3).Draw(t, "writes") == 0 {
				var batch [][]byte
				for range rapid.IntRange(1, 3).Draw(t, "entries") {
					entry := fmt.Sprint("entry ", len(data))
					batch = append(batch, []byte(entry))
					data = append(data, entry)
				}
				w, err := s.Append(ctx, store.Append{Ref: ref, Batch: protocol.Batch{Entries: protocol.NewEntries(batch...)}})
				if err != nil || w.Last != uint64(len(data)) {
					t.Fatalf("written to %d of %d: %v", w.Last, len(data), err)
				}
				id = w.Stream
				links[0] = protocol.Genesis(id)
				chain := protocol.NewChain(uint64(len(links)-1), links[len(links)-1])
				for _, entry := range batch {
					links = append(links, chain.Next(0, entry))
				}
			}
			at := rapid.IntRange(0, len(data)).Draw(t, "at")
			ask := store.Read{
				Ref: ref, After: &protocol.Cursor{Stream: id, Seq: uint64(at), Link: links[at]},
				Entries: rapid.IntRange(1, 4).Draw(t, "limit"), Bytes: rapid.IntRange(1, 30).Draw(t, "bytes"),
			}
			if at == 0 && rapid.Bool().Draw(t, "from the start") {
				ask.After = nil
			}
			if ask.After != nil && rapid.IntRange(0, 3).Draw(t, "strays") == 0 {
				ask.After.Link[0]++
				_, err := s.Page(ctx, ask)
				if _, diverged := errors.AsType[*store.DivergedError](err); !diverged {
					t.Fatalf("after a wrong link at %d of %d: %v", at, len(data), err)
				}
				continue
			}
			p, err := s.Page(ctx, ask)
			if err != nil || p.Head != uint64(len(data)) || p.Stream != id || p.Last != uint64(at+p.Count) {
				t.Fatalf("a page after %d of %d: %+v, %v", at, len(data), p, err)
			}
			if want := fitting(data[at:], ask); p.Count != want {
				t.Fatalf("%d entries after %d of %d, not %d", p.Count, at, len(data), want)
			}
			for e, err := range p.All() {
				if err != nil || string(e.Data) != data[e.Seq-1] || e.Link != links[e.Seq] {
					t.Fatalf("another entry at %d: %v", e.Seq, err)
				}
			}
			heads, err := s.Heads(ctx, ref.Space, []string{ref.Name, "none"}[:rapid.IntRange(1, 2).Draw(t, "names")])
			if want := (store.State{Stream: id, Head: uint64(len(data))}); err != nil || heads[0] != want {
				t.Fatalf("stands at %+v, not %+v: %v", heads[0], want, err)
			}
		}
	})
}

// fitting returns how many of some entries a page takes.
func fitting(data []string, ask store.Read) (n int) {
	for _, entry := range data[:min(len(data), ask.Entries)] {
		if ask.Bytes -= len(entry); ask.Bytes < 0 && n > 0 {
			break
		}
		n++
	}
	return n
}

// However reads, writes and other reads race, nobody is shown less than somebody
// was shown before he asked.
func TestTailsNeverGoBack(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	first := write(t, s, "notes", "a")
	var shown atomic.Uint64
	shown.Store(1)
	show := func(head uint64) {
		was := shown.Load()
		for head > was && !shown.CompareAndSwap(was, head) {
			was = shown.Load()
		}
	}
	done := make(chan struct{})
	var reading sync.WaitGroup
	for kind := range 6 {
		reading.Go(func() {
			cursor := &protocol.Cursor{Stream: first.Stream, Link: protocol.Genesis(first.Stream)}
			for {
				select {
				case <-done:
					return
				default:
				}
				before := shown.Load()
				var head uint64
				var err error
				switch kind % 3 {
				case 0:
					var p store.Page
					p, err = s.Page(t.Context(), store.Read{Ref: named("notes"), After: cursor, Entries: 10, Bytes: 1000})
					head = p.Head
					for e := range p.All() {
						cursor = &protocol.Cursor{Stream: p.Stream, Seq: e.Seq, Link: e.Link}
					}
				case 1:
					var states []store.State
					if states, err = s.Heads(t.Context(), "default", []string{"notes"}); err == nil {
						head = states[0].Head
					}
				default:
					var found store.Stream
					found, err = s.Stream(t.Context(), named("notes"))
					head = found.Head
				}
				if err != nil || head < before {
					t.Errorf("shown %d after %d: %v", head, before, err)
					return
				}
				show(head)
			}
		})
	}
	for range 100 {
		show(write(t, s, "notes", "b").Last)
	}
	close(done)
	reading.Wait()
}

// A stream in which damage was noticed is not answered from memory either.
func TestTailsOfDamaged(t *testing.T) {
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a", "b")
	ask := store.Read{Ref: named("notes"), Entries: 10, Bytes: 1000}
	if p, err := s.Page(t.Context(), ask); err != nil || p.Count != 2 {
		t.Fatalf("%d entries: %v", p.Count, err)
	}
	without(t, path, "run_never_changes", "UPDATE run SET body = zeroblob(length(body))")
	if _, err := s.Verify(t.Context(), store.Verify{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Page(t.Context(), ask)
	is[*store.DamagedError](t, err)
}

// Of many streams that are read, only some are remembered, and all are answered.
func TestTailsAreBounded(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	const streams = 200
	entry := string(make([]byte, 60_000)) // more than is remembered, all together
	for i := range streams {
		write(t, s, fmt.Sprint(i), entry)
	}
	for round := range 2 {
		for i := range streams {
			if diff := cmp.Diff([]string{entry}, read(t, s, fmt.Sprint(i))); diff != "" {
				t.Fatalf("stream %d, round %d: %s", i, round, diff)
			}
		}
	}
}
