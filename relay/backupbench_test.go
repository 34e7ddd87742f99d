package relay_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/protocol"
)

// BenchmarkBackup measures what writers feel of a backup of 256 MiB that is made beside
// them, on the same disk: four of them write 256 bytes each after the other, in turns
// with and without one. It tells the 99th percentiles of both, in ms, and their ratio,
// and how large the log became.
func BenchmarkBackup(b *testing.B) {
	dir := b.TempDir()
	r, err := relay.Open(b.Context(), dir, relay.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := r.Shutdown(b.Context()); err != nil {
			b.Error(err)
		}
	})
	address := listen(b, r.Serve)
	const pieces, piece = 64, 64 << 10
	batch := protocol.Batch{Epoch: 1}
	for range pieces {
		batch.Entries = batch.Entries.Add(make([]byte, piece))
	}
	c := dial(b, address)
	for range 256 << 20 / (pieces * piece) {
		if status, err := c.do(post("large", batch)); err != nil || status != http.StatusOK {
			b.Fatalf("status %d, %v", status, err)
		}
	}
	folder := b.TempDir()
	var quiet, beside []time.Duration
	var log int64
	for b.Loop() {
		over := make(chan struct{})
		pause := time.AfterFunc(5*time.Second, func() { close(over) })
		quiet = append(quiet, felt(b, address, over)...)
		pause.Stop()
		over = make(chan struct{})
		go func() {
			defer close(over)
			if _, err := r.Console().BackUp(b.Context(), folder, func(uint64, uint64) {
				if info, err := os.Stat(filepath.Join(dir, "hearth.db-wal")); err == nil {
					log = max(log, info.Size())
				}
			}); err != nil {
				b.Error(err)
			}
		}()
		beside = append(beside, felt(b, address, over)...)
		<-over
	}
	without, with := percentile(quiet), percentile(beside)
	b.ReportMetric(without.Seconds()*1e3, "p99-ms-without")
	b.ReportMetric(with.Seconds()*1e3, "p99-ms-with")
	b.ReportMetric(float64(with)/float64(without), "ratio")
	b.ReportMetric(float64(log)/(1<<20), "log-MiB")
}

// felt returns how long writes took until it was over.
func felt(b *testing.B, address string, over <-chan struct{}) (all []time.Duration) {
	request := post("small", protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, 256))})
	var mu sync.Mutex
	var writers sync.WaitGroup
	for range 4 {
		c := dial(b, address)
		writers.Go(func() {
			var took []time.Duration
			for {
				select {
				case <-over:
					mu.Lock()
					defer mu.Unlock()
					all = append(all, took...)
					return
				default:
				}
				begin := time.Now()
				if status, err := c.do(request); err != nil || status != http.StatusOK {
					b.Errorf("status %d, %v", status, err)
					return
				}
				took = append(took, time.Since(begin))
			}
		})
	}
	writers.Wait()
	return all
}

// percentile returns the 99th of durations.
func percentile(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)*99/100]
}
