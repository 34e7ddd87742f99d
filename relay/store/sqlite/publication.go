package sqlite

import (
	"bytes"
	"errors"
	"fmt"

	"hearth/relay/store"
)

// envelopeExtra is about how many bytes an entry has beside its event, its
// origin and what is given of ids: the rest of the envelope, a drawn id twice,
// and what surrounds that on the wire.
const envelopeExtra = 110 + 2*25 + 50

// newPublishing prepares a publication, so that the writer has the less to do.
func newPublishing(p store.Publish) (*publishing, error) {
	if err := checkPublish(p); err != nil {
		return nil, err
	}
	op := prepare(p)
	var chain []byte
	if p.Chain != "" {
		chain = store.AppendID(nil, p.Chain)
	}
	for i := range op.events {
		op.events[i].origin, op.events[i].chain = p.Origin, chain
	}
	op.size += len(p.Events) * len(p.Origin)
	if p.Command != nil {
		op.command = p.Command.Key()
	}
	return op, nil
}

// newFacts prepares facts as a publication that is done in one step. Each has its own
// origin and chain.
func newFacts(ref store.Ref, facts []store.Fact) (*publishing, error) {
	p := store.Publish{Ref: ref, Events: make([]store.Event, len(facts))}
	for i, f := range facts {
		p.Events[i] = store.Event{ID: f.ID, JSON: f.JSON}
		if err := errors.Join(checkEvent(p.Events[i]), checkOrigin(ref, f.Origin)); err != nil {
			return nil, err
		}
	}
	op := prepare(p)
	op.whole = true
	for i, f := range facts {
		op.size += len(f.Origin)
		op.events[i].origin = f.Origin
		if f.Chain != "" {
			op.events[i].chain = store.AppendID(nil, f.Chain)
		}
	}
	return op, nil
}

// prepare looks over the events of a publication.
func prepare(p store.Publish) *publishing {
	op := &publishing{Publish: p, events: make([]outgoing, len(p.Events))}
	var ids []byte
	var firsts map[string]int // the first event with an id
	for i, e := range p.Events {
		op.size += len(e.JSON) + envelopeExtra
		op.events[i].twin = i
		if e.ID == "" {
			continue
		}
		op.size += 2 * len(e.ID)
		op.given++
		begins := len(ids)
		ids = store.AppendID(ids, e.ID)
		key := store.IDKey(e.ID)
		op.events[i].id, op.events[i].key = ids[begins:len(ids):len(ids)], keyOf(key)
		if len(p.Events) == 1 {
			continue
		}
		if firsts == nil {
			firsts = make(map[string]int, len(p.Events))
		}
		if first, ok := firsts[e.ID]; ok {
			op.events[i].twin = first
		} else {
			firsts[e.ID] = i
		}
	}
	return op
}

// checkPublish refuses what could not be read again if it was written.
func checkPublish(p store.Publish) error {
	if len(p.Events) == 0 {
		return errors.New("nothing to publish")
	}
	if p.Command != nil && len(p.Events) != 1 {
		return fmt.Errorf("a command publishes one event, not %d", len(p.Events))
	}
	if c := p.Command; c != nil && (store.Ref{Space: c.Space, Name: c.Stream}) != p.Ref {
		return fmt.Errorf("a command for %q publishes to %q", c.Stream, p.Name)
	}
	for _, e := range p.Events {
		if err := checkEvent(e); err != nil {
			return err
		}
	}
	// They share an origin; and if one is an envelope with it, the others are too.
	return checkOrigin(p.Ref, p.Origin)
}

func checkEvent(e store.Event) error {
	if e.ID != "" && !store.ValidID(e.ID) {
		return fmt.Errorf("%.80q cannot be the id of an event", e.ID)
	}
	if !bytes.HasPrefix(e.JSON, []byte(`{"type":"`)) || !bytes.HasSuffix(e.JSON, []byte("}")) {
		return fmt.Errorf("an event is an object that begins with its type, not %.80q", e.JSON)
	}
	return nil
}

// checkOrigin refuses an origin that makes no envelope of the stream's.
func checkOrigin(ref store.Ref, origin []byte) error {
	one := store.AppendEnvelope(nil, 1, []byte(`""`), []byte("1970-01-01T00:00:00Z"), origin, []byte(`""`), []byte(`{"type":""}`))
	e, err := store.ReadEnvelope(one)
	if err != nil {
		return err
	}
	if stream, err := store.Text(e.StreamID); err != nil || stream != ref.Name {
		return fmt.Errorf("an event of the stream %.80s is published to %q", e.StreamID, ref.Name)
	}
	return nil
}

// place returns where an event is.
func (p *publishing) place(i int, mark store.Mark) store.Published {
	e := p.events[i]
	if e.twin != i {
		e.seq = p.events[e.twin].seq
	}
	id := p.Events[i].ID
	if id == "" {
		var room [32]byte // enough for any position that there will be
		id = string(mark.AppendID(room[:0], e.seq))
	}
	return store.Published{Seq: e.seq, ID: id, Duplicate: e.duplicate}
}

// publication tells what has become of the events.
func (p *publishing) publication() store.Publication {
	if p.earlier != nil {
		return store.Publication{Earlier: p.earlier}
	}
	return p.outcome(p.now)
}

// outcome tells what has become of the events once it has come so far.
func (p *publishing) outcome(at published) store.Publication {
	done := store.Publication{Stream: p.stream, Events: make([]store.Published, len(p.events))}
	for i := range p.events {
		done.Events[i] = p.place(i, at.mark)
		if e := done.Events[i]; !e.Duplicate {
			done.First, done.Last = at.first, e.Seq
		}
	}
	return done
}
