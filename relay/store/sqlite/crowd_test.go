package sqlite

import (
	"testing"
	"testing/synctest"
	"time"
)

// Who is foreseen is waited for, but not long; who writes alone waits for nobody;
// and where nobody came the writer soon stops waiting.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const took = 600 * time.Microsecond // of the commit before
	come := func(queue chan<- *request, n int) {
		for range n {
			queue <- new(request)
		}
	}
	for name, tt := range map[string]struct {
		size     int           // of the crowd
		here     int           // who has come
		coming   int           // who comes after a third of the patience
		want     int           // who goes together
		waited   time.Duration // for them
		thatSure bool          // whether the next one is waited for too
	}{
		"alone":              {size: 1, here: 1, want: 1},
		"the first ones":     {size: 0, here: 3, want: 3},
		"all are here":       {size: 4, here: 4, want: 4},
		"the others come":    {size: 4, here: 1, coming: 3, want: 4, waited: took / 6, thatSure: true},
		"some of them come":  {size: 4, here: 1, coming: 1, want: 2, waited: took / 2, thatSure: true},
		"nobody comes":       {size: 4, here: 1, want: 1, waited: took / 2},
		"they are enough":    {size: 100, here: enough, coming: 1, want: enough},
		"they become enough": {size: 100, here: enough - 1, coming: 2, want: enough, waited: took / 6, thatSure: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				queue, closing := make(chan *request, enough), make(chan struct{})
				begin := time.Now()
				time.Sleep(took)
				var c crowd
				c.ended(begin, tt.size)
				time.AfterFunc(took/6, func() { come(queue, tt.coming) })
				begin = time.Now()
				group := c.wait(make([]*request, tt.here), queue, closing)
				if waited := time.Since(begin); len(group) != tt.want || waited != tt.waited {
					t.Errorf("%d go together after %v, want %d after %v", len(group), waited, tt.want, tt.waited)
				}
				if tt.waited == 0 {
					return
				}
				begin = time.Now()
				c.wait(make([]*request, 1), make(chan *request), closing)
				if waits := time.Since(begin) > 0; waits != tt.thatSure {
					t.Errorf("the next time it waits: %v", waits)
				}
			})
		})
	}
}

// Where nobody ever comes hardly any commit waits, and none that is long waits
// longer than a millisecond; a stop ends the waiting.
func TestCrowdOfNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queue, closing := make(chan *request), make(chan struct{})
		waited := time.Duration(0)
		var c crowd
		wait := func() time.Duration {
			begin := time.Now()
			c.ended(begin.Add(-time.Second), 2)
			c.wait(make([]*request, 1), queue, closing)
			return time.Since(begin)
		}
		for range 1000 {
			waited += wait()
		}
		if waited > 30*maxPatience {
			t.Errorf("a thousand commits waited %v", waited)
		}
		close(closing)
		for range 2 * maxDoubt {
			if wait() > 0 {
				t.Error("a stop is kept waiting")
			}
		}
	})
}
