package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Heads come in the order that was asked for, all at one moment, with nothing
// for a name that has no stream in the space.
func testHeads(t *testing.T, open Open) {
	s := start(t, open)
	a := s.write(t, named("a"), batch(1, "1", "2"))
	b := s.write(t, named("b"), batch(1, "1"))
	s.write(t, store.Ref{Space: "other", Name: "c"}, batch(1, "1"))
	one, two := store.State{Stream: a.Stream, Head: 2}, store.State{Stream: b.Stream, Head: 1}
	for _, c := range []struct {
		names []string
		want  []store.State
	}{
		{nil, nil},
		{[]string{"a"}, []store.State{one}},
		{[]string{"b", "none", "a", "c", "a"}, []store.State{two, {}, one, {}, one}},
	} {
		got, err := s.Heads(t.Context(), "default", c.names)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the heads", c.want, got)
	}
	got, err := s.Heads(t.Context(), "no such space", []string{"a"})
	if err != nil || len(got) != 1 || got[0].Exists() {
		t.Errorf("the heads of a space that is not there: %v, %v", got, err)
	}

	// Batches go to a before b: no moment has b further than a.
	const rounds = 200
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range rounds {
			for _, name := range []string{"a", "b"} {
				if _, err := s.Append(t.Context(), store.Append{Ref: named(name), Batch: batch(1, "x")}); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		heads, err := s.Heads(t.Context(), "default", []string{"b", "a"})
		if err != nil {
			t.Fatal(err)
		}
		if b, a := heads[0].Head-1, heads[1].Head-2; b > a || a > b+1 {
			t.Fatalf("a has moved %d times and b %d times at one moment", a, b)
		}
	}
}

// Streams are listed by space and name, in pages.
func testStreams(t *testing.T, open Open) {
	s := start(t, open)
	var refs []store.Ref
	for _, space := range []string{"b", "a", "a.b", "c"} {
		for _, name := range []string{"z", "0", "a-b", "a", "a.b", "a_b", "ab"} {
			refs = append(refs, store.Ref{Space: space, Name: name})
		}
	}
	for _, ref := range refs {
		s.write(t, ref, batch(1, "x"))
	}
	slices.SortFunc(refs, compareRefs)
	for _, limit := range []int{1, 2, 7, len(refs), len(refs) + 1} {
		var got []store.Ref
		for after := (store.Ref{}); ; {
			list, err := s.Streams(t.Context(), after, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) > limit {
				t.Fatalf("%d streams, where at most %d were asked for", len(list), limit)
			}
			if len(list) == 0 {
				break
			}
			for _, stream := range list {
				got = append(got, stream.Ref)
			}
			after = got[len(got)-1]
		}
		equal(t, "the streams", refs, got)
	}
	// A place to go on from need not be a stream's.
	list, err := s.Streams(t.Context(), store.Ref{Space: "a.b", Name: "a/"}, 1)
	if err != nil || len(list) != 1 || list[0].Ref != (store.Ref{Space: "a.b", Name: "a_b"}) {
		t.Errorf("the stream after a place between two: %+v, %v", list, err)
	}
	list, err = s.Streams(t.Context(), store.Ref{Space: "aa"}, 1)
	if err != nil || len(list) != 1 || list[0].Ref != (store.Ref{Space: "b", Name: "0"}) {
		t.Errorf("the stream after a space that is not there: %+v, %v", list, err)
	}
}

func compareRefs(a, b store.Ref) int {
	if c := strings.Compare(a.Space, b.Space); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// A stream is told as it is, also by a store that was opened anew.
func testStream(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	before := time.Now().Truncate(time.Millisecond)
	w := s.write(t, ref, batch(3, "a", "bcd"))
	s.write(t, ref, batch(4, "ef", ""))
	chain := protocol.NewChain(0, protocol.Genesis(w.Stream))
	chain.Next(3, []byte("a"))
	chain.Next(3, []byte("bcd"))
	chain.Next(4, []byte("ef"))
	want := store.Stream{Ref: ref, Identity: w.Stream, Epoch: 4, Head: 4, Link: chain.Next(4, nil), Bytes: 6}
	for range 2 {
		got, err := s.Stream(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.Streams(t.Context(), store.Ref{}, 2)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the list", []store.Stream{got}, list)
		if got.CreatedAt.Before(before) || got.WrittenAt.Before(got.CreatedAt) || got.WrittenAt.After(time.Now()) {
			t.Errorf("created at %s and written at %s, since %s", got.CreatedAt, got.WrittenAt, before)
		}
		got.CreatedAt, got.WrittenAt = time.Time{}, time.Time{}
		equal(t, "the stream", want, got)
		s.reopen(t)
	}
}

// Back goes from the newest entry to the oldest, over the bounds of batches.
func testBack(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	_, entries := patched(t, s, ref)
	head := uint64(len(entries))
	back := func(before uint64, limit int) []protocol.Entry {
		records, err := s.Back(t.Context(), ref, before, limit)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]protocol.Entry, len(records))
		for i, r := range records {
			list[i] = r.Entry
		}
		slices.Reverse(list)
		return list
	}
	for _, limit := range []int{0, 1, 2, 3, 7, len(entries), len(entries) + 1} {
		equal(t, "back from the head", entries[max(0, len(entries)-limit):], back(0, limit))
		for before := uint64(1); before <= head+2; before++ {
			end := min(before-1, head)
			equal(t, fmt.Sprint("back from ", before), entries[max(0, int(end)-limit):end], back(before, limit))
		}
	}
	_, err := s.Back(t.Context(), named("none"), 0, 1)
	refused(t, err, &store.NotFoundError{Ref: named("none")})
}

// However many large entries are asked for, Back takes no more memory than a page
// does, and goes on where it stopped.
func testBackBytes(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	large := string(make([]byte, protocol.MaxPageData/2+1))
	for _, entry := range []string{large, large, large, large, "small", string(make([]byte, protocol.MaxEntry))} {
		s.write(t, ref, batch(1, entry))
	}
	before := uint64(0)
	for _, want := range [][]uint64{{6}, {5, 4, 3}, {2, 1}, nil} {
		records, err := s.Back(t.Context(), ref, before, 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, r := range records {
			got = append(got, r.Seq)
		}
		equal(t, fmt.Sprint("back from ", before), want, got)
		if len(got) > 0 {
			before = got[len(got)-1]
		}
	}
}

// A record is an entry with the time of its writing and who wrote it.
func testRecord(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	writers := []string{"", "phone", "phone", "desk", "", "desk"}
	before := time.Now().Truncate(time.Millisecond)
	for i, writer := range writers {
		b := batch(1, fmt.Sprint(i), "more")
		if _, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b, Writer: writer}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range s.readAll(t, ref, everything) {
		r, err := s.Record(t.Context(), ref, e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the entry", e, r.Entry)
		equal(t, "who wrote it", writers[(e.Seq-1)/2], r.Writer)
		if r.WrittenAt.Before(before) || r.WrittenAt.After(time.Now()) {
			t.Errorf("written at %s, since %s", r.WrittenAt, before)
		}
	}
	for _, seq := range []uint64{0, 13, 1 << 63} {
		_, err := s.Record(t.Context(), ref, seq)
		refused(t, err, &store.NotFoundError{Ref: ref, Seq: seq})
	}
	_, err := s.Record(t.Context(), named("none"), 1)
	refused(t, err, &store.NotFoundError{Ref: named("none")})
}

// Totals count what there is, also after streams were written to that an
// earlier run has left, and not what was refused.
func testTotals(t *testing.T, open Open) {
	s := start(t, open)
	check := func(streams int, entries, bytes uint64) {
		t.Helper()
		got, err := s.Totals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Disk < got.Log || got.Disk == 0 {
			t.Errorf("%d bytes on the disk, %d of them in the log", got.Disk, got.Log)
		}
		got.Disk, got.Log = 0, 0
		equal(t, "the totals", store.Totals{Streams: streams, Entries: entries, Bytes: bytes}, got)
	}
	check(0, 0, 0)
	s.write(t, named("a"), batch(1, "12", "345"))
	s.write(t, named("b"), batch(1, sealed("6")))
	check(2, 3, 8)
	s.write(t, named("b"), batch(1, sealed("6"))) // a repeat
	if _, err := s.try(t, named("a"), batch(0, "behind")); err == nil {
		t.Error("a lower epoch was taken")
	}
	check(2, 3, 8)
	s.reopen(t)
	check(2, 3, 8)
	s.write(t, named("a"), batch(1, "7"))
	check(2, 4, 9)
	s.write(t, named("a"), batch(1, "8"))
	check(2, 5, 10)
}
