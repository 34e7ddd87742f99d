package sqlite

import (
	"crypto/rand"
	"fmt"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite/sqlitex"
)

// state is what the writer knows of a stream between two transactions.
type state struct {
	key   int64
	kind  store.Kind
	id    protocol.Identity
	epoch uint32
	head  uint64
	link  protocol.Link // at the head
	bytes uint64

	// The time of the newest event, and zero if nobody has asked for it yet.
	newest time.Time

	// Where a batch that is still being written has come to; the head and its
	// link if there is none.
	tail     uint64
	tailLink protocol.Link
}

// maxStates is how many streams the writer remembers. Each takes some 200 bytes;
// one that is forgotten costs two look-ups when it is written to again.
const maxStates = 16_384

// stream is a stream in the course of a transaction.
type stream struct {
	store.Ref
	state
	before state // as it was before the transaction
	moved  bool  // its head, in this transaction

	// writtenAt is when what moved the head was written, if that was not now.
	writtenAt time.Time

	pending *block // entries up to the tail that are no row yet
}

// stream returns a stream as it is in the transaction, or nil if there is none.
func (t *transaction) stream(ref store.Ref) (*stream, error) {
	if s, ok := t.streams[ref]; ok {
		return s, nil
	}
	if err := t.w.damage.of(ref); err != nil {
		return nil, err
	}
	known, ok := t.w.states[ref]
	if !ok {
		var err error
		if known, ok, err = t.load(ref); err != nil || !ok {
			return nil, err
		}
	}
	s := &stream{Ref: ref, state: known, before: known, pending: newBlock()}
	t.streams[ref] = s
	return s, nil
}

// load reads a stream, clears away what is left of a batch that was given up,
// and checks that the newest run ends where the stream does.
func (t *transaction) load(ref store.Ref) (state, bool, error) {
	stmt := t.w.stmts.stream
	stmt.BindText(1, ref.Space)
	stmt.BindText(2, ref.Name)
	found, err := stmt.Step()
	if err != nil || !found {
		return state{}, false, finish(stmt, err)
	}
	s := state{
		key:   stmt.ColumnInt64(0),
		kind:  store.Kind(stmt.ColumnInt(1)),
		epoch: uint32(stmt.ColumnInt64(3)),
		head:  uint64(stmt.ColumnInt64(4)),
		tail:  uint64(stmt.ColumnInt64(5)),
		bytes: uint64(stmt.ColumnInt64(7)),
	}
	stmt.ColumnBytes(2, s.id[:])
	stmt.ColumnBytes(6, s.link[:])
	if err := finish(stmt, nil); err != nil {
		return state{}, false, err
	}
	if s.tail != s.head || s.head == 0 {
		if err := t.clear(s); err != nil || s.head == 0 {
			return state{}, false, err
		}
	}
	s.tail, s.tailLink = s.head, s.link
	newest, found, err := lastRow(t.w.stmts.runAt, s.key, s.head)
	if err != nil {
		return state{}, false, t.w.damage.reading(ref, s.head, err)
	}
	if reason := newest.endsAt(found, s.head, s.link); reason != "" {
		return state{}, false, t.w.damage.note(&store.DamagedError{Ref: ref, Seq: s.head, Reason: reason})
	}
	return s, true, nil
}

// clear removes the rows behind a stream's head, and the stream if it has no
// other ones: its first batch never came to its end.
func (t *transaction) clear(s state) error {
	runs := t.w.stmts.deleteRuns
	runs.BindInt64(1, runID(s.key, s.head+1))
	runs.BindInt64(2, runID(s.key, maxPosition))
	if err := run(runs); err != nil {
		return err
	}
	stmt := t.w.stmts.dropTail
	if s.head == 0 {
		stmt = t.w.stmts.deleteStream
	}
	stmt.BindInt64(1, s.key)
	return run(stmt)
}

// create makes a stream that begins now. An identity that is not given is drawn.
func (t *transaction) create(ref store.Ref, kind store.Kind, id *protocol.Identity, epoch uint32) (*stream, error) {
	m := store.Stream{Ref: ref, Kind: kind, Epoch: epoch, CreatedAt: t.now}
	if id != nil {
		m.Identity = *id
	} else {
		rand.Read(m.Identity[:]) // never fails
	}
	return t.begin(m)
}

// begin makes a stream without entries, and its space if that is new.
func (t *transaction) begin(m store.Stream) (*stream, error) {
	if err := t.w.stmts.insertStream(m); err != nil {
		if last, _ := sqlitex.ResultInt64(t.w.conn.Prep("SELECT max(key) FROM stream")); last == maxStream {
			return nil, &store.FullError{Err: fmt.Errorf("a relay holds at most %d streams", maxStream)}
		}
		return nil, err
	}
	link := protocol.Genesis(m.Identity)
	s := &stream{Ref: m.Ref, pending: newBlock(), state: state{
		key: t.w.conn.LastInsertRowID(), kind: m.Kind, id: m.Identity, epoch: m.Epoch, link: link, tailLink: link,
	}}
	t.streams[m.Ref] = s
	return s, nil
}

// flush writes the pending entries down as a row.
func (t *transaction) flush(s *stream) error {
	if s.pending.count == 0 {
		return nil
	}
	p := s.pending
	err := t.w.stmts.insertRun(s.key, store.Run{
		First: p.first, Count: p.count, Bytes: p.bytes, WrittenAt: t.now, Writer: p.writer, Wire: p.body,
	})
	s.pending.reset()
	return err
}

// moveHead writes down where a stream stands now.
func (t *transaction) moveHead(s *stream) error {
	stmt := t.w.stmts.moveHead
	stmt.BindInt64(1, int64(s.head))
	stmt.BindInt64(2, int64(s.epoch))
	stmt.BindBytes(3, s.link[:])
	stmt.BindInt64(4, int64(s.bytes))
	at := t.now
	if !s.writtenAt.IsZero() {
		at = s.writtenAt
	}
	stmt.BindInt64(5, at.UnixMilli())
	stmt.BindInt64(6, s.key)
	return run(stmt)
}
