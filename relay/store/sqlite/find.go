package sqlite

import (
	"context"
	"errors"
	"time"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// found is a stream as a reader finds it.
type found struct {
	store.Stream
	key int64
}

// streamColumns are what scanStream reads.
const streamColumns = `p.name, s.name, s.key, s.kind, s.id, s.epoch, s.head, s.link, s.bytes, s.created_at, s.written_at`

const findStream = `SELECT ` + streamColumns + `
	FROM space p JOIN stream s ON s.space = p.key WHERE p.name = ? AND s.name = ? AND s.head > 0`

func (r *Reader) scanStream(stmt *sqlite.Stmt) found {
	f := found{
		Stream: store.Stream{
			Ref:       store.Ref{Space: stmt.ColumnText(0), Name: stmt.ColumnText(1)},
			Kind:      store.Kind(stmt.ColumnInt(3)),
			Epoch:     uint32(stmt.ColumnInt64(5)),
			Head:      uint64(stmt.ColumnInt64(6)),
			Bytes:     uint64(stmt.ColumnInt64(8)),
			CreatedAt: time.UnixMilli(stmt.ColumnInt64(9)).UTC(),
			WrittenAt: time.UnixMilli(stmt.ColumnInt64(10)).UTC(),
		},
		key: stmt.ColumnInt64(2),
	}
	stmt.ColumnBytes(4, f.Identity[:])
	stmt.ColumnBytes(7, f.Link[:])
	f.Damage = r.damage.of(f.Ref)
	r.tails.saw(f.Ref, f.Head)
	return f
}

// look finds a stream, be it damaged or not.
func (r *Reader) look(conn *connection, ref store.Ref) (found, error) {
	stmt := conn.Prep(findStream)
	stmt.BindText(1, ref.Space)
	stmt.BindText(2, ref.Name)
	there, err := stmt.Step()
	if err != nil {
		return found{}, failure("looking for "+ref.Name, finish(stmt, err))
	}
	if !there {
		return found{}, errors.Join(&store.NotFoundError{Ref: ref}, stmt.Reset())
	}
	f := r.scanStream(stmt)
	return f, finish(stmt, nil)
}

// find finds a stream to read from. A damaged one is an error.
func (r *Reader) find(conn *connection, ref store.Ref) (found, error) {
	f, err := r.look(conn, ref)
	if err != nil {
		return found{}, err
	}
	return f, f.Damage
}

// Stream implements [store.Store].
func (r *Reader) Stream(ctx context.Context, ref store.Ref) (s store.Stream, err error) {
	err = r.read(ctx, func(conn *connection) error {
		f, err := r.look(conn, ref)
		s = f.Stream
		return err
	})
	return s, err
}

// Heads implements [store.Store].
func (r *Reader) Heads(ctx context.Context, space string, names []string) (states []store.State, err error) {
	states = make([]store.State, len(names))
	if ctx.Err() == nil && r.tails.heads(space, names, states) {
		return states, nil
	}
	clear(states)
	err = r.read(ctx, func(conn *connection) error {
		stmt := conn.Prep("SELECT s.id, s.head FROM space p JOIN stream s ON s.space = p.key WHERE p.name = ? AND s.name = ? AND s.head > 0")
		for i, name := range names {
			stmt.BindText(1, space)
			stmt.BindText(2, name)
			there, err := stmt.Step()
			if err != nil {
				return failure("looking for "+name, finish(stmt, err))
			}
			if there {
				stmt.ColumnBytes(0, states[i].Stream[:])
				states[i].Head = uint64(stmt.ColumnInt64(1))
				r.tails.saw(store.Ref{Space: space, Name: name}, states[i].Head)
			}
			if err := finish(stmt, nil); err != nil {
				return failure("looking for "+name, err)
			}
		}
		return nil
	})
	return states, err
}

// Streams implements [store.Store].
func (r *Reader) Streams(ctx context.Context, after store.Ref, limit int) (list []store.Stream, err error) {
	err = r.read(ctx, func(conn *connection) error {
		// Space by space, for SQLite finds a place in two columns of two tables
		// only by going through all that precedes it.
		spaces, err := spacesFrom(conn, after.Space)
		if err != nil {
			return failure("listing the spaces", err)
		}
		for _, space := range spaces {
			behind := ""
			if space == after.Space {
				behind = after.Name
			}
			if list, err = r.appendStreams(list, conn, store.Ref{Space: space, Name: behind}, limit); err != nil {
				return failure("listing the streams", err)
			}
		}
		return nil
	})
	return list, err
}

// spacesFrom lists the names of spaces from one on.
func spacesFrom(conn *connection, from string) (names []string, err error) {
	stmt := conn.Prep("SELECT name FROM space WHERE name >= ? ORDER BY name")
	stmt.BindText(1, from)
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return names, finish(stmt, err)
		}
		names = append(names, stmt.ColumnText(0))
	}
}

// appendStreams adds the streams of a space behind a name until the list has
// limit of them.
func (r *Reader) appendStreams(list []store.Stream, conn *connection, behind store.Ref, limit int) ([]store.Stream, error) {
	stmt := conn.Prep(`SELECT ` + streamColumns + `
		FROM space p JOIN stream s ON s.space = p.key
		WHERE p.name = ? AND s.name > ? AND s.head > 0 ORDER BY s.name LIMIT ?`)
	stmt.BindText(1, behind.Space)
	stmt.BindText(2, behind.Name)
	stmt.BindInt64(3, int64(limit-len(list)))
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return list, finish(stmt, err)
		}
		list = append(list, r.scanStream(stmt).Stream)
	}
}

// Totals counts what the database holds.
func (r *Reader) Totals(ctx context.Context) (t store.Totals, err error) {
	err = r.read(ctx, func(conn *connection) error {
		stmt := conn.Prep("SELECT count(*), coalesce(sum(head), 0), coalesce(sum(bytes), 0) FROM stream WHERE head > 0")
		if _, err := stmt.Step(); err != nil {
			return failure("counting", finish(stmt, err))
		}
		t.Streams = stmt.ColumnInt(0)
		t.Entries = uint64(stmt.ColumnInt64(1))
		t.Bytes = uint64(stmt.ColumnInt64(2))
		return finish(stmt, nil)
	})
	t.Disk, t.Log = r.disk()
	return t, err
}

// Damaged implements [store.Store].
func (r *Reader) Damaged() []*store.DamagedError { return r.damage.all() }
