package sqlite

import (
	"context"
	"crypto/rand"
	"fmt"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Publish implements [store.Store].
func (s *Store) Publish(ctx context.Context, p store.Publish) (store.Publication, error) {
	op, err := newPublishing(p)
	if err != nil {
		return store.Publication{}, err
	}
	if err := s.writer.do(ctx, op); err != nil {
		return store.Publication{}, err
	}
	return op.publication(), nil
}

// publishing is events on their way into a stream.
type publishing struct {
	store.Publish
	size    int
	whole   bool // whether it is done in one step however large it is
	events  []outgoing
	given   int      // how many of them have an id that was given
	command [16]byte // the key of the command, if it is one

	stream  protocol.Identity
	earlier []byte // the result of the command, if there was one

	// How far it has come, and how far it will have when the transaction is
	// committed: a large one goes on in the next.
	now, then published
}

// outgoing is an event of a publication.
type outgoing struct {
	id     []byte // a JSON string; nil if it is to be drawn
	key    int64  // by which the index has it
	twin   int    // the first event of the publication with this id; itself, mostly
	origin []byte
	chain  []byte // the id of the chain, a JSON string; nil if the event begins its own

	// Where it is, once that is known.
	seq       uint64
	duplicate bool
}

// published is how far a publication has come: first each given id is looked for,
// so that it is known what is to be written, then that is.
type published struct {
	begun  bool // it is neither refused nor an earlier command
	looked int  // the events whose ids were looked for
	wrote  bool // whether writing has begun
	next   int  // the event to be written next
	fresh  int  // those that are to be written yet
	bytes  int  // of those that were
	first  uint64
	mark   store.Mark
}

// lookUp is how many bytes of a turn it takes to look for an id: as many as could
// be written in the same time.
const lookUp = 400

func (p *publishing) ref() store.Ref { return p.Ref }

// large says whether the publication shares the room of a transaction with others.
func (p *publishing) large() bool { return p.size > small && !p.whole }

func (p *publishing) committed() bool {
	p.now = p.then
	return p.now.wrote
}

func (p *publishing) step(t *transaction) (finished bool, err error) {
	p.then = p.now
	large := p.large()
	if large && t.room <= 0 {
		return false, nil
	}
	if p.Command != nil && !p.now.begun {
		if p.earlier, err = t.recall(p.command); err != nil || p.earlier != nil {
			return true, err
		}
	}
	s, err := t.stream(p.Ref)
	if err != nil {
		return false, err
	}
	if !p.now.begun {
		if err := p.begin(t, s); err != nil {
			return false, err
		}
	}
	if !p.then.wrote {
		if known, err := p.look(t, s); err != nil || !known {
			return false, err
		}
		if p.then.fresh == 0 {
			p.stream = s.id
			return true, p.settle(t)
		}
		if s, err = p.start(t, s); err != nil {
			return false, err
		}
	}
	if err := p.write(t, s); err != nil || p.then.fresh > 0 {
		return false, err
	}
	s.head, s.link, s.moved = s.tail, s.tailLink, true
	s.bytes += uint64(p.then.bytes)
	p.stream = s.id
	if err := p.index(t, s); err != nil {
		return false, err
	}
	return true, p.settle(t)
}

// begin decides whether the events may be published.
func (p *publishing) begin(t *transaction, s *stream) error {
	if s != nil && s.kind != store.Events {
		return &store.WrongKindError{Ref: p.Ref, Kind: s.kind}
	}
	if p.Chain != "" {
		if err := p.continues(t, s); err != nil {
			return err
		}
	}
	p.then.begun = true
	p.then.fresh = len(p.events)
	return nil
}

// continues checks that the chain is there, and named by its first event.
func (p *publishing) continues(t *transaction, s *stream) error {
	if s == nil {
		return &store.UnknownChainError{Ref: p.Ref, ID: p.Chain}
	}
	key := store.IDKey(p.Chain)
	first, found, err := t.findEvent(s, p.Chain, keyOf(key))
	if err != nil {
		return err
	}
	if !found {
		return &store.UnknownChainError{Ref: p.Ref, ID: p.Chain}
	}
	chain, err := store.Text(first.CorrelationID)
	if err != nil {
		return t.w.damage.note(&store.DamagedError{Ref: p.Ref, Seq: first.Seq, Reason: err.Error()})
	}
	if chain != p.Chain {
		return &store.NotFirstError{Ref: p.Ref, ID: p.Chain, Chain: chain}
	}
	return nil
}

// look looks for the ids that were given, and says whether it has come to an end.
func (p *publishing) look(t *transaction, s *stream) (bool, error) {
	if p.given == 0 {
		p.then.looked = len(p.events)
	}
	for ; p.then.looked < len(p.events); p.then.looked++ {
		i := p.then.looked
		e := &p.events[i]
		e.duplicate = false
		switch {
		case e.id == nil:
		case e.twin != i:
			e.duplicate = true
			p.then.fresh--
		case s != nil:
			if p.large() {
				if t.room <= 0 {
					return false, nil
				}
				t.room -= lookUp
			}
			there, found, err := t.findEvent(s, p.Events[i].ID, e.key)
			if err != nil {
				return false, err
			}
			e.seq, e.duplicate = there.Seq, found
			if found {
				p.then.fresh--
			}
		}
	}
	return true, nil
}

// start begins to write, and makes the stream if it is the first.
func (p *publishing) start(t *transaction, s *stream) (_ *stream, err error) {
	for i, e := range p.events {
		if e.id == nil || e.duplicate {
			continue
		}
		if _, mark, ok := store.Located(p.Events[i].ID); ok && mark == t.w.mark {
			t.w.mark = drawMark() // lest an id that is drawn later is this one
		}
	}
	if s == nil {
		if s, err = t.create(p.Ref, store.Events, nil, 0); err != nil {
			return nil, err
		}
	}
	if uint64(p.then.fresh) > maxPosition-s.tail {
		return nil, &store.FullError{Err: fmt.Errorf("a stream holds at most %d entries", uint64(maxPosition))}
	}
	p.then.wrote, p.then.first, p.then.mark = true, s.tail+1, t.w.mark
	return s, nil
}

func drawMark() (m store.Mark) {
	rand.Read(m[:]) // never fails
	return m
}

// write adds as many events to the stream's tail as the transaction has room for,
// which for a publication that is not large is all of them.
func (p *publishing) write(t *transaction, s *stream) error {
	large := p.large()
	if large {
		// Its rows stay its own, so that all of them lie behind the head until
		// it is whole.
		if err := t.flush(s); err != nil {
			return err
		}
	}
	ts, err := t.stamp(s)
	if err != nil {
		return err
	}
	chain, w := t.w.chain, t.w
	chain.Move(s.tail, s.tailLink)
	for ; p.then.fresh > 0 && (!large || t.room > 0); p.then.next++ {
		e := &p.events[p.then.next]
		if e.duplicate {
			continue
		}
		e.seq = chain.Seq() + 1
		id := e.id
		if id == nil {
			w.id = append(p.then.mark.AppendID(append(w.id[:0], '"'), e.seq), '"')
			id = w.id
		}
		begins := id
		if e.chain != nil {
			begins = e.chain
		}
		w.envelope = store.AppendEnvelope(w.envelope[:0], e.seq, id, ts, e.origin, begins, p.Events[p.then.next].JSON)
		p.then.fresh--
		entry := protocol.Entry{Seq: e.seq, Data: w.envelope, EndsBatch: p.then.fresh == 0}
		entry.Link = chain.Next(0, w.envelope)
		if err := t.put(s, entry, p.Writer); err != nil {
			return err
		}
		p.then.bytes += len(w.envelope)
		if large {
			t.room -= entry.Size()
		}
	}
	s.tail, s.tailLink = chain.Seq(), chain.Link()
	if cap(w.envelope) > maxKept {
		w.envelope = nil
	}
	if large {
		return t.flush(s)
	}
	return nil
}

// index puts the events into the index of the stream that it needs for being found.
func (p *publishing) index(t *transaction, s *stream) error {
	if p.given == 0 {
		return nil
	}
	for i, e := range p.events {
		if e.id != nil && !e.duplicate && !store.LocatesItself(p.Events[i].ID, e.seq) {
			if err := t.addBatch(s, e.key, e.seq); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle remembers the result, if this is a command.
func (p *publishing) settle(t *transaction) error {
	if p.Command == nil {
		return nil
	}
	return t.remember(p.command, p.place(0, p.then.mark).Result())
}
