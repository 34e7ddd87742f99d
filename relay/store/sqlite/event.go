package sqlite

import (
	"context"
	"errors"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// findEvent looks for the event with an id, whose key is given too.
func (t *transaction) findEvent(s *stream, id string, key int64) (e store.Envelope, found bool, err error) {
	if at, _, ok := store.Located(id); ok && at <= s.head {
		if e, err = t.event(s, at); err != nil || e.ID == id {
			return e, err == nil, err
		}
	}
	candidates, err := t.findBatch(s, key)
	if err != nil {
		return e, false, err
	}
	for _, at := range candidates {
		if e, err = t.event(s, at); err != nil || e.ID == id {
			return e, err == nil, err
		}
	}
	return store.Envelope{}, false, nil
}

// event reads an event of the stream.
func (t *transaction) event(s *stream, seq uint64) (store.Envelope, error) {
	damaged := func(err error) (store.Envelope, error) {
		return store.Envelope{}, t.w.damage.note(&store.DamagedError{Ref: s.Ref, Seq: seq, Reason: err.Error()})
	}
	if s.pending.count > 0 && seq >= s.pending.first {
		if err := t.flush(s); err != nil {
			return store.Envelope{}, err
		}
	}
	// Events that are looked for together mostly lie together.
	r := &t.row
	if t.rowOf != s.key || seq < r.first || seq > r.last() {
		var there bool
		var err error
		if *r, there, err = lastRow(t.w.stmts.runAt, s.key, seq); err != nil {
			return store.Envelope{}, t.w.damage.reading(s.Ref, seq, err)
		}
		if !there || seq > r.last() {
			return damaged(errors.New("its entries are missing"))
		}
		t.rowOf = s.key
	}
	entry, _, err := r.skipTo(r.body, seq)
	if err != nil {
		return damaged(err)
	}
	e, err := store.ReadEnvelope(entry.Data)
	if err != nil {
		return damaged(err)
	}
	return e, nil
}

// stamp returns the time of what is published now, spelled as in envelopes: that
// of the stream's newest event if the clock has gone back.
func (t *transaction) stamp(s *stream) ([]byte, error) {
	if s.newest.IsZero() && s.head > 0 {
		e, err := t.event(s, s.head)
		if err != nil {
			return nil, err
		}
		s.newest = e.TS
	}
	if now := t.now.Truncate(time.Microsecond); now.After(s.newest) {
		s.newest = now
	}
	t.w.ts = store.AppendTime(t.w.ts[:0], s.newest)
	return t.w.ts, nil
}

// Find implements [store.Store].
func (r *Reader) Find(ctx context.Context, ref store.Ref, id string) (record store.Record, err error) {
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ref)
		if err != nil {
			return err
		}
		places, err := r.places(conn, s, id)
		if err != nil {
			return failure("looking for an event of "+ref.Name, err)
		}
		for _, seq := range places {
			list, err := r.back(conn, s, seq, 1)
			if err != nil {
				return err
			}
			e, err := store.ReadEnvelope(list[0].Data)
			if err != nil {
				return r.damage.note(&store.DamagedError{Ref: ref, Seq: seq, Reason: err.Error()})
			}
			if e.ID == id {
				record = list[0]
				return nil
			}
		}
		return &store.NotFoundError{Ref: ref, ID: id}
	})
	return record, err
}

// places lists where the event with an id may be.
func (r *Reader) places(conn *connection, s found, id string) (list []uint64, err error) {
	if s.Kind != store.Events {
		return nil, nil
	}
	if at, _, ok := store.Located(id); ok && at <= s.Head {
		list = append(list, at)
	}
	key := store.IDKey(id)
	stmt := conn.Prep("SELECT first FROM batch WHERE stream = ? AND key = ? AND first <= ? ORDER BY first")
	stmt.BindInt64(1, s.key)
	stmt.BindInt64(2, keyOf(key))
	stmt.BindInt64(3, int64(s.Head))
	for {
		more, err := stmt.Step()
		if err != nil {
			return nil, finish(stmt, err)
		}
		if !more {
			break
		}
		list = append(list, uint64(stmt.ColumnInt64(0)))
	}
	if err := finish(stmt, nil); err != nil || !conn.has(recentVersion) {
		return list, err
	}
	err = eachRecent(conn.Prep(recentRows), func(p place) {
		if p.stream == s.key && p.key == keyOf(key) && p.first <= s.Head {
			list = append(list, p.first)
		}
	})
	return list, err
}

// put adds an entry to the pending ones, which are a row's at the most.
func (t *transaction) put(s *stream, e protocol.Entry, writer string) error {
	if s.pending.count > 0 && (s.pending.writer != writer || len(s.pending.body)+e.Size() > maxRun) {
		if err := t.flush(s); err != nil {
			return err
		}
	}
	s.pending.writer = writer
	s.pending.add(e)
	return nil
}
