package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// elsewhere makes a store with a stream that has all that streams can have, and
// returns it as it is there.
func elsewhere(t *testing.T, open Open) (*subject, store.Stream) {
	t.Helper()
	s := start(t, open)
	ref := named("notes")
	for i := range 9 {
		b := batch(uint32(i), fmt.Sprint(i), "S\x01")
		switch i {
		case 2:
			b = protocol.Batch{Epoch: 2, Entries: protocol.NewEntries([]byte("S\x01sealed"), []byte("L\x01lock"))}
		case 5:
			large := make([][]byte, 60) // two turns' worth, in rows of their own
			for i := range large {
				large[i] = bytes.Repeat([]byte{byte(i)}, 50_000)
			}
			b = protocol.Batch{Epoch: 5, Entries: protocol.NewEntries(large...)}
		}
		if _, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b, Writer: fmt.Sprint(i % 3)}); err != nil {
			t.Fatal(err)
		}
	}
	is := s.stream(t, ref)
	return s, is
}

func (s *subject) stream(t testing.TB, ref store.Ref) store.Stream {
	t.Helper()
	is, err := s.Stream(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// walked yields the runs of a stream behind a position at which one ends, and then
// an error if there is one.
func (s *subject) walked(t *testing.T, stream store.Stream, after uint64, broken error) iter.Seq2[store.Walked, error] {
	return func(yield func(store.Walked, error) bool) {
		walk := store.NewWalk(stream.Ref, stream.Kind, stream.Identity)
		for walk.Seq() < stream.Head {
			runs, err := s.Runs(t.Context(), stream.Ref, walk.Seq(), stream.Head)
			if err != nil {
				yield(store.Walked{}, err)
				return
			}
			for _, r := range runs {
				part, err := walk.Take([]store.Run{r})
				if r.First > after && !yield(store.Walked{Run: r, Keyed: part.Keyed}, errors.Join(err, part.Check())) {
					return
				}
			}
		}
		if broken != nil {
			yield(store.Walked{}, broken)
		}
	}
}

// A stream that is restored is the same to the last byte, link and time, is told
// of, knows repeats, and goes on.
func testRestore(t *testing.T, open Open) {
	from, want := elsewhere(t, open)
	to := start(t, open)
	if err := to.Restore(t.Context(), store.Restore{Stream: want, Runs: from.walked(t, want, 0, nil)}); err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		equal(t, "the stream", want, to.stream(t, want.Ref))
		equal(t, "the entries", from.readAll(t, want.Ref, protocol.MaxPageEntries), to.readAll(t, want.Ref, protocol.MaxPageEntries))
		for _, seq := range []uint64{1, 6, want.Head} {
			a, errA := from.Record(t.Context(), want.Ref, seq)
			b, errB := to.Record(t.Context(), want.Ref, seq)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			equal(t, "a record", a, b)
		}
	}
	same()
	equal(t, "what was told", []store.Moved{{Ref: want.Ref, State: store.State{Stream: want.Identity, Head: want.Head}}}, to.heard())
	totals, err := to.Totals(t.Context())
	if err != nil || totals.Streams != 1 || totals.Entries != want.Head || totals.Bytes != want.Bytes {
		t.Errorf("the totals are %+v, %v", totals, err)
	}
	to.reopen(t)
	same()
	again := protocol.Batch{Epoch: 2, Entries: protocol.NewEntries([]byte("S\x01sealed"), []byte("L\x01lock"))}
	if w := to.write(t, want.Ref, again); !w.Repeated || w.First != 5 {
		t.Errorf("a repeat is %+v", w)
	}
	if w := to.write(t, want.Ref, batch(9, "more")); w.First != want.Head+1 {
		t.Errorf("it goes on at %+v", w)
	}
	to.readAll(t, want.Ref, protocol.MaxPageEntries)
}

// What follows the part of a stream that is there is put behind it.
func testRestoreBehind(t *testing.T, open Open) {
	from, early := elsewhere(t, open)
	to := start(t, open)
	if err := to.Restore(t.Context(), store.Restore{Stream: early, Runs: from.walked(t, early, 0, nil)}); err != nil {
		t.Fatal(err)
	}
	from.write(t, early.Ref, batch(10, "late"))
	want := from.stream(t, early.Ref)
	after := &protocol.Cursor{Stream: early.Identity, Seq: early.Head, Link: early.Link}
	late := store.Restore{Stream: want, After: after, Runs: from.walked(t, want, early.Head, nil)}
	if err := to.Restore(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	equal(t, "the stream", want, to.stream(t, want.Ref))
	to.reopen(t)
	equal(t, "the entries", from.readAll(t, want.Ref, protocol.MaxPageEntries), to.readAll(t, want.Ref, protocol.MaxPageEntries))
}

// What does not fit what is there changes nothing.
func testRestoreRefused(t *testing.T, open Open) {
	from, want := elsewhere(t, open)
	to := start(t, open)
	restore := store.Restore{Stream: want, Runs: from.walked(t, want, 0, nil)}
	restore.After = &protocol.Cursor{Stream: want.Identity, Seq: 2}
	refused(t, to.Restore(t.Context(), restore), &store.NotFoundError{Ref: want.Ref})
	to.absent(t, want.Ref)

	restore.After = nil
	other := to.write(t, want.Ref, batch(0, "another one"))
	before := to.stream(t, want.Ref)
	refused(t, to.Restore(t.Context(), restore), &store.ReplacedError{Ref: want.Ref, Now: other.Stream})

	restore.Kind = store.Events
	refused(t, to.Restore(t.Context(), restore), &store.WrongKindError{Ref: want.Ref, Kind: store.Entries})

	restore.Kind, restore.Identity = store.Entries, other.Stream
	refused(t, to.Restore(t.Context(), restore), &store.OutOfPlaceError{Ref: want.Ref, First: 1, Head: 1})
	for _, after := range []protocol.Cursor{{Seq: 1, Link: want.Link}, {Seq: 2, Link: before.Link}} {
		restore.After = &after
		refused(t, to.Restore(t.Context(), restore), &store.OutOfPlaceError{Ref: want.Ref, First: after.Seq + 1, Head: 1})
	}
	equal(t, "the stream", before, to.stream(t, want.Ref))
}

// A restoring that breaks off leaves nothing, also of what was on the disk, and
// the name is free at once.
func testRestoreBrokenOff(t *testing.T, open Open) {
	from, want := elsewhere(t, open)
	to := start(t, open)
	why := errors.New("the archive is gone")
	err := to.Restore(t.Context(), store.Restore{Stream: want, Runs: from.walked(t, want, 0, why)})
	if !errors.Is(err, why) {
		t.Errorf("the error is %v", err)
	}
	to.absent(t, want.Ref)
	short := want
	short.Head++
	if err := to.Restore(t.Context(), store.Restore{Stream: short, Runs: from.walked(t, want, 0, nil)}); err == nil {
		t.Error("runs that do not lead to the head were taken")
	}
	to.absent(t, want.Ref)
	to.reopen(t)
	to.absent(t, want.Ref)
	if w := to.write(t, want.Ref, batch(0, "new")); w.First != 1 {
		t.Errorf("the name is not free: %+v", w)
	}
}

// A stream of events that is restored is one: its ids are known, those that locate
// themselves and those that do not, its chains go on, and so does its time.
func testRestoreEvents(t *testing.T, open Open) {
	from, to := start(t, open), start(t, open)
	ref := named("orders")
	first := from.publish(t, publishTo(ref, published("a"), published("b", "order-7"), published("c", "evt_000000000000_9")))
	early := from.stream(t, ref)
	ids := make([]string, 500) // rows of their own, and several turns
	for i := range ids {
		ids[i] = fmt.Sprint("large-", i)
		from.publish(t, publishTo(ref, published(strings.Repeat("x", 10_000), ids[i])))
	}
	late := from.stream(t, ref)
	if err := to.Restore(t.Context(), store.Restore{Stream: early, Runs: from.walked(t, early, 0, nil)}); err != nil {
		t.Fatal(err)
	}
	again := func(id string, seq uint64) {
		t.Helper()
		done := to.publish(t, publishTo(ref, published("x", id)))
		equal(t, "a copy", []store.Published{{Seq: seq, ID: id, Duplicate: true}}, done.Events)
	}
	for _, e := range first.Events {
		again(e.ID, e.Seq)
	}
	after := &protocol.Cursor{Stream: early.Identity, Seq: early.Head, Link: early.Link}
	if err := to.Restore(t.Context(), store.Restore{Stream: late, After: after, Runs: from.walked(t, late, early.Head, nil)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again(first.Events[0].ID, 1)
		again("evt_000000000000_9", 3)
		again(ids[0], 4)
		again(ids[len(ids)-1], late.Head)
		equal(t, "the stream", late, to.stream(t, ref))
		to.reopen(t)
	}
	p := publishTo(ref, published("d"))
	p.Chain = "order-7"
	if done := to.publish(t, p); done.First != late.Head+1 {
		t.Errorf("it goes on at %+v", done)
	}
	to.envelopes(t, ref)
	to.absent(t, named("other"))
	err := to.Restore(t.Context(), store.Restore{Stream: early, Runs: from.walked(t, early, 0, nil)})
	refused(t, err, &store.OutOfPlaceError{Ref: ref, First: 1, Head: late.Head + 1})
}
