package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Options are what a store may be told when it is opened.
type Options struct {
	// Publish hears of every stream that has moved, once that is on the disk
	// and before the one who moved it is answered; moves of one stream come in
	// their order. It must be quick. May be nil.
	Publish func([]store.Moved)

	// Logger hears of what goes wrong without a caller to tell. May be nil.
	Logger *slog.Logger
}

// Store is a [store.Store] in an SQLite file.
type Store struct {
	*Reader
	writer *writer
	totals *totals
	logger *slog.Logger

	close    func() error
	sweeping sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

func newStore(conn *sqlite.Conn, reader *Reader, o Options) (*Store, error) {
	stmts, err := prepareWriter(conn)
	if err != nil {
		return nil, err
	}
	if o.Publish == nil {
		o.Publish = func([]store.Moved) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{Reader: reader, totals: new(totals), logger: o.Logger}
	s.writer = &writer{
		conn:    conn,
		stmts:   stmts,
		queries: newConnection(conn, len(migrations)),
		chain:   protocol.NewChain(0, protocol.Link{}),
		states:  make(map[store.Ref]state),
		damage:  &reader.damage,
		totals:  s.totals,
		tails:   &reader.tails,
		publish: o.Publish,
		mark:    drawMark(),
		now:     time.Now,
		path:    reader.path,
		logRoom: maxLog,
		logger:  o.Logger,
		queue:   make(chan *request, maxGroup),
		closing: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	s.close = sync.OnceValue(s.shut)
	go s.writer.loop()
	return s, nil
}

// Close implements [store.Store].
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	close(s.writer.closing)
	s.sweeping.Wait()
	<-s.writer.ended
	reading := s.Reader.Close() // first, so that the writer's is the last connection
	if err := sqlitex.ExecuteTransient(s.writer.conn, truncateLog, nil); err != nil {
		// Nothing is lost: what was answered is in the log, which is on the disk.
		s.logger.Warn("the log could not be folded into the database: until the next stop the two files belong together", "error", err)
	}
	return errors.Join(reading, s.writer.conn.Close())
}

// abandon closes a store that could not be opened. The connection that writes
// is not the last one to be closed, for that one would fold the log into a file
// that has to stay as it is.
func (s *Store) abandon() error {
	close(s.writer.closing)
	<-s.writer.ended
	return errors.Join(s.writer.conn.Close(), s.Reader.Close())
}

// Totals implements [store.Store], without asking the database.
func (s *Store) Totals(context.Context) (store.Totals, error) {
	select {
	case <-s.writer.closing:
		return store.Totals{}, store.ErrClosed
	default:
	}
	t := s.totals.get()
	t.Disk, t.Log = s.Reader.disk()
	return t, nil
}

// totals counts along with what is written.
type totals struct {
	mu sync.Mutex
	store.Totals
}

func (t *totals) get() store.Totals {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Totals
}

// set starts to count from what the database holds.
func (t *totals) set(from store.Totals) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Totals = from
}

// add counts a stream that was in one state and is in another.
func (t *totals) add(before, after state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before.head == 0 {
		t.Streams++
	}
	t.Entries += after.head - before.head
	t.Bytes += after.bytes - before.bytes
}

// fileSize returns the size of a file, and 0 if there is none.
func fileSize(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return uint64(info.Size())
}
