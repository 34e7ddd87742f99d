// Package notify wakes those who wait for streams to move. It is the relay's
// one notifier: it holds no history and asks no store; whoever subscribes looks
// for himself first, and hears of everything that is committed after he
// subscribed.
package notify

import (
	"sync"

	"hearth/relay/store"
)

// Hub passes on which streams moved. The zero value is ready to use.
type Hub struct {
	mu     sync.Mutex
	topics map[store.Ref]map[*Subscription]struct{}
	all    map[*Subscription]struct{}
	closed bool
}

// Subscription hears of some streams. What it was not asked for yet is kept in
// its last state only, so a slow subscriber costs no more than a quick one.
type Subscription struct {
	hub   *Hub
	refs  []store.Ref // nil: every stream
	woken chan struct{}
	news  func() // called instead, if there is one

	// Guarded by the hub's lock:
	told  bool // whether news was called since the last Take
	moved map[store.Ref]store.State
}

// Subscribe starts to hear of the named streams, at least one, and keeps the
// slice. They need not exist, and cost nothing any more once the subscription is
// stopped. The caller must call Stop.
func (h *Hub) Subscribe(refs ...store.Ref) *Subscription {
	return h.subscribe(&Subscription{hub: h, refs: refs, woken: make(chan struct{}, 1)})
}

// SubscribeFunc is Subscribe for whoever waits on no channel: news is called when
// there is something to Take, once until that is done. It is called while others
// wait, so it must return at once and call nothing of the hub.
func (h *Hub) SubscribeFunc(news func(), refs ...store.Ref) *Subscription {
	return h.subscribe(&Subscription{hub: h, refs: refs, news: news})
}

func (h *Hub) subscribe(s *Subscription) *Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.topics == nil {
		h.topics = make(map[store.Ref]map[*Subscription]struct{})
	}
	for _, ref := range s.refs {
		if h.topics[ref] == nil {
			h.topics[ref] = make(map[*Subscription]struct{}, 1)
		}
		h.topics[ref][s] = struct{}{}
	}
	if h.closed {
		s.wake()
	}
	return s
}

// SubscribeAll starts to hear that streams move, but not which: Take returns
// none. The caller must call Stop.
func (h *Hub) SubscribeAll() *Subscription {
	s := &Subscription{hub: h, woken: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = make(map[*Subscription]struct{})
	}
	h.all[s] = struct{}{}
	if h.closed {
		s.wake()
	}
	return s
}

// Publish tells the subscribers of each stream where it stands now. The moves
// of one stream must be published in the order in which they were committed.
func (h *Hub) Publish(moves []store.Moved) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range moves {
		for s := range h.topics[m.Ref] {
			if s.moved == nil {
				s.moved = make(map[store.Ref]store.State, 1)
			}
			s.moved[m.Ref] = m.State
			s.wake()
		}
	}
	for s := range h.all {
		s.wake()
	}
}

// Nudge wakes those who subscribed to all, for a change that is no stream's.
func (h *Hub) Nudge() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		s.wake()
	}
}

// Close wakes every subscriber: each finds the hub closed, and so does whoever
// subscribes from now on.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, subscribers := range h.topics {
		for s := range subscribers {
			s.wake()
		}
	}
	for s := range h.all {
		s.wake()
	}
}

// Topics returns how many streams somebody waits for.
func (h *Hub) Topics() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.topics)
}

// Woken returns a channel that gets a value when there is something to Take; nil
// after SubscribeFunc.
func (s *Subscription) Woken() <-chan struct{} { return s.woken }

// Take returns where the streams stand that moved since the last call, and
// whether the hub has been closed.
func (s *Subscription) Take() (moved map[store.Ref]store.State, closed bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	moved, s.moved, s.told = s.moved, nil, false
	return moved, s.hub.closed
}

// Stop ends the subscription.
func (s *Subscription) Stop() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, s)
	for _, ref := range s.refs {
		subscribers := h.topics[ref]
		delete(subscribers, s)
		if len(subscribers) == 0 {
			delete(h.topics, ref)
		}
	}
}

// wake never blocks: a value that is there already says the same.
func (s *Subscription) wake() {
	if s.news != nil {
		if !s.told {
			s.told = true
			s.news()
		}
		return
	}
	select {
	case s.woken <- struct{}{}:
	default:
	}
}
