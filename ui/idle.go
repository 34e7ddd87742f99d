package ui

import (
	"sync"
	"time"
)

// The toolkit's loop turns 60 times a second, whether or not there is anything
// to draw: two percent of a core. So each turn here ends in a wait for an event.
const (
	// turnSpare is how long a turn may wait while something moves on the screen:
	// less than the 16.7 ms until the next, so that none is late.
	turnSpare = 12 * time.Millisecond

	// idleTurn is how long a turn waits while nothing does. An event and our own
	// updates end the wait; what the toolkit does by itself, like a click in the
	// tray's menu or the caret's blinking, may be late by as much.
	idleTurn = 100 * time.Millisecond

	// livelyFor is how long turns are quick after an event: longer than
	// the animations that follow one, like a button's ripple of 300 ms.
	livelyFor = time.Second
)

// idle lets the toolkit's loop rest while nothing happens. Its zero value never
// does.
type idle struct {
	// wait returns once there is an event to handle, which is left as it is, or
	// when a value comes from called, or after the limit.
	wait   func(limit time.Duration, called <-chan struct{}) (event bool)
	called chan struct{} // holds a value if an update has been asked for

	mu      sync.Mutex
	updates int  // of ours that are asked for and not done yet
	undrawn bool // one is done that no turn has drawn yet

	// On the UI thread only.
	turned  time.Time // when the turn began
	begun   bool      // a turn has, since the last rest
	stirred time.Time // when an event came last
	moving  int       // what moves on the screen by itself
}

// asked says that an update will be done on the UI thread, which must not rest
// until that is drawn.
func (i *idle) asked() {
	i.mu.Lock()
	i.updates++
	i.mu.Unlock()
	select {
	case i.called <- struct{}{}:
	default: // it is called already
	}
}

// done says that an update which was asked for is done.
func (i *idle) done() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.updates--
	i.undrawn = true
}

// move keeps turns quick until rest is called, for what moves by itself. Both
// are called on the UI thread.
func (i *idle) move() (rest func()) {
	i.moving++
	return sync.OnceFunc(func() { i.moving-- })
}

// turn says that a turn has begun, which draws all that has been done so far.
func (i *idle) turn() {
	i.turned, i.begun = time.Now(), true
	i.mu.Lock()
	defer i.mu.Unlock()
	i.undrawn = false
}

// rest waits once a turn is over, if nothing is to be done and there is time. Turns
// that follow each other at once, as after a slow drawing, share a rest.
func (i *idle) rest() {
	if !i.begun {
		return
	}
	i.begun = false
	limit := idleTurn
	if i.moving > 0 || time.Since(i.stirred) < livelyFor {
		limit = time.Until(i.turned.Add(turnSpare))
	}
	if limit <= 0 || i.pending() {
		return
	}
	if i.wait(limit, i.called) {
		i.stirred = time.Now()
	}
}

func (i *idle) pending() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.updates > 0 || i.undrawn
}
