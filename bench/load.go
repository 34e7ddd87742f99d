package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// outcome is what a look at a server showed.
type outcome struct {
	value float64       // in the scenario's unit
	p99   time.Duration // how long 99 of 100 requests took at most; 0 if that was not looked at
}

// job does one thing over a connection and returns how much that counts.
type job func(*conn) (units int, err error)

// load lets a number of clients do their jobs, each the next one when the last
// one is answered, and watches them for a while once they are warm. The value is
// in units a second.
func load(ctx context.Context, s *server, size extent, jobs []job) (outcome, error) {
	begin := time.Now().Add(size.warm)
	end := begin.Add(size.look)
	tallies := make([]tally, len(jobs))
	errs := make([]error, len(jobs))
	var clients sync.WaitGroup
	for i, job := range jobs {
		clients.Go(func() { errs[i] = tallies[i].run(ctx, s, begin, end, job) })
	}
	clients.Wait()
	if err := errors.Join(errs...); err != nil {
		return outcome{}, err
	}
	var all tally
	for _, t := range tallies {
		all.units += t.units
		all.took = append(all.took, t.took...)
	}
	return outcome{
		value: float64(all.units) / size.look.Seconds(),
		p99:   p99(all.took),
	}, nil
}

// tally is what one client got done while it was watched.
type tally struct {
	units int
	took  []time.Duration
}

func (t *tally) run(ctx context.Context, s *server, begin, end time.Time, job job) error {
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	// What the slowest client may do is seen before it starts: growing is not free.
	t.took = make([]time.Duration, 0, 1<<14)
	for last := time.Now(); ; {
		units, err := job(c)
		if err != nil {
			return err
		}
		now := time.Now()
		if now.After(end) {
			return ctx.Err()
		}
		if now.After(begin) {
			t.units += units
			t.took = append(t.took, now.Sub(last))
		}
		last = now
	}
}

// p99 returns the time that 99 of 100 did not exceed.
func p99(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[(len(took)-1)*99/100]
}

// median returns the middle one of values, or the higher of the two; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
