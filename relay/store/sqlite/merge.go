package sqlite

import (
	"slices"
	"time"

	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// maxRecent is how many batches are kept out of the index before they are merged
	// into it: so many that in an index of a million several go to each page. They
	// take 3 MB of memory, and 15 ms to be read by whoever needs them first.
	maxRecent = 32 << 10

	// tooManyRecent is how many there may be if they cannot be merged, or not as
	// fast as they come. Further ones go straight into the index.
	tooManyRecent = 4 * maxRecent

	// mergeTime is for how long batches are merged at once, while nobody is served.
	// After a commit that took longer it is as long as that, so that merging keeps
	// up with what comes.
	mergeTime = 5 * time.Millisecond

	// mergeAtOnce is how many rows are merged between two looks at the clock.
	mergeAtOnce = 64
)

// merge brings recent batches into the index: first it adds all of them in the order
// of the index, then it deletes their rows.
type merge struct {
	batches []place // those that are to be added; nil if no merge is under way
	added   int     // how many of them were
	row     int64   // the id of the last row that is to be deleted
	ended   bool    // whether it was

	room int // how many recent batches there may be before they are merged
}

// mergeRecent goes on with the merge that is under way, or begins one if there are
// many recent batches; took is how long the commit before took. What fails is tried
// again when there are as many more: until then repeats are told all the same.
func (w *writer) mergeRecent(took time.Duration) {
	m, r := &w.merge, &w.recent
	if m.batches == nil && len(r.list) < max(m.room, maxRecent) {
		return
	}
	then, err := w.mergeUntil(time.Now().Add(max(took, mergeTime)))
	if err != nil {
		w.logger.Warn("the index of batches could not be brought up to date", "error", err)
		*m = merge{room: len(r.list) + maxRecent}
		return
	}
	if then.added == len(then.batches) && m.added < len(then.batches) {
		r.shift(then.added) // what is in the index is found there
	}
	if then.ended {
		then = merge{}
	}
	*m = then
}

// mergeUntil merges until a time, in one transaction, and returns how far that is.
func (w *writer) mergeUntil(until time.Time) (m merge, err error) {
	end, err := sqlitex.ImmediateTransaction(w.conn)
	if err != nil {
		return m, err
	}
	defer end(&err)
	if m = w.merge; m.batches == nil {
		m.batches = slices.SortedFunc(slices.Values(w.recent.list), place.compare)
		if m.row, err = sqlitex.ResultInt64(w.conn.Prep("SELECT max(id) FROM recent")); err != nil {
			return m, err
		}
	}
	for !m.ended && time.Now().Before(until) {
		left := m.batches[m.added:]
		if len(left) == 0 {
			if m.ended, err = w.stmts.deleteRecent(m.row); err != nil {
				return m, err
			}
			continue
		}
		left = left[:min(len(left), mergeAtOnce)]
		for _, p := range left {
			if err := w.stmts.mergeBatch(p); err != nil {
				return m, err
			}
		}
		m.added += len(left)
	}
	return m, nil
}

// mergeBatch adds a batch to the index, unless it is there: a merge that a crash has
// ended begins anew.
func (s *writerStatements) mergeBatch(p place) error {
	stmt := s.addMerged
	stmt.BindInt64(1, p.stream)
	stmt.BindInt64(2, p.key)
	stmt.BindInt64(3, int64(p.first))
	return run(stmt)
}

// deleteRecent deletes the first rows of recent batches up to one, and says whether
// there are no more.
func (s *writerStatements) deleteRecent(last int64) (ended bool, err error) {
	stmt := s.firstRecent
	stmt.BindInt64(1, last)
	more, err := stmt.Step()
	first := stmt.ColumnInt64(0)
	if err = finish(stmt, err); err != nil || !more {
		return err == nil, err
	}
	stmt = s.dropRecent
	stmt.BindInt64(1, first)
	stmt.BindInt64(2, min(last, first+mergeAtOnce-1))
	return false, run(stmt)
}
