package sqlite

import (
	"errors"
	"fmt"
	"time"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite/sqlitex"
)

// errNotBegun says that it is no operation of the group that hinders the others.
var errNotBegun = errors.New("another program holds the database, or it cannot be written to now")

// transaction is one group of operations on its way to the disk.
type transaction struct {
	w       *writer
	now     time.Time // one time for all of the group
	streams map[store.Ref]*stream
	room    int // bytes of large batches that still fit in

	remembered int // results of commands

	// The row of a stream, with this key, in which an event was looked for last.
	row   row
	rowOf int64
}

// run applies a step of each request and commits them. An error is a failure,
// after which nothing of the group has happened.
func (t *transaction) run(group []*request) (err error) {
	end, err := sqlitex.ImmediateTransaction(t.w.conn)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotBegun, err)
	}
	applied := false
	defer func() {
		if applied && err != nil {
			t.w.void()
		}
	}()
	defer end(&err)
	err = t.apply(group)
	applied = err == nil
	for _, s := range t.streams {
		s.pending.free() // all of it is in rows, or nothing is to be
		s.pending = nil
	}
	return err
}

func (t *transaction) apply(group []*request) error {
	blocked := make(map[store.Ref]bool)
	for _, r := range group {
		r.stepped, r.finished, r.refused = false, false, nil
		if blocked[r.op.ref()] {
			continue
		}
		r.stepped = true
		finished, err := r.op.step(t)
		switch {
		case isRefusal(err):
			r.refused = err
		case err != nil:
			return err
		case finished:
			r.finished = true
		default:
			// It goes on in the next transaction. Others of its stream stand
			// behind it, so that its entries stay together.
			blocked[r.op.ref()] = true
		}
	}
	for _, s := range t.streams {
		if err := t.flush(s); err != nil {
			return err
		}
		if s.moved {
			if err := t.moveHead(s); err != nil {
				return err
			}
		}
	}
	if err := t.prune(); err != nil {
		return err
	}
	return t.index()
}
