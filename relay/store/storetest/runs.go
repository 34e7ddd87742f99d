package storetest

import (
	"fmt"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// A stream's runs are the stream: joined they are its entries, and they carry who
// wrote them when. What is written meanwhile is not among them.
func testRuns(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("notes")
	for i := range 9 {
		b := batch(uint32(i), fmt.Sprint(i), "S\x01")
		if i == 5 {
			b = many(40_000)
			b.Epoch = 5
		}
		if _, err := s.Append(t.Context(), store.Append{Ref: ref, Batch: b, Writer: fmt.Sprint(i % 3)}); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := s.Stream(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	want := s.readAll(t, ref, protocol.MaxPageEntries)
	walk := store.NewWalk(ref, stream.Kind, stream.Identity)
	var got []protocol.Entry
	for walk.Seq() < stream.Head {
		runs, err := s.Runs(t.Context(), ref, walk.Seq(), stream.Head)
		if err != nil {
			t.Fatal(err)
		}
		part, err := walk.Take(runs)
		if err == nil {
			err = part.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			record, err := s.Record(t.Context(), ref, r.First)
			if err != nil || record.Writer != r.Writer || !record.WrittenAt.Equal(r.WrittenAt) {
				t.Fatalf("the run %d is of %q, %v; it is told as %q, %v, %v", r.First, r.Writer, r.WrittenAt, record.Writer, record.WrittenAt, err)
			}
			for e, err := range (store.Page{Wire: [][]byte{r.Wire}}).All() {
				if err != nil {
					t.Fatal(err)
				}
				if e.Seq < 12 || e.Seq > 40_000 {
					got = append(got, e)
				}
			}
		}
		s.write(t, ref, batch(9, "meanwhile"))
	}
	if err := walk.End(stream); err != nil {
		t.Error(err)
	}
	equal(t, "the entries", append(want[:11:11], want[40_000:]...), got)
	if runs, err := s.Runs(t.Context(), ref, stream.Head, stream.Head); err != nil || len(runs) != 0 {
		t.Errorf("behind the head: %v, %v", runs, err)
	}
	_, err = s.Runs(t.Context(), named("none"), 0, 1)
	refused(t, err, &store.NotFoundError{Ref: named("none")})
}
