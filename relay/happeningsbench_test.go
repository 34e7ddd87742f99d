package relay

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// BenchmarkTold measures what writers feel of it that streams which are made and moved
// are told: eight of them, each on a stream of its own, or each entry making a new one.
func BenchmarkTold(b *testing.B) {
	for _, told := range []bool{false, true} {
		for _, fresh := range []bool{false, true} {
			b.Run(fmt.Sprintf("told=%v/new=%v", told, fresh), func(b *testing.B) {
				var kinds []reflex.HappeningKind
				if told {
					kinds = reflex.HappeningKinds()
				}
				r, err := Open(b.Context(), b.TempDir(), Options{Happenings: kinds})
				if err != nil {
					b.Fatal(err)
				}
				var names atomic.Int64
				b.SetParallelism(4)
				b.ResetTimer()
				b.RunParallel(func(p *testing.PB) {
					name := fmt.Sprint("stream-", names.Add(1))
					for p.Next() {
						if fresh {
							name = fmt.Sprint("stream-", names.Add(1))
						}
						_, err := r.store.Append(b.Context(), store.Append{
							Ref:   store.Ref{Space: "default", Name: name},
							Batch: protocol.Batch{Entries: protocol.NewEntries(make([]byte, 256))},
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.StopTimer()
				if err := r.Shutdown(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkMoved measures what the writer does more for each stream that a commit moves:
// the same ones again and again, or always new ones, of which there are more than are
// remembered.
func BenchmarkMoved(b *testing.B) {
	for _, streams := range []int{8, 100 * maxNews} {
		b.Run(fmt.Sprint("streams=", streams), func(b *testing.B) {
			h := newHappenings(reflex.HappeningKinds(), func() uint64 { return 0 }, slog.New(slog.DiscardHandler))
			moves := make([]store.Moved, streams)
			for i := range moves {
				moves[i] = move(fmt.Sprint("stream-", i), 0, 1)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i % streams
				h.moved(moves[at : at+1])
			}
		})
	}
}
