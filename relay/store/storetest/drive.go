package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// driver does the same things to a store and to the model.
type driver struct {
	*subject
	model  model
	ctx    context.Context
	spaces []string      // its own ones, in their order and behind those of all others
	moves  []store.Moved // what should have been published

	// What earlier histories have left.
	heardBefore  int
	totalsBefore store.Totals
}

// A store is like the model, whatever it is asked and however often it is
// opened anew, or killed.
func testModel(t *testing.T, open Open) {
	// One store for several histories, since making one takes longer than most of
	// them; each has spaces of its own.
	const together = 5
	s := start(t, open)
	histories := 0
	rapid.Check(t, func(rt *rapid.T) {
		if histories++; histories%together == 0 {
			s.close(t)
			s.folder = t.TempDir()
			s.Store = s.open(t, s.folder, s.hear)
		}
		d := &driver{subject: s, model: newModel(), ctx: t.Context(), heardBefore: len(s.heard())}
		for _, space := range []string{"a", "b"} {
			d.spaces = append(d.spaces, fmt.Sprintf("%08d.%s", histories, space))
		}
		d.totalsBefore = d.totals(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"append":  d.append,
			"batch":   d.append, // more often than the others
			"publish": d.publish,
			"find":    d.find,
			"recall":  d.recall,
			"page":    d.page,
			"look":    d.look,
			"record":  d.record,
			"runs":    d.runs,
			"epochs":  d.epochs,
			"reopen": func(rt *rapid.T) {
				if rapid.IntRange(0, 11).Draw(rt, "really") > 0 {
					rt.Skip("less often than the others: it takes longest")
				}
				s.reopen(t)
			},
			"crash": func(rt *rapid.T) {
				if rapid.IntRange(0, 23).Draw(rt, "really") > 0 {
					rt.Skip("it takes longer still")
				}
				d.crash(t, rt)
			},
		})
		d.compare(rt)
	})
}

// refs are the three streams.
func (d *driver) refs() []store.Ref {
	return []store.Ref{
		{Space: d.spaces[0], Name: "a"},
		{Space: d.spaces[0], Name: "b"},
		{Space: d.spaces[1], Name: "a"},
	}
}

// ref draws one of them.
func (d *driver) ref(rt *rapid.T) store.Ref { return rapid.SampledFrom(d.refs()).Draw(rt, "stream") }

func (d *driver) totals(rt *rapid.T) store.Totals {
	totals, err := d.Totals(d.ctx)
	if err != nil {
		rt.Fatal(err)
	}
	return totals
}

// contents are few, so that the same ones come again, and of sizes that a store
// may keep in different ways.
var contents = []string{
	"", "a", "bc", sealed(""), sealed("x"), lock("y"), "S",
	"d", lock(""), sealed(strings.Repeat("z", 40_000)), strings.Repeat("z", 140_000), sealed(strings.Repeat("z", 300_000)),
}

// entries draws the entries of a batch, by their numbers, so that a history
// that fails can be read.
func entries(rt *rapid.T) []string {
	var list []string
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(contents)-1), 1, 5).Draw(rt, "entries") {
		list = append(list, contents[i])
	}
	return list
}

func (d *driver) append(rt *rapid.T) {
	a := store.Append{Ref: d.ref(rt), Writer: rapid.SampledFrom([]string{"", "phone", "desk"}).Draw(rt, "writer")}
	s := d.model.streams[a.Ref]
	if s != nil && len(s.batches) > 0 && rapid.Bool().Draw(rt, "again") {
		a.Batch = s.batches[rapid.IntRange(0, len(s.batches)-1).Draw(rt, "batch")].Batch
		a.Batch.Stream, a.Batch.First = nil, nil
	} else {
		a.Batch = batch(rapid.Uint32Range(0, 3).Draw(rt, "epoch"), entries(rt)...)
	}
	var head uint64
	var id protocol.Identity
	if s != nil {
		head, id = s.head(), s.id
	}
	switch rapid.IntRange(0, 5).Draw(rt, "identity") {
	case 0:
		a.Batch.Stream = &protocol.Identity{9}
	case 1, 2:
		a.Batch.Stream = &id
	}
	switch rapid.IntRange(0, 5).Draw(rt, "first") {
	case 0:
		a.Batch.First = new(rapid.Uint64().Draw(rt, "position"))
	case 1, 2:
		a.Batch.First = new(head + 1)
	}

	got, err := d.Append(d.ctx, a)
	want, refusal := d.model.append(a, got.Stream)
	same(rt, refusal, err)
	if got != want {
		rt.Fatalf("the batch is at %+v, should be at %+v", got, want)
	}
	if refusal == nil && !want.Repeated {
		d.moves = append(d.moves, store.Moved{Ref: a.Ref, State: store.State{Stream: want.Stream, Head: want.Last}, Before: want.First - 1})
	}
	if diff := cmp.Diff(d.moves, d.heard()[d.heardBefore:], comparing); diff != "" {
		rt.Fatalf("what was published (-want +got):\n%s", diff)
	}
}

