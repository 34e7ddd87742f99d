package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

func open(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSmoke(t *testing.T) {
	s := open(t)
	ref := store.Ref{Space: "default", Name: "notes"}
	w, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: protocol.Batch{Epoch: 1, Entries: protocol.NewEntries([]byte("a"), nil, make([]byte, 3000))}})
	fmt.Println(w, err)
	p, err := s.Page(t.Context(), store.Read{Ref: ref, Entries: 1000, Bytes: 8 << 20})
	fmt.Println(p.Count, p.Head, p.Last, err)
	for e, err := range p.All() {
		fmt.Println(e.Seq, len(e.Data), e.EndsBatch, err)
	}
	big := make([][]byte, 300_000)
	w, err = s.Append(t.Context(), store.Append{Ref: ref, Batch: protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(big...)}})
	fmt.Println(w, err)
	tot, _ := s.Totals(t.Context())
	fmt.Println(tot)
	_, err = s.Append(t.Context(), store.Append{Ref: ref, Batch: protocol.Batch{Epoch: 0, Entries: protocol.NewEntries(nil)}})
	if !errors.As(err, new(*store.EpochBehindError)) {
		t.Fatal(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			s := open(b)
			data := make([]byte, 256)
			for i := range data {
				data[i] = byte(rand.Uint32())
			}
			batch := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data)}
			var wg sync.WaitGroup
			n := b.N/writers + 1
			for range writers {
				wg.Go(func() {
					for range n {
						if _, err := s.Append(context.Background(), store.Append{Ref: store.Ref{Space: "default", Name: "s"}, Batch: batch}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
