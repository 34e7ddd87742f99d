package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// BenchmarkRun measures what a run takes that succeeds at once: it fires, begins and
// ends, each with its fact, safe on the disk; so many of them at the same time.
func BenchmarkRun(b *testing.B) {
	for _, workers := range []int{1, 32} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			s := open(b, place(b), sqlite.Options{})
			ref := named("events")
			publish(b, s, publication("events", ""))
			react(b, s, store.Reaction{Ref: ref, Rule: &store.Rule{Name: "alarm", Version: 1, Spec: []byte("{}")}})
			told := []store.Fact{{Origin: publication("events").Origin, JSON: []byte(`{"type":"run_started","run_id":"fir_0123456789abcdef","rule":"alarm"}`)}}
			var next atomic.Int64
			var working sync.WaitGroup
			b.ResetTimer()
			for range workers {
				working.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						run := fired(fmt.Sprint("fir_", n), true)
						run.ScopeKey = fmt.Sprint("[", n%1000, "]")
						steps := []store.Reaction{{NewRuns: []store.RuleRun{run}}}
						run.Status, run.Attempts = store.Running, []store.Attempt{{Number: 1, Started: time.Now()}}
						steps = append(steps, store.Reaction{Runs: []store.RunChange{{RuleRun: run, Was: 1}}})
						run.Status, run.Attempts = store.Succeeded, []store.Attempt{{Number: 1, Started: time.Now(), Ended: time.Now()}}
						steps = append(steps, store.Reaction{Runs: []store.RunChange{{RuleRun: run, Was: 2}}})
						for _, r := range steps {
							r.Ref, r.Facts = ref, told
							if _, err := s.React(context.Background(), r); err != nil {
								b.Error(err)
								return
							}
						}
					}
				})
			}
			working.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
