package notify_test

import (
	"fmt"
	"testing"

	"hearth/relay/notify"
	"hearth/relay/store"
)

// subscribers is how many wait while something is published.
const subscribers = 10_000

// A move of one stream that everybody waits for, with everybody taking it.
func BenchmarkPublishToAll(b *testing.B) {
	var hub notify.Hub
	waiting := make([]*notify.Subscription, subscribers)
	for i := range waiting {
		waiting[i] = hub.Subscribe(ref("notes"))
		defer waiting[i].Stop()
	}
	moves := []store.Moved{moved("notes", 1)}
	b.ReportAllocs()
	for b.Loop() {
		hub.Publish(moves)
		for _, s := range waiting {
			<-s.Woken()
			s.Take()
		}
	}
}

// A move of one stream among as many as there are subscribers: the others cost
// nothing.
func BenchmarkPublishToOne(b *testing.B) {
	var hub notify.Hub
	for i := range subscribers {
		defer hub.Subscribe(ref(fmt.Sprint(i))).Stop()
	}
	moves := []store.Moved{moved("7", 1)}
	b.ReportAllocs()
	for b.Loop() {
		hub.Publish(moves)
	}
}

// A wait that comes and goes while all the others stay.
func BenchmarkSubscribe(b *testing.B) {
	var hub notify.Hub
	for i := range subscribers {
		defer hub.Subscribe(ref(fmt.Sprint(i))).Stop()
	}
	b.ReportAllocs()
	for b.Loop() {
		hub.Subscribe(ref("notes")).Stop()
	}
}
