package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hearth/relay/store"
)

// newest is how many of the streams that were written to last are looked at
// when the store is opened: what a crash may have hurt is among them.
const newest = 16

// start looks over what the database holds: it counts it, checks the ends of the
// streams that were written to last, and has batches cleared away that an
// earlier run of the program began and did not finish.
func (s *Store) start(ctx context.Context) error {
	var last []found // the newest streams, the newest of all first
	var unfinished []store.Ref
	var t store.Totals
	err := s.read(ctx, func(conn *connection) error {
		stmt := conn.Prep(`SELECT ` + streamColumns + `, s.tail FROM space p JOIN stream s ON s.space = p.key`)
		for {
			more, err := stmt.Step()
			if err != nil || !more {
				return finish(stmt, err)
			}
			head := uint64(stmt.ColumnInt64(6))
			if head == 0 || uint64(stmt.ColumnInt64(11)) != head {
				unfinished = append(unfinished, store.Ref{Space: stmt.ColumnText(0), Name: stmt.ColumnText(1)})
			}
			if head == 0 {
				continue
			}
			t.Streams++
			t.Entries += head
			t.Bytes += uint64(stmt.ColumnInt64(8))
			if at := stmt.ColumnInt64(10); len(last) < newest || at > last[len(last)-1].WrittenAt.UnixMilli() {
				last = keepNewest(last, s.scanStream(stmt))
			}
		}
	})
	if err != nil {
		return fmt.Errorf("looking over the streams: %w", err)
	}
	s.totals.set(t)
	if err := s.checkEnds(ctx, last); err != nil {
		return err
	}
	s.sweep(unfinished)
	return nil
}

// keepNewest puts a stream into the list of the newest ones.
func keepNewest(last []found, f found) []found {
	at, _ := slices.BinarySearchFunc(last, f, func(a, b found) int { return b.WrittenAt.Compare(a.WrittenAt) })
	last = slices.Insert(last, at, f)
	return last[:min(len(last), newest)]
}

// checkEnds notes damage to the newest runs of some streams.
func (s *Store) checkEnds(ctx context.Context, streams []found) error {
	return s.read(ctx, func(conn *connection) error {
		for _, f := range streams {
			r, there, err := lastRow(conn.Prep(runAt), f.key, f.Head)
			if err != nil {
				err = s.damage.reading(f.Ref, f.Head, err)
			} else if reason := r.endsAt(there, f.Head, f.Link); reason != "" {
				err = s.damage.note(&store.DamagedError{Ref: f.Ref, Seq: f.Head, Reason: reason})
			}
			switch {
			case isA[*store.DamagedError](err):
				s.logger.Error("a stream is damaged", "space", f.Space, "stream", f.Name, "error", err)
			case err != nil:
				return err
			}
		}
		return nil
	})
}

// sweep has what is left of unfinished batches cleared away in the background.
func (s *Store) sweep(unfinished []store.Ref) {
	s.sweeping.Go(func() {
		for _, ref := range unfinished {
			err := s.writer.do(context.Background(), sweeping(ref))
			if err != nil && !errors.Is(err, store.ErrClosed) {
				s.logger.Warn("a batch that was not finished could not be cleared away",
					"space", ref.Space, "stream", ref.Name, "error", err)
			}
		}
	})
}

// sweeping clears away what an unfinished batch left in a stream.
type sweeping store.Ref

func (s sweeping) ref() store.Ref { return store.Ref(s) }

func (sweeping) large() bool { return false }

// step looks at the stream, which is all that it takes: whoever does finds it
// cleared.
func (s sweeping) step(t *transaction) (bool, error) {
	_, err := t.stream(s.ref())
	return true, err
}

func (sweeping) committed() bool { return false }
