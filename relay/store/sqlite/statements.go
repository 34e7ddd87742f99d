package sqlite

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// writerStatements are all that the writer does, prepared once.
type writerStatements struct {
	stream, addSpace, addStream, moveHead, dropTail, deleteStream *sqlite.Stmt
	runAt, addRun, deleteRuns                                     *sqlite.Stmt
	addBatch, findBatch                                           *sqlite.Stmt
	findCommand, addCommand, pruneCommands                        *sqlite.Stmt
	otherTypes, putType, dropType                                 *sqlite.Stmt
	addRecent, addMerged, firstRecent, dropRecent                 *sqlite.Stmt
}

// runAt finds the run of a stream that holds a position: the last one that
// starts at or before it.
const runAt = "SELECT id, count, bytes, body FROM run WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"

// truncateLog folds all of the log into the file and empties it, or as much as
// others allow within busyTimeout.
const truncateLog = "PRAGMA wal_checkpoint(TRUNCATE)"

// voidLog is the least that is a commit: it writes down the version once more.
var voidLog = fmt.Sprintf("PRAGMA user_version = %d", len(migrations))

func prepareWriter(conn *sqlite.Conn) (writerStatements, error) {
	var s writerStatements
	for _, p := range []struct {
		stmt  **sqlite.Stmt
		query string
	}{
		{&s.stream, `SELECT s.key, s.kind, s.id, s.epoch, s.head, s.tail, s.link, s.bytes
			FROM space p JOIN stream s ON s.space = p.key WHERE p.name = ? AND s.name = ?`},
		{&s.addSpace, "INSERT INTO space (name, created_at) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM space WHERE name = ?1)"},
		{&s.addStream, `INSERT INTO stream (space, name, kind, id, epoch, head, tail, link, bytes, created_at, written_at)
			SELECT key, ?1, ?2, ?3, ?4, 0, 0, ?5, 0, ?6, ?6 FROM space WHERE name = ?7`},
		{&s.moveHead, "UPDATE stream SET head = ?, epoch = ?, link = ?, bytes = ?, written_at = ? WHERE key = ?"},
		{&s.dropTail, "UPDATE stream SET tail = head WHERE key = ?"},
		{&s.deleteStream, "DELETE FROM stream WHERE key = ?"},
		{&s.runAt, runAt},
		{&s.addRun, "INSERT INTO run (id, count, bytes, written_at, writer, body) VALUES (?, ?, ?, ?, ?, ?)"},
		{&s.deleteRuns, "DELETE FROM run WHERE id BETWEEN ? AND ?"},
		{&s.addBatch, "INSERT INTO batch (stream, key, first) VALUES (?, ?, ?)"},
		{&s.findBatch, "SELECT first FROM batch WHERE stream = ? AND key = ? ORDER BY first"},
		{&s.findCommand, "SELECT result FROM command WHERE key = ?"},
		{&s.addCommand, "INSERT INTO command (key, at, result) VALUES (?, ?, ?)"},
		{&s.pruneCommands, `DELETE FROM command WHERE seq IN (
			SELECT seq FROM (SELECT seq, at FROM command ORDER BY seq LIMIT ?1)
			WHERE at < ?2 OR seq <= (SELECT max(seq) FROM command) - ?3)`},
		{&s.otherTypes, `SELECT count(*) FROM space p JOIN event_type t ON t.space = p.key WHERE p.name = ? AND t.name <> ?`},
		{&s.putType, `INSERT INTO event_type (space, name, schema, changed_at) SELECT key, ?1, ?2, ?3 FROM space WHERE name = ?4
			ON CONFLICT DO UPDATE SET schema = excluded.schema, changed_at = excluded.changed_at`},
		{&s.dropType, "DELETE FROM event_type WHERE space = (SELECT key FROM space WHERE name = ?) AND name = ?"},
		{&s.addRecent, "INSERT INTO recent (stream, key, first, others) VALUES (?, ?, ?, ?)"},
		{&s.addMerged, "INSERT OR IGNORE INTO batch (stream, key, first) VALUES (?, ?, ?)"},
		{&s.firstRecent, "SELECT id FROM recent WHERE id <= ? ORDER BY id LIMIT 1"},
		{&s.dropRecent, "DELETE FROM recent WHERE id BETWEEN ? AND ?"},
	} {
		var err error
		if *p.stmt, err = conn.Prepare(p.query); err != nil {
			return s, err
		}
	}
	return s, nil
}

