package sqlite

import (
	"context"
	"math"

	"hearth/relay/store"
)

// pruneRunsAtOnce is how many runs go in one transaction: some 20 ms of work.
const pruneRunsAtOnce = 1000

// pruneRuns deletes, of the runs that have been over the longest, those that were before
// a time or are not among the newest ones.
const pruneRuns = `DELETE FROM firing WHERE number IN (
	SELECT number FROM (SELECT number, updated_at FROM firing INDEXED BY firing_over WHERE status > 3 ORDER BY updated_at, number LIMIT ?)
	WHERE updated_at < ? OR number <= (SELECT max(number) FROM firing) - ?)`

// PruneRuns implements [store.Store].
func (s *Store) PruneRuns(ctx context.Context, r store.Retention) (pruned int, err error) {
	op := &pruning{Retention: r}
	if err := s.writer.do(ctx, op); err != nil {
		return 0, err
	}
	return op.pruned, nil
}

// pruning lets go of runs that are over.
type pruning struct {
	store.Retention
	pruned int
}

func (*pruning) ref() store.Ref { return store.Ref{} } // of no stream

func (*pruning) large() bool { return false }

func (p *pruning) step(t *transaction) (finished bool, err error) {
	most := uint64(math.MaxInt64)
	if p.Most > 0 {
		most = min(most, p.Most)
	}
	err = bind(t.prep(pruneRuns)).int(pruneRunsAtOnce).time(p.Since).uint(most).run()
	p.pruned = t.w.conn.Changes()
	return true, err
}

func (*pruning) committed() bool { return true }
