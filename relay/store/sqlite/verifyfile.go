package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// wholeSize is up to how many bytes a file that is written to is checked as a
	// whole: that takes one snapshot, during which the log cannot be emptied.
	wholeSize = 32 << 20

	// maxFaults is how many faults SQLite lists: who needs more needs a backup.
	maxFaults = 20

	// streamsAtOnce is how many streams are listed in one snapshot.
	streamsAtOnce = 256
)

// file checks what the database is made of, and with SQLite's own check each of
// its pages, rows and indexes.
func (v *verification) file(ctx context.Context) error {
	err := v.read(ctx, func(conn *connection) error {
		have, err := version(conn.Conn)
		if err != nil {
			return err
		}
		if err := checkSchema(conn.Conn, v.path, have); err != nil {
			altered, ok := errors.AsType[*SchemaError](err)
			if !ok {
				return err
			}
			v.fault("The database is not as Hearth made it: " + altered.Reason + ".")
		}
		if !v.resting && fileSize(v.path) > wholeSize {
			return nil
		}
		v.found.Whole = true
		defer conn.SetInterrupt(conn.SetInterrupt(ctx.Done()))
		return sqlitex.ExecuteTransient(conn.Conn, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults),
			&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
				if said := stmt.ColumnText(0); said != "ok" {
					v.fault("SQLite finds the file damaged: " + said + ".")
				}
				return nil
			}})
	})
	return v.passing(ctx, err)
}

// passing makes a fault of the file of an error by which SQLite says so.
func (v *verification) passing(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return ctx.Err()
	case ctx.Err() != nil:
		return ctx.Err() // SQLite says that it was interrupted
	case isCorrupt(err):
		v.fault("SQLite finds the file damaged: " + err.Error() + ".")
		return nil
	default:
		return failure("checking the file", err)
	}
}

// streams checks the streams in the order of their keys.
func (v *verification) streams(ctx context.Context) error {
	last := ends{key: 0, tail: 0}
	for more := true; more; {
		var list []found
		var recent recentKeys
		err := v.read(ctx, func(conn *connection) (err error) {
			if recent, err = v.recent(conn, cmp.Or(last.key, math.MinInt64)); err != nil {
				return err
			}
			if list, more, err = v.list(conn, &last); err != nil {
				return err
			}
			end := int64(math.MaxInt64)
			if more {
				end = last.key
			}
			v.strays(recent, list, end)
			return nil
		})
		if err != nil {
			more = false
		}
		if err := v.passing(ctx, err); err != nil {
			return err
		}
		for _, f := range list {
			if err := v.stream(ctx, f, recent[f.key]); err != nil {
				return err
			}
		}
		if err := v.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// place is where the rows of a stream end.
type ends struct {
	key  int64
	tail uint64
}

// list reads the streams behind the last one, and checks that there is nothing
// between and behind them that belongs to none. It says whether there are more.
func (v *verification) list(conn *connection, last *ends) (list []found, more bool, err error) {
	stmt := conn.Prep(`SELECT coalesce(p.name, ''), s.name, s.key, s.kind, s.id, s.epoch, s.head, s.link, s.bytes,
		s.created_at, s.written_at, s.tail
		FROM stream s LEFT JOIN space p ON p.key = s.space WHERE s.key > ? ORDER BY s.key LIMIT ?`)
	stmt.BindInt64(1, last.key)
	stmt.BindInt64(2, streamsAtOnce)
	listed := 0
	for ; ; listed++ {
		there, err := stmt.Step()
		if err != nil {
			return list, false, finish(stmt, err)
		}
		if !there {
			break
		}
		f, tail := v.scanStream(stmt), uint64(stmt.ColumnInt64(11))
		if err := v.between(conn, *last, f.key); err != nil {
			return list, false, errors.Join(err, stmt.Reset())
		}
		*last = ends{f.key, tail}
		if f.Space == "" {
			v.fault(fmt.Sprintf("The stream %q is in a space that is not there.", f.Name))
		}
		if f.Head > 0 { // else its first batch is not whole yet
			list = append(list, f)
		}
	}
	if err := finish(stmt, nil); err != nil {
		return list, false, err
	}
	for _, f := range list {
		if again, err := v.look(conn, f.Ref); err != nil && !isA[*store.NotFoundError](err) {
			return list, false, err
		} else if again.key != f.key && f.Space != "" {
			v.fault(fmt.Sprintf("The stream %q in the space %q is not found under its name.", f.Name, f.Space))
		}
	}
	if listed < streamsAtOnce {
		return list, false, v.between(conn, *last, maxStream+1)
	}
	return list, true, nil
}

// between checks that there are no rows behind those of one stream and before
// those of another.
func (v *verification) between(conn *connection, before ends, next int64) error {
	from, to := runID(before.key, before.tail), int64(math.MaxInt64)
	if before.key == 0 {
		from = math.MinInt64
	}
	if next <= maxStream {
		to = runID(next, 1)
	}
	id, found, err := firstOf(conn, "SELECT id FROM run WHERE id > ? AND id < ? ORDER BY id LIMIT 1", from, to)
	switch {
	case err != nil:
		return err
	case found && id>>positionBits == before.key && before.key > 0:
		v.fault(fmt.Sprintf("There are entries behind the end of the stream with the key %d.", before.key))
	case found:
		v.fault(fmt.Sprintf("There are entries that belong to no stream, with the key %d.", id>>positionBits))
	}
	key, found, err := firstOf(conn, "SELECT stream FROM batch WHERE stream > ? AND stream < ? LIMIT 1", before.key, next)
	if found {
		v.stray(key)
	}
	return err
}

// firstOf returns the first number that a query with two parameters selects.
func firstOf(conn *connection, query string, from, to int64) (n int64, found bool, err error) {
	stmt := conn.Prep(query)
	stmt.BindInt64(1, from)
	stmt.BindInt64(2, to)
	if found, err = stmt.Step(); found {
		n = stmt.ColumnInt64(0)
	}
	return n, found, finish(stmt, err)
}
