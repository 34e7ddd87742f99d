package notify_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ref(name string) store.Ref { return store.Ref{Space: "default", Name: name} }

func state(head uint64) store.State { return store.State{Stream: protocol.Identity{1}, Head: head} }

func moved(name string, head uint64) store.Moved {
	return store.Moved{Ref: ref(name), State: state(head)}
}

// woken says whether a subscription was woken since the last time.
func woken(s *notify.Subscription) bool {
	select {
	case <-s.Woken():
		return true
	default:
		return false
	}
}

// Only those are woken whose streams move: not those of another stream, nor of
// the same name in another space.
func TestWakesOnlyTheConcerned(t *testing.T) {
	var hub notify.Hub
	notes := hub.Subscribe(ref("notes"))
	defer notes.Stop()
	both := hub.Subscribe(ref("notes"), ref("calendar"))
	defer both.Stop()
	calendar := hub.Subscribe(ref("calendar"))
	defer calendar.Stop()
	elsewhere := hub.Subscribe(store.Ref{Space: "other", Name: "notes"})
	defer elsewhere.Stop()
	all := hub.SubscribeAll()
	defer all.Stop()

	hub.Publish([]store.Moved{moved("notes", 1), moved("todo", 7)})

	for _, test := range []struct {
		name string
		*notify.Subscription
		wakes bool
		want  map[store.Ref]store.State
	}{
		{"the stream", notes, true, map[store.Ref]store.State{ref("notes"): state(1)}},
		{"it and another", both, true, map[store.Ref]store.State{ref("notes"): state(1)}},
		{"another", calendar, false, nil},
		{"another space", elsewhere, false, nil},
		{"every stream", all, true, nil},
	} {
		if got := woken(test.Subscription); got != test.wakes {
			t.Errorf("%s: woken %t, want %t", test.name, got, test.wakes)
		}
		got, closed := test.Take()
		if diff := cmp.Diff(test.want, got); diff != "" || closed {
			t.Errorf("%s: closed %t, moved (-want +got):\n%s", test.name, closed, diff)
		}
	}
}

// Who is called for news is called once until he takes it, and again for what
// comes after; also when the hub closes, or was closed before.
func TestCallsForNews(t *testing.T) {
	var hub notify.Hub
	calls := 0
	s := hub.SubscribeFunc(func() { calls++ }, ref("notes"))
	defer s.Stop()
	want := func(n int) {
		t.Helper()
		if calls != n {
			t.Fatalf("called %d times, want %d", calls, n)
		}
	}
	hub.Publish([]store.Moved{moved("calendar", 1)})
	want(0)
	hub.Publish([]store.Moved{moved("notes", 1)})
	hub.Publish([]store.Moved{moved("notes", 2)})
	want(1)
	got, closed := s.Take()
	if diff := cmp.Diff(map[store.Ref]store.State{ref("notes"): state(2)}, got); diff != "" || closed {
		t.Errorf("closed %t, moved (-want +got):\n%s", closed, diff)
	}
	hub.Publish([]store.Moved{moved("notes", 3)})
	want(2)
	s.Take()
	hub.Close()
	want(3)
	late := hub.SubscribeFunc(func() { calls++ }, ref("todo"))
	defer late.Stop()
	want(4)
	if _, closed := late.Take(); !closed {
		t.Error("the hub is closed, and does not say so")
	}
}

// Who does not ask for long finds the last state of each stream, once, however
// many moves he missed.
func TestKeepsTheLastState(t *testing.T) {
	var hub notify.Hub
	s := hub.Subscribe(ref("notes"), ref("calendar"))
	defer s.Stop()
	for head := range uint64(1000) {
		hub.Publish([]store.Moved{moved("notes", head+1), moved("calendar", 2*head)})
	}
	if !woken(s) || woken(s) {
		t.Error("a thousand moves do not wake just once")
	}
	want := map[store.Ref]store.State{ref("notes"): state(1000), ref("calendar"): state(1998)}
	got, _ := s.Take()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	if again, _ := s.Take(); len(again) > 0 {
		t.Errorf("taken twice: %v", again)
	}
}

