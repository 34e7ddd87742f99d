package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"hearth/relay/store"
)

// Restore implements [store.Store].
func (s *Store) Restore(ctx context.Context, r store.Restore) error {
	ctx, cancel := context.WithCancel(ctx)
	op := &restoring{Restore: r, pieces: make(chan piece, 1)}
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(op.pieces)
		op.read(ctx)
	})
	err := s.writer.do(ctx, op)
	cancel()
	reading.Wait()
	return err
}

// restoring is a part of a stream on its way back. Like a large batch it takes
// its turns, and lies behind the head until all of it is there.
type restoring struct {
	store.Restore
	pieces chan piece

	piece *piece     // what is to be written next, until it is on the disk
	wrote bool       // whether the last step has written it
	begun bool       // whether anything is on the disk
	keys  []batchKey // of what is; they are written with the head, for they never go
}

// piece is as many runs as fit a turn.
type piece struct {
	runs []store.Run
	keys []batchKey
	size int
	last bool
	err  error
}

// batchKey tells the repeats of a sealed batch.
type batchKey struct {
	key   int64
	first uint64
}

func (b batchKey) compare(other batchKey) int {
	return cmp.Or(cmp.Compare(b.key, other.key), cmp.Compare(b.first, other.first))
}

// read takes the runs out of what holds them, piece by piece, so that the writer
// does not have to wait for that.
func (r *restoring) read(ctx context.Context) {
	send := func(p piece) bool {
		select {
		case r.pieces <- p:
			return p.err == nil
		case <-ctx.Done():
			return false
		}
	}
	var p piece
	for run, err := range r.Runs {
		if err != nil {
			send(piece{err: err})
			return
		}
		run.Wire = bytes.Clone(run.Wire)
		p.runs, p.size = append(p.runs, run.Run), p.size+len(run.Wire)
		for _, b := range run.Keyed {
			p.keys = append(p.keys, batchKey{keyOf(b.Key()), b.First})
		}
		if p.size >= maxTurn {
			if !send(p) {
				return
			}
			p = piece{}
		}
	}
	p.last = true
	send(p)
}

func (r *restoring) ref() store.Ref { return r.Ref }

func (r *restoring) large() bool { return true }

func (r *restoring) committed() bool {
	if r.wrote {
		r.keys = append(r.keys, r.piece.keys...)
		r.piece, r.wrote, r.begun = nil, false, true
	}
	return r.begun
}

func (r *restoring) step(t *transaction) (finished bool, err error) {
	r.wrote = false
	if t.room <= 0 {
		return false, nil
	}
	s, err := t.stream(r.Ref)
	if err != nil {
		return false, err
	}
	if !r.begun {
		if err := r.fits(s); err != nil {
			return false, err
		}
		if s == nil {
			// Of the lowest epoch, from which it rises.
			s, err = t.begin(store.Stream{Ref: r.Ref, Kind: r.Kind, Identity: r.Identity, CreatedAt: r.CreatedAt})
			if err != nil {
				return false, err
			}
		}
	}
	if r.piece == nil {
		p, ok := <-r.pieces
		if !ok {
			return false, context.Canceled
		}
		r.piece = &p
	}
	if r.piece.err != nil {
		return false, r.piece.err
	}
	return r.piece.last, r.write(t, s)
}

// fits checks that the stream stands where the runs go on.
func (r *restoring) fits(s *stream) error {
	switch {
	case s == nil && r.After == nil:
		return nil
	case s == nil:
		return &store.NotFoundError{Ref: r.Ref}
	case s.kind != r.Kind:
		return &store.WrongKindError{Ref: r.Ref, Kind: s.kind}
	case s.id != r.Identity:
		return &store.ReplacedError{Ref: r.Ref, Now: s.id}
	case r.After == nil:
		return &store.OutOfPlaceError{Ref: r.Ref, First: 1, Head: s.head}
	case s.head != r.After.Seq || s.link != r.After.Link:
		return &store.OutOfPlaceError{Ref: r.Ref, First: r.After.Seq + 1, Head: s.head}
	default:
		return nil
	}
}

// write writes the piece behind the stream's tail, and moves the head there if it
// is the last one.
func (r *restoring) write(t *transaction, s *stream) error {
	r.wrote = true
	if err := t.flush(s); err != nil { // what others wrote in this transaction
		return err
	}
	p := r.piece
	t.room -= p.size
	for _, run := range p.runs {
		if err := t.w.stmts.insertRun(s.key, run); err != nil {
			return err
		}
		s.tail = run.Last()
	}
	if !p.last {
		return nil
	}
	if s.tail != r.Head {
		return fmt.Errorf("the runs of %q lead to %d, not to %d", r.Name, s.tail, r.Head)
	}
	// In the order of the index, which they fill one leaf after the other then.
	keys := slices.Concat(r.keys, p.keys)
	slices.SortFunc(keys, batchKey.compare)
	for _, b := range keys {
		if err := t.w.stmts.insertBatch(s.key, b.key, b.first); err != nil {
			return err
		}
	}
	s.head, s.link, s.tailLink, s.epoch, s.bytes = r.Head, r.Link, r.Link, r.Epoch, r.Bytes
	s.moved, s.writtenAt, s.newest = true, r.WrittenAt, time.Time{}
	return nil
}
