package sqlite

import (
	"context"
	"fmt"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, a store.Append) (store.Written, error) {
	op := &appending{Append: a, size: wireSize(a.Batch)}
	if a.Batch.Entries.Sealed() {
		// Here, so that it is not the writer who has to hash it once more.
		op.key, op.keyed = keyOf(a.Batch.Key()), true
	}
	if err := s.writer.do(ctx, op); err != nil {
		return store.Written{}, err
	}
	return op.written, nil
}

// wireSize is about how many bytes a batch takes in the encoding of the wire.
func wireSize(b protocol.Batch) int {
	// The heads of an entry with large numbers, and its link.
	const overhead = 1 + 10 + 6 + 35 + 6
	return b.Entries.Bytes() + overhead*b.Entries.Len()
}

// appending is a batch on its way into a stream.
type appending struct {
	store.Append
	size    int
	key     int64 // the first bytes of the batch's key
	keyed   bool  // whether there is one: whether its repeats can be told
	written store.Written

	// How far it has come, and how far it will have when the transaction is
	// committed: a batch that is too large for one goes on in the next.
	now, then progress
}

type progress struct {
	search search // for the batch it may be a repeat of
	begun  bool   // whether it is being written
	rest   protocol.Entries
	first  uint64
}

// verdict is what is to become of a batch that is not refused.
type verdict uint8

const (
	fresh    verdict = iota // it is written
	repeated                // it is there already
	unclear                 // that takes more than this transaction has room for
)

func (a *appending) ref() store.Ref { return a.Ref }

// large says whether the batch shares the room of a transaction with others.
func (a *appending) large() bool { return a.size > small }

func (a *appending) committed() bool {
	a.now = a.then
	return a.now.begun
}

func (a *appending) step(t *transaction) (finished bool, err error) {
	large := a.large()
	if large && t.room <= 0 {
		a.then = a.now
		return false, nil
	}
	s, err := t.stream(a.Ref)
	if err != nil {
		return false, err
	}
	a.then = a.now
	if !a.now.begun {
		var v verdict
		if s, v, err = a.begin(t, s); err != nil || v != fresh {
			return v == repeated, err
		}
		a.then = progress{begun: true, rest: a.Batch.Entries, first: s.tail + 1}
	}
	if large {
		// Its rows stay its own, so that all of them lie behind the head until
		// it is whole.
		if err := t.flush(s); err != nil {
			return false, err
		}
	}
	if err := a.write(t, s, large); err != nil || a.then.rest.Len() > 0 {
		return false, err
	}
	s.head, s.link, s.epoch, s.moved = s.tail, s.tailLink, a.Batch.Epoch, true
	s.bytes += uint64(a.Batch.Entries.Bytes())
	a.written = store.Written{Stream: s.id, Epoch: s.epoch, First: a.then.first, Last: s.head}
	if a.keyed {
		return true, t.addBatch(s, a.key, a.then.first)
	}
	return true, nil
}

// begin decides whether the batch may be written, and makes its stream if it is
// the first.
func (a *appending) begin(t *transaction, s *stream) (_ *stream, v verdict, err error) {
	b := a.Batch
	if s == nil {
		if b.Stream != nil && (b.First == nil || *b.First != 1) {
			return nil, fresh, &store.NotFoundError{Ref: a.Ref}
		}
		if b.First != nil && *b.First != 1 {
			return nil, fresh, &store.OutOfPlaceError{Ref: a.Ref, First: *b.First}
		}
		s, err = t.create(a.Ref, store.Entries, b.Stream, b.Epoch)
		return s, fresh, err
	}
	switch {
	case s.kind != store.Entries:
		return nil, fresh, &store.WrongKindError{Ref: a.Ref, Kind: s.kind}
	case b.Stream != nil && *b.Stream != s.id:
		return nil, fresh, &store.ReplacedError{Ref: a.Ref, Now: s.id}
	}
	if a.keyed {
		if v, err = a.seek(t, s); err != nil || v != fresh {
			return nil, v, err
		}
	}
	switch {
	case b.First != nil && *b.First != s.head+1:
		return nil, fresh, &store.OutOfPlaceError{Ref: a.Ref, First: *b.First, Head: s.head}
	case b.Epoch < s.epoch:
		return nil, fresh, &store.EpochBehindError{Ref: a.Ref, Batch: b.Epoch, Epoch: s.epoch}
	case uint64(b.Entries.Len()) > maxPosition-s.head:
		return nil, fresh, &store.FullError{Err: fmt.Errorf("a stream holds at most %d entries", uint64(maxPosition))}
	}
	return s, fresh, nil
}

// write adds as many entries to the stream's tail as the transaction has room
// for, which for a batch that is not large is all of them.
func (a *appending) write(t *transaction, s *stream, large bool) error {
	chain := t.w.chain
	chain.Move(s.tail, s.tailLink)
	rest := a.then.rest
	for rest.Len() > 0 && (!large || t.room > 0) {
		var data []byte
		data, rest = rest.Next()
		e := protocol.Entry{Epoch: a.Batch.Epoch, Data: data, EndsBatch: rest.Len() == 0}
		e.Link = chain.Next(e.Epoch, data)
		e.Seq = chain.Seq()
		if err := t.put(s, e, a.Writer); err != nil {
			return err
		}
		if large {
			t.room -= e.Size()
		}
	}
	a.then.rest = rest
	s.tail, s.tailLink = chain.Seq(), chain.Link()
	if large {
		return t.flush(s)
	}
	return nil
}
