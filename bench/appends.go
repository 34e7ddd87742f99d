package main

import (
	"context"
	"fmt"
	"sync/atomic"
)

// writing is how a scenario writes.
type writing struct {
	writers   int
	entries   int  // a batch
	entrySize int  // in bytes
	own       bool // whether each writer has a stream of its own
}

// appendScenarios write as fast as relays take it.
func appendScenarios() []scenario {
	var all []scenario
	for _, own := range []bool{false, true} {
		name, where := "one-stream", "on one stream"
		if own {
			name, where = "own-streams", "each on its own stream"
		}
		for _, writers := range []int{1, 8, 64} {
			if own && writers == 1 {
				continue // the same as on one stream
			}
			all = append(all, scenario{
				name:  fmt.Sprintf("append-%d-%s", writers, name),
				title: fmt.Sprintf("append an entry of 256 B, %s %s", people(writers, "writer"), where),
				unit:  requestRate,
				run:   writing{writers, 1, smallEntry, own}.run(),
			})
		}
	}
	for _, writers := range []int{1, 8} {
		all = append(all, scenario{
			name:  fmt.Sprintf("append-batch-%d", writers),
			title: fmt.Sprintf("append a batch of 100 × 256 B, %s on one stream", people(writers, "writer")),
			unit:  batchRate,
			run:   writing{writers, batchEntries, smallEntry, false}.run(),
		})
	}
	return append(all, scenario{
		name:  "append-large",
		title: "append an entry of 1 MiB, 1 writer",
		unit:  requestRate,
		run:   writing{1, 1, largeEntry, false}.run(),
	})
}

// run returns how the scenario happens.
func (w writing) run() func(context.Context, *look) (outcome, error) {
	return served(func(ctx context.Context, s *server, size extent) (outcome, error) {
		var taken atomic.Int64
		o, err := load(ctx, s, size, w.jobs(s, &taken))
		if err != nil || s.target.kind == ceiling {
			return o, err
		}
		return o, w.check(s, taken.Load())
	})
}

// jobs returns what the writers do; they count in taken the entries that the
// server said it has.
func (w writing) jobs(s *server, taken *atomic.Int64) []job {
	jobs := make([]job, w.writers)
	for i := range jobs {
		request := s.append(w.stream(i), w.entries, w.entrySize)
		jobs[i] = func(c *conn) (int, error) {
			_, err := c.do(request.next())
			if err == nil {
				taken.Add(int64(w.entries))
			}
			return 1, err
		}
	}
	return jobs
}

func (w writing) stream(writer int) string {
	if w.own {
		return numbered(writer)
	}
	return stream
}

// check sees that the server has as many entries as it took: a benchmark of a
// relay that loses some would be of no use.
func (w writing) check(s *server, taken int64) error {
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	streams := 1
	if w.own {
		streams = w.writers
	}
	var held int64
	for i := range streams {
		p, err := c.page(s.page(w.stream(i), nil, 1))
		if err != nil {
			return err
		}
		held += int64(p.head)
	}
	if held != taken {
		return fmt.Errorf("took %d entries and holds %d", taken, held)
	}
	return nil
}

// people returns a number with its noun.
func people(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}
