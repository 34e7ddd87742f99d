package sqlite

import (
	"context"
	"time"

	"hearth/relay/store"
)

// runsBetween lists the runs of a stream that start between two positions.
const runsBetween = `SELECT id, count, bytes, written_at, coalesce(writer, ''), body FROM run
	WHERE id BETWEEN ? AND ? ORDER BY id`

// Runs implements [store.Store].
func (r *Reader) Runs(ctx context.Context, ref store.Ref, after, head uint64) (list []store.Run, err error) {
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ref)
		if err != nil || after >= head {
			return err
		}
		list, _, err = runs(conn, s.key, after+1, head, stretch, nil)
		switch {
		case err != nil:
			return r.damage.reading(ref, after+1, err)
		case len(list) == 0:
			return r.damage.note(&store.DamagedError{Ref: ref, Seq: after + 1, Reason: "its entries are missing"})
		}
		return nil
	})
	return list, err
}

// runs reads the runs of a stream that start between two positions, until they
// have size bytes. They lie in memory, as far as there is room behind its length;
// what is used of it is returned. An error of SQLite's comes with the runs before.
func runs(conn *connection, stream int64, first, last uint64, size int, memory []byte) ([]store.Run, []byte, error) {
	stmt := conn.Prep(runsBetween)
	stmt.BindInt64(1, runID(stream, first))
	stmt.BindInt64(2, runID(stream, last))
	var list []store.Run
	for size > 0 {
		more, err := stmt.Step()
		if err != nil || !more {
			return list, memory, finish(stmt, err)
		}
		length, used := stmt.ColumnLen(5), len(memory)
		if cap(memory)-used < length {
			memory, used = make([]byte, 0, max(size, length)), 0
		}
		wire := memory[used : used+length : used+length]
		stmt.ColumnBytes(5, wire)
		memory = memory[:used+length]
		size -= length
		list = append(list, store.Run{
			First:     uint64(stmt.ColumnInt64(0)) & maxPosition,
			Count:     stmt.ColumnInt(1),
			Bytes:     stmt.ColumnInt(2),
			WrittenAt: time.UnixMilli(stmt.ColumnInt64(3)).UTC(),
			Writer:    stmt.ColumnText(4),
			Wire:      wire,
		})
	}
	return list, memory, finish(stmt, nil)
}
