package ui

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// paced runs pace in a bubble of its own time and returns how to count looks.
func paced(t *testing.T, changed <-chan struct{}, asked chan struct{}, took time.Duration) (looks, ages *atomic.Int64) {
	t.Helper()
	looks, ages = new(atomic.Int64), new(atomic.Int64)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		pace(ctx, changed, asked, func() { looks.Add(1); time.Sleep(took) }, func() { ages.Add(1) })
	}()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
	return looks, ages
}

// The window looks once at its start, and not again while nothing changes;
// times grow older all the same.
func TestNothingWhileNothingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, ages := paced(t, make(chan struct{}), nil, 0)
		time.Sleep(time.Hour)
		synctest.Wait()
		if looks.Load() != 1 || ages.Load() != int64(time.Hour/agesEvery) {
			t.Errorf("%d looks and %d agings in an hour", looks.Load(), ages.Load())
		}
	})
}

// However much changes, the window looks at most each 400 ms and spends at most
// a fifth of its time so; the last change is always seen.
func TestManyChangesFewLooks(t *testing.T) {
	for _, test := range []struct {
		took time.Duration
		most int64
	}{
		{0, 26}, {10 * time.Millisecond, 25}, {500 * time.Millisecond, 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			changed := make(chan struct{}, 1)
			looks, _ := paced(t, changed, nil, test.took)
			for range 10_000 {
				select {
				case changed <- struct{}{}:
				default:
				}
				time.Sleep(time.Millisecond)
			}
			synctest.Wait()
			if looks.Load() > test.most || looks.Load() < test.most-2 {
				t.Errorf("%d looks of %v in 10 s, want %d", looks.Load(), test.took, test.most)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			before := looks.Load()
			changed <- struct{}{}
			time.Sleep(time.Second)
			synctest.Wait()
			if looks.Load() != before+1 {
				t.Errorf("%d looks after one last change", looks.Load()-before)
			}
		})
	}
}

// What the person asks for does not wait for the next turn.
func TestAskedIsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 1)
		looks, _ := paced(t, nil, asked, 0)
		asked <- struct{}{}
		synctest.Wait()
		if looks.Load() != 2 {
			t.Errorf("%d looks", looks.Load())
		}
	})
}

// A console that is gone makes no more looks.
func TestClosedChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan struct{})
		close(changed)
		looks, _ := paced(t, changed, nil, 0)
		time.Sleep(time.Hour)
		synctest.Wait()
		if looks.Load() > 2 {
			t.Errorf("%d looks", looks.Load())
		}
	})
}