// Whoever subscribes, looks, and then waits hears of everything that is
// committed afterwards, however the publishers race with him: nobody is left
// asleep. The bubble fails as soon as all that still run wait for each other.
func TestLosesNoMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streams, last, waiters = 8, 200, 32
		var hub notify.Hub
		var committed [streams]atomic.Uint64 // what a waiter sees when he looks
		var wg sync.WaitGroup
		for i := range streams {
			wg.Go(func() {
				for head := range uint64(last) {
					committed[i].Store(head + 1)
					hub.Publish([]store.Moved{moved(fmt.Sprint(i), head+1)})
				}
			})
		}
		for w := range waiters {
			wg.Go(func() {
				// Each one waits anew, with a new subscription, until he has
				// seen the last entry of both of his streams.
				for _, i := range []int{w % streams, (w + 3) % streams} {
					for seen := uint64(0); seen < last; {
						s := hub.Subscribe(ref(fmt.Sprint(i)))
						if now := committed[i].Load(); now > seen {
							seen = now
						} else {
							<-s.Woken()
							states, _ := s.Take()
							if head := states[ref(fmt.Sprint(i))].Head; head > seen {
								seen = head
							}
						}
						s.Stop()
					}
				}
			})
			wg.Go(func() {
				// Each of these keeps one subscription all the time.
				i := w % streams
				s := hub.Subscribe(ref(fmt.Sprint(i)))
				defer s.Stop()
				for seen := committed[i].Load(); seen < last; {
					<-s.Woken()
					states, _ := s.Take()
					head, ok := states[ref(fmt.Sprint(i))]
					if ok && head.Head < seen {
						t.Errorf("heard of entry %d after %d", head.Head, seen)
						return
					}
					seen = max(seen, head.Head)
				}
			})
		}
		wg.Go(func() {
			s := hub.SubscribeAll()
			defer s.Stop()
			done := func() bool {
				for i := range committed {
					if committed[i].Load() < last {
						return false
					}
				}
				return true
			}
			for !done() {
				<-s.Woken()
			}
		})
		wg.Wait()
		if n := hub.Topics(); n != 0 {
			t.Errorf("%d streams are waited for, though nobody is left", n)
		}
	})
}

// Closing wakes everybody, also those who come later, and each finds the
// hub closed, with what had moved before.
func TestCloseWakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hub notify.Hub
		subscriptions := []*notify.Subscription{
			hub.Subscribe(ref("notes")), hub.Subscribe(ref("notes"), ref("calendar")), hub.SubscribeAll(),
		}
		var wg sync.WaitGroup
		for _, s := range subscriptions {
			wg.Go(func() {
				<-s.Woken()
				if _, closed := s.Take(); !closed {
					t.Error("woken, but not closed")
				}
				s.Stop()
			})
		}
		synctest.Wait() // All of them wait.
		busy := hub.Subscribe(ref("todo"))
		hub.Publish([]store.Moved{moved("todo", 3)})
		hub.Close()
		wg.Wait()
		if got, closed := busy.Take(); !closed || got[ref("todo")] != state(3) {
			t.Errorf("Take = %v, %t, want the last move and closed", got, closed)
		}
		busy.Stop()

		for _, late := range []*notify.Subscription{hub.Subscribe(ref("notes")), hub.SubscribeAll()} {
			<-late.Woken()
			if _, closed := late.Take(); !closed {
				t.Error("subscribed to a closed hub, but not closed")
			}
			late.Stop()
		}
		hub.Close()
		if n := hub.Topics(); n != 0 {
			t.Errorf("%d streams are waited for after Close", n)
		}
	})
}

// Closing while others subscribe leaves nobody asleep.
func TestCloseRacesWithSubscribe(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(*testing.T) {
			var hub notify.Hub
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					s := hub.Subscribe(ref("notes"))
					defer s.Stop()
					<-s.Woken()
				})
				wg.Go(func() {
					s := hub.SubscribeAll()
					defer s.Stop()
					<-s.Woken()
				})
			}
			wg.Go(hub.Close)
			wg.Wait()
		})
	}
}
