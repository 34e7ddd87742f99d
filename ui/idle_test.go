package ui

import (
	"testing"
	"testing/synctest"
	"time"
)

// still is an idle on a display whose events come from a channel.
func still() (i *idle, events chan struct{}) {
	events = make(chan struct{}, 1)
	return &idle{
		called: make(chan struct{}, 1),
		wait: func(limit time.Duration, called <-chan struct{}) bool {
			select {
			case <-events:
				return true
			case <-called:
			case <-time.After(limit):
			}
			return false
		},
	}, events
}

// rested takes a turn and says how long it rested.
func rested(i *idle) time.Duration {
	i.turn()
	began := time.Now()
	i.rest()
	return time.Since(began)
}

func wantRest(t *testing.T, i *idle, want time.Duration, when string) {
	t.Helper()
	if got := rested(i); got != want {
		t.Errorf("%s a turn rested %v, want %v", when, got, want)
	}
}

// While nothing happens, the loop rests; an event is met at once and keeps it
// quick for a while.
func TestIdleRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, events := still()
		wantRest(t, i, idleTurn, "at first")
		events <- struct{}{}
		wantRest(t, i, 0, "with an event")
		wantRest(t, i, turnSpare, "after an event")
		time.Sleep(livelyFor)
		wantRest(t, i, idleTurn, "long after an event")
		began := time.Now()
		i.rest()
		if time.Since(began) != 0 {
			t.Error("a second rest was taken in one turn")
		}
	})
}

// An update does not wait, and is drawn before the loop rests again.
func TestIdleUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, _ := still()
		go func() {
			time.Sleep(idleTurn / 4)
			i.asked()
		}()
		wantRest(t, i, idleTurn/4, "with an update")
		wantRest(t, i, 0, "with an update to be done")
		i.turn()
		i.done()
		began := time.Now()
		i.rest()
		if time.Since(began) != 0 {
			t.Error("an update that is done waited to be drawn")
		}
		wantRest(t, i, idleTurn, "after an update")
	})
}

// What moves by itself moves smoothly.
func TestIdleMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, _ := still()
		still := i.move()
		wantRest(t, i, turnSpare, "with a bar that moves")
		i.turn()
		time.Sleep(2 * turnSpare) // a slow drawing
		began := time.Now()
		i.rest()
		if time.Since(began) != 0 {
			t.Error("a turn that was late already rested")
		}
		still()
		still()
		wantRest(t, i, idleTurn, "with the bar gone")
	})
}

// What never began to rest takes updates all the same.
func TestIdleNever(*testing.T) {
	var i idle
	i.asked()
	i.done()
}
