package notify_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hearth/relay/notify"
	"hearth/relay/store"
)

// subscriber is what a subscription has to be like.
type subscriber struct {
	*notify.Subscription
	all     bool
	refs    []store.Ref
	woken   bool
	moved   map[store.Ref]store.State
	stopped bool
}

// In whatever order subscriptions begin, hear, are taken from and stop, each one
// knows the last state of just the streams that it asked for, and the hub keeps
// just the streams that somebody waits for.
func TestHubModel(t *testing.T) {
	names := rapid.Custom(func(t *rapid.T) store.Ref {
		return store.Ref{
			Space: rapid.SampledFrom([]string{"default", "other"}).Draw(t, "space"),
			Name:  rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var hub notify.Hub
		var subscribers []*subscriber
		var heads uint64
		closed := false
		add := func(s *subscriber) {
			s.woken = closed
			subscribers = append(subscribers, s)
		}
		pick := func(t *rapid.T) *subscriber {
			if len(subscribers) == 0 {
				t.Skip("nobody subscribed yet")
			}
			return rapid.SampledFrom(subscribers).Draw(t, "subscriber")
		}
		t.Repeat(map[string]func(*rapid.T){
			"subscribe": func(t *rapid.T) {
				refs := rapid.SliceOfN(names, 1, 5).Draw(t, "refs") // also one twice
				add(&subscriber{Subscription: hub.Subscribe(refs...), refs: refs})
			},
			"subscribe to all": func(*rapid.T) { add(&subscriber{Subscription: hub.SubscribeAll(), all: true}) },
			"publish": func(t *rapid.T) {
				var moves []store.Moved
				for _, ref := range rapid.SliceOfN(names, 1, 4).Draw(t, "moves") {
					heads++
					moves = append(moves, store.Moved{Ref: ref, State: state(heads)})
				}
				hub.Publish(moves)
				for _, s := range subscribers {
					for _, m := range moves {
						s.hear(m)
					}
				}
			},
			"nudge": func(*rapid.T) {
				hub.Nudge()
				for _, s := range subscribers {
					s.woken = s.woken || s.all && !s.stopped
				}
			},
			"take": func(t *rapid.T) {
				s := pick(t)
				got, isClosed := s.Take()
				if diff := cmp.Diff(s.moved, got, cmpopts.EquateEmpty()); diff != "" || isClosed != closed {
					t.Fatalf("closed %t, want %t; moved (-want +got):\n%s", isClosed, closed, diff)
				}
				s.moved = nil
			},
			"wake": func(t *rapid.T) {
				s := pick(t)
				if got := woken(s.Subscription); got != s.woken {
					t.Fatalf("woken %t, want %t", got, s.woken)
				}
				s.woken = false
			},
			"stop": func(t *rapid.T) {
				s := pick(t) // also one that was stopped before
				s.Stop()
				s.stopped = true
			},
			"close": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
					t.Skip("not yet")
				}
				hub.Close()
				closed = true
				for _, s := range subscribers {
					s.woken = s.woken || !s.stopped
				}
			},
			"": func(t *rapid.T) {
				topics := map[store.Ref]bool{}
				for _, s := range subscribers {
					if s.stopped {
						continue
					}
					for _, ref := range s.refs {
						topics[ref] = true
					}
				}
				if got := hub.Topics(); got != len(topics) {
					t.Fatalf("Topics = %d, want %d", got, len(topics))
				}
			},
		})
		for _, s := range subscribers {
			s.Stop()
		}
		if got := hub.Topics(); got != 0 {
			t.Fatalf("Topics = %d after everybody stopped", got)
		}
	})
}

// hear is what a move does to a subscriber.
func (s *subscriber) hear(m store.Moved) {
	switch {
	case s.stopped:
	case s.all:
		s.woken = true
	case slices.Contains(s.refs, m.Ref):
		s.woken = true
		if s.moved == nil {
			s.moved = map[store.Ref]store.State{}
		}
		s.moved[m.Ref] = m.State
	}
}
