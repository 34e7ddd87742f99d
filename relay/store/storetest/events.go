package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// published is an event without an id, or with one.
func published(text string, id ...string) store.Event {
	return store.Event{ID: strings.Join(id, ""), JSON: fmt.Appendf(nil, `{"type":"said","text":%q}`, text)}
}

// publishTo is events on their way into a stream.
func publishTo(ref store.Ref, events ...store.Event) store.Publish {
	return store.Publish{
		Ref: ref, Events: events, Writer: "phone",
		Origin: fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"user","id":"local"},"causation":null`, ref.Name),
	}
}

// publish publishes what must be taken.
func (s *subject) publish(t testing.TB, p store.Publish) store.Publication {
	t.Helper()
	done, err := s.Publish(t.Context(), p)
	if err != nil {
		t.Fatalf("publishing to %s: %v", p.Name, err)
	}
	return done
}

// envelopes reads a stream of events from its start to its head, and checks that
// it holds what streams of events promise.
func (s *subject) envelopes(t testing.TB, ref store.Ref) []store.Envelope {
	t.Helper()
	var list []store.Envelope
	ids := make(map[string]bool)
	for _, entry := range s.readAll(t, ref, protocol.MaxPageEntries) {
		e, err := store.ReadEnvelope(entry.Data)
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != entry.Seq || entry.Epoch != 0 || !json.Valid(entry.Data) || ids[e.ID] {
			t.Fatalf("at %d stands %s", entry.Seq, entry.Data)
		}
		if n := len(list); n > 0 && e.TS.Before(list[n-1].TS) {
			t.Errorf("the time goes back to %v after %v", e.TS, list[n-1].TS)
		}
		ids[e.ID] = true
		list = append(list, e)
	}
	return list
}

// said returns what events say.
func said(t testing.TB, list []store.Envelope) (all []string) {
	t.Helper()
	for _, e := range list {
		var event struct{ Text string }
		if err := json.Unmarshal(e.Event, &event); err != nil {
			t.Fatal(err)
		}
		all = append(all, event.Text)
	}
	return all
}

// Events are written in their order, as one batch, with what was said of their
// origin, and each is found under the id that its publisher was told.
func testEvents(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	one := s.publish(t, publishTo(ref, published("a")))
	three := s.publish(t, publishTo(ref, published("b"), published("c", "order-7"), published("d")))
	check := func() {
		t.Helper()
		list := s.envelopes(t, ref)
		equal(t, "the events", []string{"a", "b", "c", "d"}, said(t, list))
		for i, p := range append(one.Events[:1:1], three.Events...) {
			e := list[i]
			want := store.Published{Seq: e.Seq, ID: e.ID}
			equal(t, "what was answered", want, p)
			equal(t, "the chain", string(store.AppendID(nil, e.ID)), string(e.CorrelationID))
			equal(t, "the actor", `{"kind":"user","id":"local"}`, string(e.Actor))
			equal(t, "the stream", `"orders"`, string(e.StreamID))
			found, err := s.Find(t.Context(), ref, p.ID)
			if err != nil || found.Seq != p.Seq || found.Writer != "phone" {
				t.Errorf("%q was found as %+v, %v", p.ID, found, err)
			}
		}
		_, err := s.Find(t.Context(), ref, "none")
		refused(t, err, &store.NotFoundError{Ref: ref, ID: "none"})
	}
	check()
	equal(t, "the given id", "order-7", three.Events[1].ID)
	equal(t, "the places", []uint64{1, 1, 2, 4}, []uint64{one.First, one.Last, three.First, three.Last})
	var ends []uint64
	for _, e := range s.readAll(t, ref, everything) {
		if e.EndsBatch {
			ends = append(ends, e.Seq)
		}
	}
	equal(t, "the ends of batches", []uint64{1, 4}, ends)
	is := s.stream(t, ref)
	equal(t, "the kind", store.Events, is.Kind)
	equal(t, "what was told", []store.Moved{
		{Ref: ref, State: store.State{Stream: is.Identity, Head: 1}, Kind: store.Events},
		{Ref: ref, State: store.State{Stream: is.Identity, Head: 4}, Kind: store.Events, Before: 1},
	}, s.heard())
	s.reopen(t)
	check()
	if again := s.publish(t, publishTo(ref, published("e"))); again.First != 5 || again.Events[0].ID == one.Events[0].ID {
		t.Errorf("it goes on at %+v", again)
	}
	s.envelopes(t, ref)
}

// An id stays with the first event that had it, whether the second one comes later,
// in the same publication or after a restart; what else is in that is written.
func testEventIDs(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	long := strings.Repeat("\x01", store.MaxID)
	first := s.publish(t, publishTo(ref,
		published("a", "1"), published("b", "2"), published("c", "1"), published("d"), published("e", long), published("f", "2")))
	equal(t, "what was answered", []store.Published{
		{Seq: 1, ID: "1"},
		{Seq: 2, ID: "2"},
		{Seq: 1, ID: "1", Duplicate: true},
		{Seq: 3, ID: first.Events[3].ID},
		{Seq: 4, ID: long},
		{Seq: 2, ID: "2", Duplicate: true},
	}, first.Events)
	drawn := first.Events[3].ID
	for range 2 {
		again := s.publish(t, publishTo(ref, published("x", drawn), published("y", "2"), published("z", long)))
		equal(t, "a second publication", store.Publication{Stream: first.Stream, Events: []store.Published{
			{Seq: 3, ID: drawn, Duplicate: true}, {Seq: 2, ID: "2", Duplicate: true}, {Seq: 4, ID: long, Duplicate: true},
		}}, again)
		s.reopen(t)
	}
	mixed := s.publish(t, publishTo(ref, published("x", "1"), published("g", "3"), published("y", "3"), published("z", "2")))
	equal(t, "some of it", store.Publication{Stream: first.Stream, First: 5, Last: 5, Events: []store.Published{
		{Seq: 1, ID: "1", Duplicate: true}, {Seq: 5, ID: "3"}, {Seq: 5, ID: "3", Duplicate: true}, {Seq: 2, ID: "2", Duplicate: true},
	}}, mixed)
	equal(t, "the events", []string{"a", "b", "d", "e", "g"}, said(t, s.envelopes(t, ref)))
	entries := s.readAll(t, ref, everything)
	if last := entries[len(entries)-1]; !last.EndsBatch {
		t.Error("a batch whose last events were there already does not end")
	}
	other := s.publish(t, publishTo(named("other"), published("a", "1")))
	equal(t, "in another stream", []store.Published{{Seq: 1, ID: "1"}}, other.Events)
}

// Ids that are spelled like drawn ones are told from those, whatever position they
// tell, and never become the id of a second event.
func testEventIDsLikeDrawn(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	drawn := s.publish(t, publishTo(ref, published("a"))).Events[0].ID
	ahead := func(n int) string { return strings.TrimSuffix(drawn, "1") + fmt.Sprint(n) }
	// Of an event that is written later, of the very one that is written next, and
	// of one that is there and has another id.
	s.publish(t, publishTo(ref, published("b", ahead(5)), published("c", ahead(3)), published("d", ahead(2))))
	s.publish(t, publishTo(ref, published("e"), published("f"), published("g")))
	for round := range 2 {
		for seq, id := range map[uint64]string{1: drawn, 2: ahead(5), 3: ahead(3), 4: ahead(2)} {
			again := s.publish(t, publishTo(ref, published("x", id)))
			equal(t, "the answer", []store.Published{{Seq: seq, ID: id, Duplicate: true}}, again.Events)
			found, err := s.Find(t.Context(), ref, id)
			if err != nil || found.Seq != seq {
				t.Errorf("%q was found at %d, %v", id, found.Seq, err)
			}
		}
		equal(t, "the events", 7, len(s.envelopes(t, ref)))
		if round == 0 {
			s.reopen(t)
		}
	}
	_, err := s.Find(t.Context(), ref, ahead(6))
	refused(t, err, &store.NotFoundError{Ref: ref, ID: ahead(6)})
}

// Of publications that race with the same ids, exactly one writes each of them.
func testRacingEvents(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	for round := range 10 {
		a, b := fmt.Sprint("a", round), fmt.Sprint("b", round)
		var mu sync.Mutex
		fresh := make(map[string]int)
		places := make(map[store.Published]bool)
		race(func(racer int) {
			events := []store.Event{published(a, a), published(b, b)}
			if racer%2 == 1 {
				events[0], events[1] = events[1], events[0]
			}
			done, err := s.Publish(t.Context(), publishTo(ref, events...))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, e := range done.Events {
				if !e.Duplicate {
					fresh[e.ID]++
				}
				places[store.Published{Seq: e.Seq, ID: e.ID}] = true
			}
		})
		equal(t, "how often each was written", map[string]int{a: 1, b: 1}, fresh)
		equal(t, "the places that were told", 2, len(places))
	}
	equal(t, "the events", 20, len(s.envelopes(t, ref)))
}

// A chain is named by the event that began it.
func testChains(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	in := func(chain string, events ...store.Event) store.Publish {
		p := publishTo(ref, events...)
		p.Chain = chain
		return p
	}
	_, err := s.Publish(t.Context(), in("a", published("1", "a")))
	refused(t, err, &store.UnknownChainError{Ref: ref, ID: "a"})
	s.absent(t, ref)

	s.publish(t, publishTo(ref, published("1", "a")))
	drawn := s.publish(t, publishTo(ref, published("2"))).Events[0].ID
	s.publish(t, in("a", published("3", "b"), published("4")))
	s.publish(t, in(drawn, published("5")))
	s.reopen(t)
	s.publish(t, in(drawn, published("6")))
	_, err = s.Publish(t.Context(), in("b", published("7")))
	refused(t, err, &store.NotFirstError{Ref: ref, ID: "b", Chain: "a"})
	_, err = s.Publish(t.Context(), in("none", published("7")))
	refused(t, err, &store.UnknownChainError{Ref: ref, ID: "none"})
	var chains []string
	for _, e := range s.envelopes(t, ref) {
		chain, err := store.Text(e.CorrelationID)
		if err != nil {
			t.Fatal(err)
		}
		chains = append(chains, chain)
	}
	equal(t, "the chains", []string{"a", drawn, "a", "a", drawn, drawn}, chains)
}

// What a stream holds is decided by its first write.
func testKind(t *testing.T, open Open) {
	s := start(t, open)
	notes, orders := named("notes"), named("orders")
	s.write(t, notes, batch(0, "a"))
	s.publish(t, publishTo(orders, published("a")))
	for range 2 {
		_, err := s.try(t, orders, batch(0, "b"))
		refused(t, err, &store.WrongKindError{Ref: orders, Kind: store.Events})
		_, err = s.Publish(t.Context(), publishTo(notes, published("b")))
		refused(t, err, &store.WrongKindError{Ref: notes, Kind: store.Entries})
		p := s.page(t, store.Read{Ref: orders, Entries: everything, Bytes: everything})
		equal(t, "the kind of the page", store.Events, p.Kind)
		equal(t, "the stream", []string{"a"}, texts(s.readAll(t, notes, everything)))
		equal(t, "the events", []string{"a"}, said(t, s.envelopes(t, orders)))
		s.reopen(t)
	}
	_, err := s.Find(t.Context(), notes, "a")
	refused(t, err, &store.NotFoundError{Ref: notes, ID: "a"})
	_, err = s.Find(t.Context(), named("none"), "a")
	refused(t, err, &store.NotFoundError{Ref: named("none")})
}

// A publication of any size is there at one moment, beside which others go on, and
// its ids are known as those of small ones are.
func testLargePublication(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	s.publish(t, publishTo(ref, published("before", "7"), published("before", "9000")))
	events := make([]store.Event, 10_000)
	for i := range events {
		if events[i] = published(strings.Repeat("x", 200), fmt.Sprint(i)); i%10 == 1 {
			events[i].ID = ""
		}
	}
	events[5000].ID = events[1000].ID
	events[9999].ID = events[1000].ID
	before := len(s.heard())
	done := s.publish(t, publishTo(ref, events...))
	equal(t, "the places", []uint64{3, 9_998}, []uint64{done.First, done.Last})
	equal(t, "what was there", []store.Published{{Seq: 1, ID: "7", Duplicate: true}, {Seq: 2, ID: "9000", Duplicate: true}},
		[]store.Published{done.Events[7], done.Events[9000]})
	for _, i := range []int{5000, 9999} {
		equal(t, "a twin", store.Published{Seq: done.Events[1000].Seq, ID: "1000", Duplicate: true}, done.Events[i])
	}
	equal(t, "how often it was told", 1, len(s.heard())-before)
	for range 2 {
		again := s.publish(t, publishTo(ref, events...))
		for i, e := range again.Events {
			if was := done.Events[i]; events[i].ID != "" && (e.Seq != was.Seq || !e.Duplicate) {
				t.Fatalf("the second time %d is at %+v, and was at %+v", i, e, was)
			}
		}
		equal(t, "those without an id", uint64(1_000), again.Last-again.First+1)
		s.reopen(t)
	}
	s.envelopes(t, ref)
}

// What could not be read again is not written.
func testMalformedEvents(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	for name, change := range map[string]func(p *store.Publish){
		"nothing":            func(p *store.Publish) { p.Events = nil },
		"no type":            func(p *store.Publish) { p.Events[1].JSON = []byte(`{"a":1}`) },
		"a type behind":      func(p *store.Publish) { p.Events[1].JSON = []byte(`{"a":1,"type":"b"}`) },
		"no end":             func(p *store.Publish) { p.Events[1].JSON = []byte(`{"type":"b"`) },
		"no object":          func(p *store.Publish) { p.Events[1].JSON = []byte(`"type"`) },
		"an id with NUL":     func(p *store.Publish) { p.Events[1].ID = "a\x00" },
		"an id of no text":   func(p *store.Publish) { p.Events[1].ID = "a\xff" },
		"an id too long":     func(p *store.Publish) { p.Events[1].ID = strings.Repeat("a", store.MaxID+1) },
		"no origin":          func(p *store.Publish) { p.Origin = nil },
		"half an origin":     func(p *store.Publish) { p.Origin = []byte(`"stream_id":"orders","actor":{}`) },
		"an origin and more": func(p *store.Publish) { p.Origin = append(p.Origin, `,"more":1`...) },
		"another stream":     func(p *store.Publish) { p.Origin = publishTo(named("other")).Origin },
	} {
		p := publishTo(ref, published("a"), published("b", "b"))
		change(&p)
		if done, err := s.Publish(t.Context(), p); err == nil {
			t.Errorf("%s is taken: %+v", name, done)
		}
	}
	s.absent(t, ref)
}
