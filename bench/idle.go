package main

import (
	"context"
	"time"
)

// settle is how long a server rests between two looks at its memory, until they
// show the same to one part in a hundred, at most settleTimes times.
const (
	settle      = 250 * time.Millisecond
	settleTimes = 20
)

// idleScenario shows how much memory a waiter takes in whom nothing moves.
func idleScenario(size extent) scenario {
	return scenario{
		name:  "idle",
		title: "memory of each of " + count(size.waiters) + " idle waiters",
		unit:  kibibytes,
		run: served(func(_ context.Context, s *server, size extent) (outcome, error) {
			w, err := newWaitingRoom(s, 0)
			if err != nil {
				return outcome{}, err
			}
			defer w.close()
			before := s.memory()
			if err := w.admit(size.waiters); err != nil {
				return outcome{}, err
			}
			if err := w.enter(); err != nil {
				return outcome{}, err
			}
			after := settled(s)
			// They waited indeed if an append still reaches each of them.
			_, err = w.wake()
			return outcome{value: float64(after-before) / float64(size.waiters) / 1024}, err
		}),
	}
}

// settled returns the server's memory when that no longer moves.
func settled(s *server) int64 {
	last := int64(0)
	for range settleTimes {
		time.Sleep(settle)
		now := s.memory()
		if max(now-last, last-now) <= now/100 {
			return now
		}
		last = now
	}
	return last
}
