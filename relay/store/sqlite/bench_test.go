package sqlite_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// sealedBatch is a batch of so many entries of so many bytes, sealed ones if
// they have room for that, as an app writes them.
func sealedBatch(entries, size int) protocol.Batch {
	data := make([][]byte, entries)
	for i := range data {
		data[i] = make([]byte, size)
		rand.Read(data[i])
		copy(data[i], "S\x01")
	}
	return protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name          string
		writers       int
		entries, size int
		own           bool // each writer has its own stream
	}{
		{"1x256B/writers=1", 1, 1, 256, false},
		{"1x256B/writers=8", 8, 1, 256, false},
		{"1x256B/writers=64", 64, 1, 256, false},
		{"1x256B/writers=8/own", 8, 1, 256, true},
		{"1x256B/writers=64/own", 64, 1, 256, true},
		{"100x256B/writers=1", 1, 100, 256, false},
		{"100x256B/writers=8", 8, 100, 256, false},
		{"1x1MiB/writers=1", 1, 1, 1 << 20, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, place(b), sqlite.Options{})
			var next atomic.Int64
			var writing sync.WaitGroup
			b.SetBytes(int64(c.entries * c.size))
			b.ResetTimer()
			for writer := range c.writers {
				ref := named("notes")
				if c.own {
					ref = named(fmt.Sprint(writer))
				}
				writing.Go(func() {
					for next.Add(1) <= int64(b.N) {
						batch := sealedBatch(c.entries, c.size) // another one each time, lest it be a repeat
						if _, err := s.Append(context.Background(), store.Append{Ref: ref, Batch: batch}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			writing.Wait()
			b.ReportMetric(float64(b.N*c.entries)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

// BenchmarkDisk measures what an entry of 256 bytes takes on the disk once the
// store is closed.
func BenchmarkDisk(b *testing.B) {
	for _, entries := range []int{1, 100} {
		b.Run(fmt.Sprintf("batches=%d", entries), func(b *testing.B) {
			const total = 20_000
			var disk uint64
			for b.Loop() {
				path := place(b)
				s := open(b, path, sqlite.Options{})
				filled(b, s, total, entries)
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				s = open(b, path, sqlite.Options{})
				totals, err := s.Totals(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				disk = totals.Disk
			}
			b.ReportMetric(float64(disk)/total, "B/entry")
		})
	}
}

// filled fills the stream "notes" with entries of 256 bytes. Its writers race,
// so that it does not take long; each waits for its turn to be written alone.
func filled(b *testing.B, s *sqlite.Store, total, batch int) {
	b.Helper()
	var writing sync.WaitGroup
	var next atomic.Int64
	for range 16 {
		writing.Go(func() {
			for next.Add(int64(batch)) <= int64(total) {
				if _, err := s.Append(context.Background(), store.Append{Ref: named("notes"), Batch: sealedBatch(batch, 256)}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
}

func BenchmarkPage(b *testing.B) {
	const total = 20_000
	for _, batch := range []int{1, 100} {
		s := open(b, place(b), sqlite.Options{})
		filled(b, s, total, batch)
		for _, entries := range []int{protocol.DefaultPageEntries, protocol.MaxPageEntries} {
			b.Run(fmt.Sprintf("entries=%d/batches=%d", entries, batch), func(b *testing.B) {
				read := 0
				var after *protocol.Cursor
				for b.Loop() {
					p, err := s.Page(context.Background(), store.Read{
						Ref: named("notes"), After: after, Entries: entries, Bytes: protocol.MaxPageData,
					})
					if err != nil {
						b.Fatal(err)
					}
					read += p.Count
					after = cursorAfter(b, p)
					p.Release()
				}
				b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "entries/s")
			})
		}
	}
}

// cursorAfter returns the cursor of a page's end, or none at the head.
func cursorAfter(b *testing.B, p store.Page) *protocol.Cursor {
	b.Helper()
	if p.Last == p.Head {
		return nil
	}
	at := protocol.Cursor{Stream: p.Stream}
	for e, err := range p.All() {
		if err != nil {
			b.Fatal(err)
		}
		at.Seq, at.Link = e.Seq, e.Link
	}
	return &at
}

// BenchmarkTail reads the last entry after the cursor before it, as a reader
// does that is up to date.
func BenchmarkTail(b *testing.B) {
	for _, batch := range []int{1, 100} {
		b.Run(fmt.Sprintf("batches=%d", batch), func(b *testing.B) {
			s := open(b, place(b), sqlite.Options{})
			filled(b, s, 5_000, batch)
			stream, err := s.Stream(context.Background(), named("notes"))
			if err != nil {
				b.Fatal(err)
			}
			before, err := s.Record(context.Background(), named("notes"), stream.Head-1)
			if err != nil {
				b.Fatal(err)
			}
			cursor := &protocol.Cursor{Stream: stream.Identity, Seq: before.Seq, Link: before.Link}
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					p, err := s.Page(context.Background(), store.Read{
						Ref: named("notes"), After: cursor, Entries: protocol.DefaultPageEntries, Bytes: protocol.MaxPageData,
					})
					if err != nil || p.Count != 1 {
						b.Errorf("%d entries, %v", p.Count, err)
						return
					}
				}
			})
		})
	}
}

func BenchmarkHeads(b *testing.B) {
	s := open(b, place(b), sqlite.Options{})
	names := make([]string, protocol.MaxWatches)
	for i := range names {
		names[i] = fmt.Sprint("stream-", i)
		write(b, s, names[i], "a")
	}
	for _, n := range []int{1, len(names)} {
		b.Run(fmt.Sprintf("names=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Heads(context.Background(), "default", names[:n]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPublish measures events of some 150 bytes, with ids that are drawn or
// that their publishers give, as commands or not.
func BenchmarkPublish(b *testing.B) {
	for _, c := range []struct {
		name           string
		writers, array int
		given, command bool
	}{
		{"1/writers=1", 1, 1, false, false},
		{"1/writers=16", 16, 1, false, false},
		{"1/writers=16/given", 16, 1, true, false},
		{"1/writers=16/command", 16, 1, false, true},
		{"100/writers=1", 1, 100, false, false},
		{"100/writers=4", 4, 100, false, false},
		{"100/writers=4/given", 4, 100, true, false},
		{"10000/writers=1/given", 1, 10_000, true, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, place(b), sqlite.Options{})
			event := []byte(`{"type":"service.error","service":"auth","severity":8,"message":"token check failed"}`)
			origin := []byte(`"stream_id":"notes","actor":{"kind":"user","id":"local"},"causation":null`)
			var next atomic.Int64
			var writing sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range c.writers {
				writing.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						p := store.Publish{Ref: named("notes"), Origin: origin, Events: make([]store.Event, c.array)}
						for i := range p.Events {
							p.Events[i].JSON = event
							if c.given {
								p.Events[i].ID = fmt.Sprintf("order-%d-%d", n, i)
							}
						}
						if c.command {
							p.Command = &store.Command{Space: "default", Actor: "user:local", Stream: "notes", ID: fmt.Sprint(n)}
						}
						if _, err := s.Publish(context.Background(), p); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			writing.Wait()
			b.ReportMetric(float64(b.N*c.array)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
