package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// maxGroup is how many new operations one transaction takes: enough for every
	// writer that a home has, and an end where there are more.
	maxGroup = 1024

	// gathers is how often the writer lets others run before it takes a group
	// that is still growing to the disk. Those whom it has just answered send
	// their next batch meanwhile; for a few of them it waits, see [crowd].
	gathers = 4

	// maxLog is how many bytes the log grows to before the writer waits for
	// readers to let go of it. Commits fold it in too, but only what no reader
	// needs any more, and where always one of them reads they never get to its end.
	maxLog = 64 << 20
)

// operation is something to be written into one stream.
type operation interface {
	ref() store.Ref

	// large says whether it waits for its turn; see [turns].
	large() bool

	// step does as much of it as the transaction has room for, and says whether
	// that was all. What it notes in itself must not count before committed.
	// The error is a refusal, before which it has changed nothing, or a failure.
	step(t *transaction) (finished bool, err error)

	// committed says that the step is on the disk, and returns whether anything
	// of the operation is.
	committed() (begun bool)
}

// request is an operation with the one who waits for it.
type request struct {
	op   operation
	ctx  context.Context
	done chan error

	// What its step in the last transaction came to, if it had one.
	stepped  bool
	finished bool
	refused  error

	begun bool // whether a part of it is on the disk
}

// writer owns the connection that writes, and the only goroutine that does.
type writer struct {
	conn    *sqlite.Conn
	stmts   writerStatements
	queries *connection // the same one, for statements that stand where they are used
	chain   *protocol.Chain
	states  map[store.Ref]state
	damage  *damages
	totals  *totals
	tails   *tails
	publish func([]store.Moved)
	now     func() time.Time
	turns   turns
	crowd   crowd
	recent  recent
	merge   merge
	mark    store.Mark // of the ids that it draws

	// What is rendered of an event, whose memory is used again.
	ts, id, envelope []byte

	path    string
	logRoom uint64 // the size of the log beyond which it is folded in
	logger  *slog.Logger

	queue   chan *request
	closing chan struct{} // closed when no more requests are taken
	ended   chan struct{} // closed when the goroutine has
}

// do has an operation written and returns once it is on the disk. It does not
// return before the writer has let go of it.
func (w *writer) do(ctx context.Context, op operation) error {
	r := &request{op: op, ctx: ctx, done: make(chan error, 1)}
	select {
	case w.queue <- r:
	case <-w.closing:
		return store.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.done:
		return err
	case <-w.ended:
	}
	// It may have been answered, or have slipped into the queue behind the end.
	select {
	case err := <-r.done:
		return err
	default:
		return store.ErrClosed
	}
}

// loop writes until it is told to close.
func (w *writer) loop() {
	defer close(w.ended)
	var group []*request
	for {
		group = w.gather(group)
		if group == nil {
			return
		}
		begin := time.Now()
		group = w.write(group)
		w.mergeRecent(time.Since(begin))
		w.foldLog()
	}
}

// foldLog folds the log into the file once it has grown large, and empties it.
// This waits for those who read just now, which is a page each; a reader from
// elsewhere who does not let go puts it off until the log has grown as much again.
func (w *writer) foldLog() {
	size := fileSize(w.path + logSuffix)
	if size <= w.logRoom {
		return
	}
	if err := sqlitex.ExecuteTransient(w.conn, truncateLog, nil); err != nil {
		w.logger.Warn("the log could not be folded into the database", "bytes", size, "error", err)
	}
	w.logRoom = fileSize(w.path+logSuffix) + maxLog
}

// void overwrites what a commit that failed has left in the log. If it was only
// the sync that failed, all of the commit is in the file, and whoever opened the
// database after a crash would take it for good, though its batches were refused.
// Nothing else has to be undone: SQLite never syncs once more what a sync has
// failed for, it writes all of that anew, also when it folds the log in.
func (w *writer) void() {
	if err := sqlitex.ExecuteTransient(w.conn, voidLog, nil); err != nil {
		// The disk still fails. What is written now lies where that was all the
		// same, unless it takes no writes either, in which case nothing was left.
		w.logger.Warn("the database cannot be written to", "error", err)
	}
}