func (d *driver) page(rt *rapid.T) {
	r := store.Read{
		Ref:     d.ref(rt),
		Entries: rapid.IntRange(1, 12).Draw(rt, "entries"),
		Bytes:   rapid.SampledFrom([]int{1, 2, 40_000, 140_001, 500_000, everything}).Draw(rt, "bytes"),
	}
	if s := d.model.streams[r.Ref]; s != nil && rapid.Bool().Draw(rt, "after") {
		seq := rapid.Uint64Range(0, s.head()).Draw(rt, "position")
		r.After = &protocol.Cursor{Stream: s.id, Seq: seq, Link: s.link(seq)}
		switch rapid.IntRange(0, 9).Draw(rt, "wrong") {
		case 0:
			r.After.Seq++
		case 1:
			r.After.Stream[0]++
		case 2:
			r.After.Link[0]++
		case 3:
			r.After.Seq += 1 << 62
		}
	}
	want, refusal := d.model.page(r)
	p, err := d.Page(d.ctx, r)
	same(rt, refusal, err)
	var got []protocol.Entry
	for e, err := range p.All() {
		if err != nil {
			rt.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got, comparing); diff != "" {
		rt.Fatalf("the page (-want +got):\n%s", diff)
	}
}

// look compares what is told of streams.
func (d *driver) look(rt *rapid.T) {
	for ref, s := range d.model.streams {
		got, err := d.Stream(d.ctx, ref)
		if err != nil {
			rt.Fatal(err)
		}
		want := store.Stream{
			Ref: ref, Kind: s.kind, Identity: s.id, Epoch: s.epoch, Head: s.head(), Link: s.link(s.head()),
			Bytes: s.bytes(), CreatedAt: got.CreatedAt, WrittenAt: got.WrittenAt,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("the stream (-want +got):\n%s", diff)
		}
	}
	list, err := d.Streams(d.ctx, store.Ref{Space: d.spaces[0]}, everything)
	if err != nil || len(list) != len(d.model.streams) || !slices.IsSortedFunc(list, func(a, b store.Stream) int { return compareRefs(a.Ref, b.Ref) }) {
		rt.Fatalf("the streams are listed as %+v, %v", list, err)
	}
	heads, err := d.Heads(d.ctx, d.spaces[0], []string{"b", "a"})
	if err != nil {
		rt.Fatal(err)
	}
	for i, name := range []string{"b", "a"} {
		var want store.State
		if s := d.model.streams[store.Ref{Space: d.spaces[0], Name: name}]; s != nil {
			want = store.State{Stream: s.id, Head: s.head()}
		}
		if heads[i] != want {
			rt.Fatalf("the head of %s is %+v, should be %+v", name, heads[i], want)
		}
	}
	totals := d.totals(rt)
	want := d.totalsBefore
	want.Disk, want.Log = totals.Disk, totals.Log
	for _, s := range d.model.streams {
		want.Streams++
		want.Entries += s.head()
		want.Bytes += s.bytes()
	}
	if totals != want {
		rt.Fatalf("the totals are %+v, should be %+v", totals, want)
	}
}

// record compares single entries and those before a position.
func (d *driver) record(rt *rapid.T) {
	ref := d.ref(rt)
	s := d.model.streams[ref]
	if s == nil {
		_, err := d.Back(d.ctx, ref, 0, 1)
		same(rt, &store.NotFoundError{Ref: ref}, err)
		return
	}
	before := rapid.Uint64Range(0, s.head()+2).Draw(rt, "before")
	limit := rapid.IntRange(0, 12).Draw(rt, "limit")
	end := s.head()
	if before > 0 {
		end = min(end, before-1)
	}
	list, err := d.Back(d.ctx, ref, before, limit)
	if err != nil || len(list) != min(limit, int(end)) {
		rt.Fatalf("%d entries back from %d, %v", len(list), before, err)
	}
	for _, r := range list {
		d.compareRecord(rt, s, end, r)
		one, err := d.Record(d.ctx, ref, end)
		if err != nil {
			rt.Fatal(err)
		}
		d.compareRecord(rt, s, end, one)
		end--
	}
}

func (d *driver) compareRecord(rt *rapid.T, s *modelStream, seq uint64, got store.Record) {
	want := store.Record{Entry: s.entries[seq-1], Writer: s.writers[seq-1], WrittenAt: got.WrittenAt}
	if diff := cmp.Diff(want, got, comparing); diff != "" {
		rt.Fatalf("the record (-want +got):\n%s", diff)
	}
}

// compare looks at everything.
func (d *driver) compare(rt *rapid.T) {
	d.look(rt)
	for ref, s := range d.model.streams {
		p, err := d.Page(d.ctx, store.Read{Ref: ref, Entries: everything, Bytes: everything})
		if err != nil {
			rt.Fatal(err)
		}
		got := make([]protocol.Entry, 0, p.Count)
		for e, err := range p.All() {
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, e)
		}
		if diff := cmp.Diff(s.entries, got, comparing); diff != "" {
			rt.Fatalf("the entries (-want +got):\n%s", diff)
		}
	}
}

// same checks that an error is the refusal that it should be.
func same(rt *rapid.T, want, err error) {
	if want == nil {
		if err != nil {
			rt.Fatalf("got the error %v", err)
		}
		return
	}
	got := reflect.New(reflect.TypeOf(want))
	if !errors.As(err, got.Interface()) || !cmp.Equal(want, got.Elem().Interface(), comparing) {
		rt.Fatalf("got the error %v, want %v", err, want)
	}
}