// insertStream makes a stream without entries, and its space if that is new.
func (s *writerStatements) insertStream(m store.Stream) error {
	space, stmt := s.addSpace, s.addStream
	space.BindText(1, m.Space)
	space.BindInt64(2, m.CreatedAt.UnixMilli())
	genesis := protocol.Genesis(m.Identity)
	stmt.BindText(1, m.Name)
	stmt.BindInt64(2, int64(m.Kind))
	stmt.BindBytes(3, m.Identity[:])
	stmt.BindInt64(4, int64(m.Epoch))
	stmt.BindBytes(5, genesis[:])
	stmt.BindInt64(6, m.CreatedAt.UnixMilli())
	stmt.BindText(7, m.Space)
	return cmp.Or(run(space), run(stmt))
}

// insertRun writes a run behind a stream's tail.
func (s *writerStatements) insertRun(stream int64, r store.Run) error {
	stmt := s.addRun
	stmt.BindInt64(1, runID(stream, r.First))
	stmt.BindInt64(2, int64(r.Count))
	stmt.BindInt64(3, int64(r.Bytes))
	stmt.BindInt64(4, r.WrittenAt.UnixMilli())
	if r.Writer == "" {
		stmt.BindNull(5)
	} else {
		stmt.BindText(5, r.Writer)
	}
	stmt.BindBytes(6, r.Wire)
	return run(stmt)
}

// insertBatch remembers where a sealed batch is, so that a repeat of it is told.
func (s *writerStatements) insertBatch(stream, key int64, first uint64) error {
	stmt := s.addBatch
	stmt.BindInt64(1, stream)
	stmt.BindInt64(2, key)
	stmt.BindInt64(3, int64(first))
	return run(stmt)
}

// insertCommand remembers the result of a command.
func (s *writerStatements) insertCommand(c store.Remembered) error {
	stmt := s.addCommand
	stmt.BindBytes(1, c.Key[:])
	stmt.BindInt64(2, c.At.UnixMilli())
	stmt.BindBytes(3, c.Result)
	return run(stmt)
}

// insertType puts a type, and makes its space if that is new.
func (s *writerStatements) insertType(t store.Type) error {
	space, stmt := s.addSpace, s.putType
	space.BindText(1, t.Space)
	space.BindInt64(2, t.ChangedAt.UnixMilli())
	stmt.BindText(1, t.Name)
	stmt.BindBytes(2, t.Schema)
	stmt.BindInt64(3, t.ChangedAt.UnixMilli())
	stmt.BindText(4, t.Space)
	return cmp.Or(run(space), run(stmt))
}

// keyOf is as much of a batch's key as is kept.
func keyOf(key [32]byte) int64 { return int64(binary.BigEndian.Uint64(key[:8])) }

// run steps a statement that returns nothing.
func run(stmt *sqlite.Stmt) error {
	_, err := stmt.Step()
	return finish(stmt, err)
}

// finish resets a statement and returns its error, or that of the reset.
func finish(stmt *sqlite.Stmt, err error) error {
	if reset := stmt.Reset(); err == nil {
		err = reset
	}
	return err
}

// lastRow reads the last run of a stream that starts at or before a position,
// with a statement of runAt.
func lastRow(stmt *sqlite.Stmt, stream int64, seq uint64) (row, bool, error) {
	stmt.BindInt64(1, runID(stream, 1))
	stmt.BindInt64(2, runID(stream, seq))
	found, err := stmt.Step()
	if err != nil || !found {
		return row{}, false, finish(stmt, err)
	}
	r := scanRow(stmt)
	return r, true, finish(stmt, nil)
}

// scanRow takes a run from a statement that selects id, count, bytes and body.
func scanRow(stmt *sqlite.Stmt) row {
	r := row{
		first: uint64(stmt.ColumnInt64(0)) & maxPosition,
		count: stmt.ColumnInt(1),
		bytes: stmt.ColumnInt(2),
		body:  make([]byte, stmt.ColumnLen(3)),
	}
	stmt.ColumnBytes(3, r.body)
	return r
}
