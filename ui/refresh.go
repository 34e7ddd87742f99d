package ui

import (
	"context"
	"time"
)

const (
	// refreshEvery is how often the window looks again at the most: often enough
	// to feel live, seldom enough that the relay's writers hardly notice. Four
	// times a second they lost 6 % on two cores that draw without a graphics card.
	refreshEvery = 400 * time.Millisecond

	// refreshShare is how many times as long as a look took the window rests
	// after it, so that looking never takes more than a fifth of the time.
	refreshShare = 4

	// agesEvery is how often times like "2 min ago" are told anew.
	agesEvery = 10 * time.Second
)

// pace calls look at once, after that whenever something has changed but no
// more often than the constants above allow, and without delay when asked by
// the person. Every agesEvery it calls age. Nothing happens while nothing
// changes. It returns when the context is done.
func pace(ctx context.Context, changed, asked <-chan struct{}, look, age func()) {
	ages := time.NewTicker(agesEvery)
	defer ages.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	<-rest.C
	resting, stale := false, true
	for {
		if stale && !resting {
			began := time.Now()
			look()
			rest.Reset(max(refreshEvery, refreshShare*time.Since(began)))
			resting, stale = true, false
		}
		select {
		case <-ctx.Done():
			return
		case _, ok := <-changed:
			if !ok {
				changed = nil // the relay has gone; what is shown stays
			}
			stale = true
		case <-asked:
			stale, resting = true, false
		case <-rest.C:
			resting = false
		case <-ages.C:
			age()
		}
	}
}
