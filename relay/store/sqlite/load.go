package sqlite

import (
	"errors"
	"fmt"
	"os"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxLoad is how many bytes of runs one transaction of a load takes.
const maxLoad = 8 << 20

// Loader fills a new database with streams as they were elsewhere: with their
// identities, times and writers. A stream is there once all of it is; what a load
// that broke off leaves is cleared away when the store is opened.
type Loader struct {
	path  string
	conn  *sqlite.Conn
	stmts writerStatements
	left  int   // bytes that the transaction has room for; 0 outside of one
	key   int64 // of the stream that was begun last

	ended   *store.Stream // that one, once it has ended
	queries *connection   // the same one, for statements that stand where they are used
}

// Load makes a new database. The error is fs.ErrExist if there is something, or
// one of Open's.
func Load(path string) (_ *Loader, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("loading into %s: %w", path, os.ErrExist)
	}
	if err := create(path); err != nil {
		return nil, err
	}
	l := &Loader{path: path}
	if l.conn, err = connect(path, sqlite.OpenReadWrite, writerPragmas); err != nil {
		return nil, opening(path, err)
	}
	l.queries = newConnection(l.conn, len(migrations))
	if l.stmts, err = prepareWriter(l.conn); err != nil {
		return nil, errors.Join(opening(path, err), l.conn.Close())
	}
	return l, nil
}

// Stream begins a stream, whose runs follow. There must be none of its name.
func (l *Loader) Stream(s store.Stream) error {
	if err := l.begin(); err != nil {
		return err
	}
	s.Epoch = 0 // the lowest, from which it rises
	if err := l.stmts.insertStream(s); err != nil {
		return failure("loading "+s.Name, err)
	}
	l.key, l.ended = l.conn.LastInsertRowID(), nil
	return nil
}

// Run writes the next run of the stream that was begun last, with what ends
// in it and belongs into the index.
func (l *Loader) Run(r store.Run, keyed []store.Keyed) error {
	if err := l.begin(); err != nil {
		return err
	}
	if err := l.stmts.insertRun(l.key, r); err != nil {
		return failure("loading", err)
	}
	for _, b := range keyed {
		if err := l.stmts.insertBatch(l.key, keyOf(b.Key()), b.First); err != nil {
			return failure("loading", err)
		}
	}
	if l.left -= len(r.Wire); l.left <= 0 {
		return l.commit()
	}
	return nil
}

// End ends the stream that was begun last: it is as s says, to which its runs
// have to lead.
func (l *Loader) End(s store.Stream) error {
	if err := l.begin(); err != nil {
		return err
	}
	stmt := l.stmts.moveHead
	stmt.BindInt64(1, int64(s.Head))
	stmt.BindInt64(2, int64(s.Epoch))
	stmt.BindBytes(3, s.Link[:])
	stmt.BindInt64(4, int64(s.Bytes))
	stmt.BindInt64(5, s.WrittenAt.UnixMilli())
	stmt.BindInt64(6, l.key)
	if err := run(stmt); err != nil {
		return failure("loading "+s.Name, err)
	}
	l.ended = &s
	return nil
}

// Type writes a type, before the first stream.
func (l *Loader) Type(t store.Type) error {
	if err := l.begin(); err != nil {
		return err
	}
	return failed("loading the type "+t.Name, l.stmts.insertType(t))
}

// Command writes a command that is remembered. They come in their order.
func (l *Loader) Command(c store.Remembered) error {
	if err := l.begin(); err != nil {
		return err
	}
	if err := l.stmts.insertCommand(c); err != nil {
		return failure("loading the commands", err)
	}
	if l.left -= len(c.Result); l.left <= 0 {
		return l.commit()
	}
	return nil
}

// begin begins a transaction if none is under way.
func (l *Loader) begin() error {
	if l.left > 0 {
		return nil
	}
	l.left = maxLoad
	return failed("loading", sqlitex.ExecuteTransient(l.conn, "BEGIN IMMEDIATE", nil))
}

func (l *Loader) commit() error {
	l.left = 0
	return failed("loading", sqlitex.ExecuteTransient(l.conn, "COMMIT", nil))
}

// Close keeps what was loaded, in one file, and closes the database.
func (l *Loader) Close() error {
	var err error
	if l.left > 0 {
		err = l.commit()
	}
	return errors.Join(err, failed("loading", sqlitex.ExecuteTransient(l.conn, truncateLog, nil)), l.conn.Close())
}