// gather waits for something to do, and takes what else is waiting. Those that
// are under way come first. It returns nil when the store is closing: what has
// not been answered by then has not been promised.
func (w *writer) gather(group []*request) []*request {
	group = w.take(group)
	w.turns.settle(group)
	for {
		var turn <-chan time.Time // when those that are under way may go on
		if len(group) > 0 {
			rest := w.turns.rest()
			if rest <= 0 || anySmall(group) {
				break
			}
			turn = time.After(rest)
		}
		select {
		case r := <-w.queue:
			group = w.take(append(group, r))
		case <-turn:
		case <-w.closing:
			return nil
		}
	}
	group = w.crowd.wait(group, w.queue, w.closing)
	select {
	case <-w.closing:
		return nil
	default:
		return group
	}
}

// take adds those that wait to a group.
func (w *writer) take(group []*request) []*request {
	// Those that are under way do not count: they may all stand behind one large
	// batch, and others need not.
	room := len(group) + maxGroup
	for range gathers {
		before := len(group)
		for len(group) < room {
			select {
			case r := <-w.queue:
				group = append(group, r)
				continue
			default:
			}
			break
		}
		if len(group) <= 1 && before == len(group) {
			break // a single writer is not kept waiting for others
		}
		runtime.Gosched()
	}
	return group
}

// write takes a step of each request and returns those that are not done.
func (w *writer) write(group []*request) (left []*request) {
	group = dropCancelled(group)
	if len(group) == 0 {
		return nil
	}
	err := w.commit(group)
	switch {
	case err == nil:
		for _, r := range group {
			switch {
			case r.refused != nil:
				r.done <- r.refused
			case r.finished:
				r.done <- nil
			default:
				left = append(left, r)
			}
		}
		return left
	case len(group) == 1 || errors.Is(err, errNotBegun):
		for _, r := range group {
			w.forget(r.op.ref())
			r.done <- failure("writing to "+r.op.ref().Name, err)
			if r.begun {
				// What is there of it already takes room that others may need.
				left = append(left, &request{op: sweeping(r.op.ref()), ctx: context.Background(), done: make(chan error, 1)})
			}
		}
		return left
	}
	// One of them may be what does not fit or fails: each by itself, then.
	busy := make(map[store.Ref]bool)
	for _, r := range group {
		if ref := r.op.ref(); !busy[ref] {
			alone := w.write([]*request{r})
			left = append(left, alone...)
			busy[ref] = len(alone) > 0
		} else {
			left = append(left, r)
		}
	}
	return left
}

// commit writes a group in one transaction and tells the world.
func (w *writer) commit(group []*request) error {
	begin, room := time.Now(), w.turns.room()
	t := &transaction{w: w, now: w.now(), streams: make(map[store.Ref]*stream, len(group)), room: room}
	if err := t.run(group); err != nil {
		w.recent.undo()
		return err
	}
	w.recent.keep()
	w.crowd.ended(begin, len(group)+len(w.queue))
	if t.room < room {
		w.turns.ended(begin, group)
	}
	if len(w.states)+len(t.streams) > maxStates {
		w.shrink()
	}
	var moves []store.Moved
	for ref, s := range t.streams {
		w.states[ref] = s.state
		if s.moved {
			w.totals.add(s.before, s.state)
			w.tails.moved(ref, s.state)
			moves = append(moves, store.Moved{
				Ref: ref, State: store.State{Stream: s.id, Head: s.head}, Kind: s.kind, Before: s.before.head,
			})
		}
	}
	for _, r := range group {
		if r.stepped {
			r.begun = r.op.committed()
		}
	}
	if len(moves) > 0 {
		w.publish(moves)
	}
	return nil
}

// shrink forgets the streams that nothing is being written to.
func (w *writer) shrink() {
	for ref, s := range w.states {
		if s.tail == s.head {
			delete(w.states, ref)
		}
	}
}

// forget gives up what is being written to a stream: the next one who writes to
// it finds it cleared of that.
func (w *writer) forget(ref store.Ref) { delete(w.states, ref) }

// dropCancelled answers the requests whose callers have gone before anything was
// done for them.
func dropCancelled(group []*request) []*request {
	kept := group[:0]
	for _, r := range group {
		if err := r.ctx.Err(); err != nil && !r.begun {
			r.done <- err
			continue
		}
		kept = append(kept, r)
	}
	return kept
}
