package storetest

import (
	"bytes"
	"fmt"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// id draws the id of an event: none, one of a few, one that is spelled like a drawn
// one, or one that the stream has.
func (d *driver) id(rt *rapid.T, ref store.Ref) string {
	ids := []string{"", "", "1", "2", "3", "evt_000000000000_2", "evt_000000000000_5"}
	if s := d.model.streams[ref]; s != nil && s.kind == store.Events {
		e, _ := store.ReadEnvelope(s.entries[rapid.IntRange(0, len(s.entries)-1).Draw(rt, "event")].Data)
		ids = append(ids, e.ID, e.ID)
	}
	return rapid.SampledFrom(ids).Draw(rt, "id")
}

// publication draws what is to be published.
func (d *driver) publication(rt *rapid.T, ref store.Ref) store.Publish {
	count := rapid.IntRange(1, 4).Draw(rt, "events")
	p := publishTo(ref)
	if rapid.Bool().Draw(rt, "command") {
		count = 1
		p.Command = &store.Command{Space: ref.Space, Stream: ref.Name, ID: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "command")}
	}
	for i := range count {
		size := rapid.SampledFrom([]int{0, 1, 100, 40_000, 300_000}).Draw(rt, "size")
		p.Events = append(p.Events, published(fmt.Sprint(i)+string(bytes.Repeat([]byte{'x'}, size)), d.id(rt, ref)))
	}
	if rapid.IntRange(0, 3).Draw(rt, "in a chain") == 0 {
		p.Chain = d.id(rt, ref)
	}
	return p
}

// publish publishes events, and sees that those are there which should be.
func (d *driver) publish(rt *rapid.T) {
	p := d.publication(rt, d.ref(rt))
	got, err := d.Publish(d.ctx, p)
	want, refusal := d.model.publish(p)
	same(rt, refusal, err)
	if refusal != nil {
		return
	}
	if want.Earlier == nil {
		d.adopt(rt, p, got.Stream, want)
		for i, e := range got.Events {
			if p.Events[i].ID == "" {
				want.Events[i].ID = e.ID
			}
		}
		want.Stream = got.Stream
		if p.Command != nil {
			d.model.commands[*p.Command] = got.Events[0].Result()
		}
	}
	if diff := cmp.Diff(want, got, comparing); diff != "" {
		rt.Fatalf("the publication (-want +got):\n%s", diff)
	}
}

// adopt takes the events that were written into the model: what is told of them
// has to be so, but for the time and ids that only the store knows.
func (d *driver) adopt(rt *rapid.T, p store.Publish, id protocol.Identity, want store.Publication) {
	if want.First == 0 {
		return
	}
	before := want.First - 1
	d.moves = append(d.moves, store.Moved{
		Ref: p.Ref, State: store.State{Stream: id, Head: want.Last}, Kind: store.Events, Before: before,
	})
	s := d.model.events(p.Ref, id)
	page, err := d.Page(d.ctx, store.Read{Ref: p.Ref, Behind: before, Entries: everything, Bytes: everything})
	if err != nil || page.Last != want.Last || page.Count != int(want.Last-before) {
		rt.Fatalf("what was written are %d to %d, %v", page.Count, page.Last, err)
	}
	chain := protocol.NewChain(before, s.link(before))
	written := page.All()
	next := before
	for entry, err := range written {
		if err != nil {
			rt.Fatal(err)
		}
		e, err := store.ReadEnvelope(entry.Data)
		if err != nil {
			rt.Fatal(err)
		}
		next++
		i := fresh(want, next)
		begins := p.Chain
		if begins == "" {
			begins = e.ID
		}
		_, known := s.ids[e.ID]
		if p.Events[i].ID != "" && e.ID != p.Events[i].ID || known || e.ID == "" || !bytes.Equal(e.Event, p.Events[i].JSON) ||
			string(e.CorrelationID) != string(store.AppendID(nil, begins)) || e.TS.Before(s.ts) ||
			entry.EndsBatch != (next == want.Last) || entry.Link != chain.Next(0, entry.Data) || entry.Seq != chain.Seq() {
			rt.Fatalf("%+v was written as %.300s", want.Events[i], entry.Data)
		}
		s.ts = e.TS
		s.entries = append(s.entries, entry)
		s.writers = append(s.writers, p.Writer)
		s.ids[e.ID] = entry.Seq
	}
}

// fresh returns which event of a publication was written at a position.
func fresh(p store.Publication, seq uint64) int {
	for i, e := range p.Events {
		if e.Seq == seq && !e.Duplicate {
			return i
		}
	}
	return -1
}

// find looks for events by their ids.
func (d *driver) find(rt *rapid.T) {
	ref := d.ref(rt)
	id := d.id(rt, ref)
	got, err := d.Find(d.ctx, ref, id)
	s := d.model.streams[ref]
	switch {
	case s == nil:
		same(rt, &store.NotFoundError{Ref: ref}, err)
	case s.ids[id] == 0:
		same(rt, &store.NotFoundError{Ref: ref, ID: id}, err)
	default:
		same(rt, nil, err)
		d.compareRecord(rt, s, s.ids[id], got)
	}
}

// recall compares what is remembered of commands.
func (d *driver) recall(rt *rapid.T) {
	ref := d.ref(rt)
	c := store.Command{
		Space: ref.Space, Stream: ref.Name, ID: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "command"),
	}
	want := d.model.commands[c]
	if rapid.IntRange(0, 3).Draw(rt, "settle") == 0 {
		if want == nil {
			want = []byte(`{"rejection":{}}`)
			d.model.commands[c] = want
		}
		first, err := d.Settle(d.ctx, c, []byte(`{"rejection":{}}`))
		if err != nil || !bytes.Equal(first, want) {
			rt.Fatalf("%+v was settled as %s, %v, should be %s", c, first, err, want)
		}
	}
	result, found, err := d.Recall(d.ctx, c)
	if err != nil || found != (want != nil) || !bytes.Equal(result, want) {
		rt.Fatalf("of %+v %s is remembered, %v, should be %s", c, result, err, want)
	}
}
