package storetest

import (
	"math"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// A stream exists from its first batch on, with an identity of its own; streams
// of one name in two spaces have nothing to do with each other.
func testCreation(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	s.absent(t, ref)

	first := s.write(t, ref, batch(3, "a", "b"))
	if first.Stream == (protocol.Identity{}) {
		t.Error("the stream has no identity")
	}
	equal(t, "the first batch", store.Written{Stream: first.Stream, Epoch: 3, First: 1, Last: 2}, first)
	second := s.write(t, ref, batch(3, "c"))
	equal(t, "the second batch", store.Written{Stream: first.Stream, Epoch: 3, First: 3, Last: 3}, second)

	elsewhere := store.Ref{Space: "other", Name: ref.Name}
	s.absent(t, elsewhere)
	other := s.write(t, elsewhere, batch(1, "x"))
	if other.Stream == first.Stream {
		t.Error("two streams have one identity")
	}
	equal(t, "the stream", []string{"a", "b", "c"}, texts(s.readAll(t, ref, everything)))
	equal(t, "the other one", []string{"x"}, texts(s.readAll(t, elsewhere, everything)))

	// An entry of no bytes is one too, also alone.
	s.write(t, named("nothing"), batch(1, ""))
	equal(t, "an empty entry", []string{""}, texts(s.readAll(t, named("nothing"), everything)))
}

// A batch that names an identity goes into that stream only, and creates none.
func testIdentity(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	meant := batch(1, "a")
	meant.Stream = &protocol.Identity{1}
	_, err := s.try(t, ref, meant)
	refused(t, err, &store.NotFoundError{Ref: ref})
	s.absent(t, ref)

	id := s.write(t, ref, batch(1, "a")).Stream
	_, err = s.try(t, ref, meant)
	refused(t, err, &store.ReplacedError{Ref: ref, Now: id})
	meant.Stream = &id
	s.write(t, ref, meant)
	equal(t, "the stream", []string{"a", "a"}, texts(s.readAll(t, ref, everything)))
}

// A batch that names its first position lands there or nowhere; with an
// identity and the position 1 it makes a copy of a stream elsewhere.
func testFirst(t *testing.T, open Open) {
	s := start(t, open)
	at := func(first uint64, id *protocol.Identity, entries ...string) protocol.Batch {
		b := batch(1, entries...)
		b.First, b.Stream = &first, id
		return b
	}
	ref := named("notes")
	for _, first := range []uint64{0, 2, math.MaxUint64} {
		_, err := s.try(t, ref, at(first, nil, "a"))
		refused(t, err, &store.OutOfPlaceError{Ref: ref, First: first})
		_, err = s.try(t, ref, at(first, &protocol.Identity{1}, "a"))
		refused(t, err, &store.NotFoundError{Ref: ref})
	}
	s.absent(t, ref)

	s.write(t, ref, at(1, nil, "a", "b"))
	s.write(t, ref, at(3, nil, "c"))
	for _, first := range []uint64{0, 1, 3, 5, math.MaxUint64} {
		_, err := s.try(t, ref, at(first, nil, "d"))
		refused(t, err, &store.OutOfPlaceError{Ref: ref, First: first, Head: 3})
	}
	equal(t, "the stream", []string{"a", "b", "c"}, texts(s.readAll(t, ref, everything)))

	copied := named("copy")
	id := protocol.Identity{1, 2, 3}
	w := s.write(t, copied, at(1, &id, "a"))
	equal(t, "the copy", store.Written{Stream: id, Epoch: 1, First: 1, Last: 1}, w)
	s.write(t, copied, at(2, &id, "b"))
	// An identity is free to be in another place as well.
	s.write(t, named("second copy"), at(1, &id, "a"))
	equal(t, "the copy", []string{"a", "b"}, texts(s.readAll(t, copied, everything)))
}

// An epoch only goes up; entries keep the one they were written in.
func testEpoch(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	want := []uint32{0, 0, 7, 7, math.MaxUint32}
	for i, epoch := range want {
		w := s.write(t, ref, batch(epoch, "x"))
		equal(t, "the epoch after the write", epoch, w.Epoch)
		if i == 2 {
			s.reopen(t)
		}
		for _, behind := range []uint32{0, 6, math.MaxUint32 - 1} {
			if behind >= epoch {
				continue
			}
			_, err := s.try(t, ref, batch(behind, "never"))
			refused(t, err, &store.EpochBehindError{Ref: ref, Batch: behind, Epoch: epoch})
		}
		equal(t, "the epoch of the page", epoch, s.page(t, store.Read{Ref: ref, Entries: 1, Bytes: 1}).Epoch)
	}
	for i, e := range s.readAll(t, ref, 2) {
		equal(t, "the entry's epoch", want[i], e.Epoch)
	}
}

// Links are those of the contract over all of a stream, whatever it is made of.
func testChain(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	var want []string
	for i, size := range []int{0, 1, 23, 24, 255, 256, 4096, 65_535, 65_536, 300_000, 0, 5} {
		entry := string(make([]byte, size))
		b := batch(uint32(i/4), entry, "between", entry)
		want = append(want, entry, "between", entry)
		s.write(t, ref, b)
	}
	for _, entries := range []int{1, 2, 3, 7, everything} {
		equal(t, "the entries", want, texts(s.readAll(t, ref, entries)))
	}
	for i, e := range s.readAll(t, ref, everything) {
		equal(t, "the end of a batch", i%3 == 2, e.EndsBatch)
	}
}
