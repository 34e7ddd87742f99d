package sqlite

import (
	"bytes"
	"slices"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// search is how far a batch has been compared with those that a stream holds. One
// that is large takes several transactions for it, during which nothing else is
// written to the stream.
type search struct {
	begun      bool
	candidates []uint64         // the first positions of what it may be a repeat of
	at         uint64           // from where on the first of them is still to be compared
	rest       protocol.Entries // with what
}

// seek looks whether the stream holds the batch already, in the same epoch and
// byte for byte.
func (a *appending) seek(t *transaction, s *stream) (verdict, error) {
	q := &a.then.search
	if !q.begun {
		candidates, err := t.findBatch(s, a.key)
		if err != nil {
			return fresh, err
		}
		*q = search{begun: true, candidates: candidates}
	}
	for ; len(q.candidates) > 0; q.candidates = q.candidates[1:] {
		first := q.candidates[0]
		if q.at < first {
			q.at, q.rest = first, a.Batch.Entries
		}
		v, err := a.compare(t, s, q)
		if err != nil || v == unclear {
			return v, err
		}
		if v == repeated {
			a.written = store.Written{
				Stream: s.id, Epoch: s.epoch,
				First: first, Last: first + uint64(a.Batch.Entries.Len()) - 1, Repeated: true,
			}
			return repeated, nil
		}
		q.at = first
	}
	return fresh, nil
}

// findBatch returns where batches with a key are, the first ones first.
func (t *transaction) findBatch(s *stream, key int64) (candidates []uint64, err error) {
	recent := &t.w.recent
	if err := recent.load(t.w.conn); err != nil {
		return nil, err
	}
	candidates = slices.Clone(recent.firsts[address{s.key, key}])
	stmt := t.w.stmts.findBatch
	stmt.BindInt64(1, s.key)
	stmt.BindInt64(2, key)
	for {
		more, err := stmt.Step()
		if err != nil {
			return nil, finish(stmt, err)
		}
		if !more {
			break
		}
		candidates = append(candidates, uint64(stmt.ColumnInt64(0)))
	}
	if err := finish(stmt, nil); err != nil || len(candidates) == 0 {
		return nil, err
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	// The last one may be in this very transaction.
	return candidates, t.flush(s)
}

// compare compares the batch with the stream's entries, row by row and as far as
// the transaction has room for a large one.
func (a *appending) compare(t *transaction, s *stream, q *search) (verdict, error) {
	for q.rest.Len() > 0 {
		if a.large() && t.room <= 0 {
			return unclear, nil
		}
		r, found, err := lastRow(t.w.stmts.runAt, s.key, q.at)
		if err != nil {
			return fresh, t.w.damage.reading(s.Ref, q.at, err)
		}
		if !found || r.last() < q.at {
			return fresh, nil
		}
		if a.large() {
			t.room -= len(r.body)
		}
		body := r.body
		for seq := r.first; seq <= r.last() && q.rest.Len() > 0; seq++ {
			e, after, err := protocol.DecodeEntry(body)
			if err != nil {
				return fresh, t.w.damage.note(&store.DamagedError{Ref: s.Ref, Seq: seq, Reason: err.Error()})
			}
			body = after
			if seq < q.at {
				continue
			}
			var data []byte
			data, q.rest = q.rest.Next()
			if e.Epoch != a.Batch.Epoch || e.EndsBatch != (q.rest.Len() == 0) || !bytes.Equal(e.Data, data) {
				return fresh, nil
			}
		}
		q.at = r.last() + 1
	}
	return repeated, nil
}
