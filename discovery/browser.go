package discovery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// The first query waits for a random moment up to this, so that machines woken by one event do not all ask at once (RFC 6762,
	// section 5.2).
	firstQuery = 100 * time.Millisecond
	// The next ones follow after a second and then after twice the time before, up to an hour (section 5.2). While somebody looks
	// it is never more than watchedPause: a service whose announcements were all lost still appears within that.
	firstPause   = time.Second
	lastPause    = time.Hour
	watchedPause = time.Minute
	// attention is how long somebody who asked what was found is taken to look on.
	attention = time.Minute
	// mostSpread keeps browsers on one network from asking the same in the same moment.
	mostSpread = 500 * time.Millisecond
)

// A Browser knows the services of one type on the machine's networks. Its methods may be called from any goroutine.
type Browser struct {
	cancel  context.CancelFunc
	done    chan struct{}
	changes chan struct{}
	looks   chan struct{} // a pulse when somebody looks after a while

	mu      sync.Mutex
	found   []Found
	problem error     // why there is nowhere to look
	looked  time.Time // when somebody did
}

// Browse keeps looking for services of a type, such as "_name._tcp", until the context ends or Close. Without a network it waits
// for one. The error is of a type that is not one.
func Browse(ctx context.Context, typ string, o Options) (*Browser, error) {
	if err := checkType(typ); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &Browser{
		cancel: cancel, done: make(chan struct{}), changes: make(chan struct{}, 1), looks: make(chan struct{}, 1), looked: time.Now(),
	}
	w := &watcher{
		network: newNetwork(o), typ: strings.ToLower(typ) + "." + domain, caches: make(map[string]*cache),
		looks: b.looks, watched: b.watched, publish: b.publish,
	}
	go func() {
		defer close(b.done)
		w.run(ctx)
	}()
	return b, nil
}

// Find looks once, for the time given, and tells what it found. Where there is no network at the end of it the error
// wraps ErrNoNetwork.
func Find(ctx context.Context, typ string, wait time.Duration, o Options) ([]Found, error) {
	b, err := Browse(ctx, typ, o)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(wait):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.found, b.problem
}

// Found are the services there now, by name. The caller may keep it. While it is called now and then, what does not answer any
// more shows as stale within fifteen seconds; else it may take minutes.
func (b *Browser) Found() []Found {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.looked) > attention {
		pulse(b.looks)
	}
	b.looked = now
	return slices.Clone(b.found)
}

// watched tells whether somebody looks.
func (b *Browser) watched(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Sub(b.looked) <= attention
}

// Changes has a pulse after what Found answers changed in more than when it was heard.
func (b *Browser) Changes() <-chan struct{} { return b.changes }

// Close ends looking and returns when nothing of the browser runs any more. What was found stays readable.
func (b *Browser) Close() {
	b.cancel()
	<-b.done
}

func (b *Browser) publish(found []Found, problem error) {
	b.mu.Lock()
	same := slices.EqualFunc(found, b.found, func(x, y Found) bool {
		return x.Instance == y.Instance && x.Host == y.Host && x.Port == y.Port && x.Stale == y.Stale &&
			slices.Equal(x.Addresses, y.Addresses) && maps.Equal(x.TXT, y.TXT)
	})
	b.found, b.problem = found, problem
	b.mu.Unlock()
	if !same {
		pulse(b.changes)
	}
}

// A watcher is what a Browser runs: everything in it belongs to that one goroutine.
type watcher struct {
	network *network
	typ     string            // full
	caches  map[string]*cache // by the link's name
	looks   <-chan struct{}
	watched func(time.Time) bool
	publish func([]Found, error)
	next    time.Time     // of the next full query
	pause   time.Duration // until the one after it
	last    time.Time     // of the last query of any kind
}

func (w *watcher) run(ctx context.Context) {
	defer w.network.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-w.network.in:
			w.hear(p, time.Now())
		case <-w.looks:
			w.hurry(time.Now())
		case <-timer.C:
		}
		now := time.Now()
		for _, ch := range w.network.follow(now) {
			if ch.was != nil {
				w.cache(ch.was.link.name).question(now)
			}
			if ch.is != nil {
				w.cache(ch.is.link.name) // to be asked into
			}
			w.hurry(now)
		}
		var found []Found
		watched := w.watched(now)
		for _, c := range w.caches {
			c.watched = watched
			c.expire(now)
			found = append(found, c.found(now)...)
		}
		w.ask(now, watched)
		w.publish(merge(found), w.problem())
		timer.Reset(time.Until(w.wake(now)))
	}
}

// cache is the one of a link.
func (w *watcher) cache(link string) *cache {
	if w.caches[link] == nil {
		w.caches[link] = newCache(w.typ, link)
		w.caches[link].spread = rand.N(mostSpread)
	}
	return w.caches[link]
}

func (w *watcher) hear(p packet, now time.Time) {
	c := w.cache(p.conn.link.name)
	if !p.msg.Response {
		c.overhear(p.msg, now)
	} else if c.take(p.msg, now) {
		w.hurry(now)
	}
}

// hurry begins the rhythm of queries anew, though never with a second one within a second.
func (w *watcher) hurry(now time.Time) {
	next := now.Add(rand.N(firstQuery))
	if free := w.last.Add(firstPause); free.After(next) {
		next = free
	}
	if w.next.IsZero() || next.Before(w.next) {
		w.next, w.pause = next, firstPause
	}
}

func (w *watcher) ask(now time.Time, watched bool) {
	full := !w.next.IsZero() && !now.Before(w.next)
	for name, cache := range w.caches {
		m := cache.query(full, now)
		c := w.network.conn(name)
		switch {
		case c == nil && len(cache.services) == 0:
			delete(w.caches, name) // the link is gone, and all that was known of it
		case c != nil && m != nil:
			if err := c.send(m); err != nil {
				w.network.log.Debug("query not sent", "error", err)
			}
			w.last = now
		}
	}
	if full {
		most := lastPause
		if watched {
			most = watchedPause
		}
		w.next = now.Add(w.pause)
		w.pause = min(2*w.pause, most)
	}
}

// wake is when there is something to do.
func (w *watcher) wake(now time.Time) time.Time {
	wake := w.network.next
	soonest := func(at time.Time) {
		if !at.IsZero() && at.Before(wake) {
			wake = at
		}
	}
	soonest(w.next)
	for _, c := range w.caches {
		soonest(c.next(now))
	}
	return wake
}

// problem is why there is nowhere to look, if so.
func (w *watcher) problem() error {
	switch {
	case len(w.network.conns) > 0 || w.network.problem == nil:
		return nil
	case errors.Is(w.network.problem, ErrNoNetwork):
		return w.network.problem
	default:
		return fmt.Errorf("%w: %w", ErrNoNetwork, w.network.problem)
	}
}
