package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// Reader reads a store. Its methods are those of [store.Store] that do not write.
type Reader struct {
	path    string
	resting bool // nobody writes to the file
	damage  damages
	tails   tails

	mu     sync.RWMutex // held for reading while a connection is out
	closed bool
	idle   chan *connection
}

// connection is one with statements that were prepared before.
type connection struct {
	*sqlite.Conn
	prepared map[string]*sqlite.Stmt
	version  int // of the database
}

func newConnection(conn *sqlite.Conn, version int) *connection {
	return &connection{Conn: conn, prepared: make(map[string]*sqlite.Stmt), version: version}
}

// has says whether the database has what came with a version: one that is only
// looked at stays what it is.
func (c *connection) has(version int) bool { return c.version >= version }

// Prep returns a statement that is prepared once. The connection's own Prep
// clears what was bound to it before, whereupon SQLite prepares it anew, which
// takes five times as long as looking for a stream does.
func (c *connection) Prep(query string) *sqlite.Stmt {
	stmt, ok := c.prepared[query]
	if !ok {
		stmt = c.Conn.Prep(query)
		c.prepared[query] = stmt
	}
	return stmt
}

// readers is how many pages can be read at the same time: as many as there are
// processors to make them, and a few for those that wait for the disk.
func readers() int { return runtime.GOMAXPROCS(0) + 2 }

// newReader opens the connections to a file at a location, which is its path or
// an SQLite URI with it.
func newReader(path, location string) (*Reader, error) {
	r := &Reader{path: path, idle: make(chan *connection, readers())}
	for range cap(r.idle) {
		conn, err := connect(location, sqlite.OpenReadOnly|sqlite.OpenURI, readerPragmas)
		if err != nil {
			return nil, errors.Join(opening(path, err), r.Close())
		}
		have, err := version(conn)
		if err != nil {
			return nil, errors.Join(opening(path, err), conn.Close(), r.Close())
		}
		r.idle <- newConnection(conn, have)
	}
	return r, nil
}

// Close waits for the reads that have begun and closes the connections.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.tails.close()
	close(r.idle)
	var errs []error
	for conn := range r.idle {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// read runs f on a snapshot of the database. It is over when f returns, so f
// takes no longer than a page does.
func (r *Reader) read(ctx context.Context, f func(*connection) error) (err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return store.ErrClosed
	}
	var conn *connection
	select {
	case conn = <-r.idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { r.idle <- conn }()
	if err := run(conn.Prep("BEGIN")); err != nil {
		return fmt.Errorf("beginning to read: %w", err)
	}
	defer func() {
		if end := run(conn.Prep("ROLLBACK")); err == nil && end != nil {
			err = fmt.Errorf("ending to read: %w", end)
		}
	}()
	return f(conn)
}

// disk returns the bytes of the files, and those of the log among them.
func (r *Reader) disk() (all, log uint64) {
	log = fileSize(r.path + logSuffix)
	return fileSize(r.path) + log, log
}
