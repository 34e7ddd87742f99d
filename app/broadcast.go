package main

import (
	"sync"

	"hearth/relay/console"
)

// broadcast passes on to everyone who subscribed that something changed. What a
// subscriber did not hear of yet is one change to it.
type broadcast struct {
	quit chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex
	subs map[chan struct{}]struct{}
}

// newBroadcast passes on the changes of a relay, of the network and, if it has
// one, of the log.
func newBroadcast(r console.Relay, n *network, book *logbook) *broadcast {
	b := &broadcast{quit: make(chan struct{}), subs: make(map[chan struct{}]struct{})}
	changed, stop := r.Changes()
	var logged <-chan struct{}
	if book != nil {
		logged = book.changed
	}
	b.done.Go(func() {
		defer stop()
		for {
			select {
			case <-changed:
			case <-n.changed:
			case <-logged:
			case <-b.quit:
				return
			}
			b.send()
		}
	})
	return b
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for sub := range b.subs {
		pulse(sub)
	}
}

func (b *broadcast) subscribe() (changed <-chan struct{}, stop func()) {
	sub := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[sub] = struct{}{}
	return sub, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, sub)
	}
}

func (b *broadcast) close() {
	close(b.quit)
	b.done.Wait()
}

// pulse sends a value unless one waits already.
func pulse(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
