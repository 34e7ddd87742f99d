package sqlite

import (
	"bytes"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// addBatch remembers where a batch is, so that a repeat of it is told.
func (t *transaction) addBatch(s *stream, key int64, first uint64) error {
	stmt := t.w.stmts.addBatch
	stmt.BindInt64(1, s.key)
	stmt.BindInt64(2, key)
	stmt.BindInt64(3, int64(first))
	return run(stmt)
}

// findBatch looks whether the stream holds a batch already, in the same epoch
// and byte for byte.
func (t *transaction) findBatch(s *stream, key int64, b protocol.Batch) (first uint64, found bool, err error) {
	stmt := t.w.stmts.findBatch
	stmt.BindInt64(1, s.key)
	stmt.BindInt64(2, key)
	var candidates []uint64
	for {
		more, err := stmt.Step()
		if err != nil {
			return 0, false, finish(stmt, err)
		}
		if !more {
			break
		}
		candidates = append(candidates, uint64(stmt.ColumnInt64(0)))
	}
	if err := finish(stmt, nil); err != nil || len(candidates) == 0 {
		return 0, false, err
	}
	// The first one may be in this very transaction.
	if err := t.flush(s); err != nil {
		return 0, false, err
	}
	for _, first := range candidates {
		same, err := t.holds(s, first, b)
		if err != nil || same {
			return first, same, err
		}
	}
	return 0, false, nil
}

// holds compares the entries from a position on with a batch.
func (t *transaction) holds(s *stream, first uint64, b protocol.Batch) (bool, error) {
	rest := b.Entries
	for at := first; rest.Len() > 0; {
		r, found, err := lastRow(t.w.stmts.runAt, s.key, at)
		if err != nil {
			return false, t.w.damage.reading(s.Ref, at, err)
		}
		if !found || r.last() < at {
			return false, nil
		}
		body := r.body
		for seq := r.first; seq <= r.last() && rest.Len() > 0; seq++ {
			e, after, err := protocol.DecodeEntry(body)
			if err != nil {
				return false, t.w.damage.note(&store.DamagedError{Ref: s.Ref, Seq: seq, Reason: err.Error()})
			}
			body = after
			if seq < at {
				continue
			}
			var data []byte
			data, rest = rest.Next()
			if e.Epoch != b.Epoch || e.EndsBatch != (rest.Len() == 0) || !bytes.Equal(e.Data, data) {
				return false, nil
			}
		}
		at = r.last() + 1
	}
	return true, nil
}
