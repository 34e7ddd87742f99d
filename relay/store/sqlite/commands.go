package sqlite

import (
	"context"
	"fmt"
	"time"

	"hearth/relay/store"
)

const (
	// keepCommands is for how long the result of a command is remembered: who was
	// off the network for longer than a month asks what has become of it.
	keepCommands = 30 * 24 * time.Hour

	// maxCommands is how many results are remembered at the most: some 150 MB.
	maxCommands = 1_000_000

	// pruneAtOnce is how many results go at the most for each that comes, so that
	// there are fewer soon and no commit takes longer for it.
	pruneAtOnce = 2
)

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, c store.Command, result []byte) (first []byte, err error) {
	if err := checkResult(result); err != nil {
		return nil, err
	}
	op := &settling{command: c, key: c.Key(), result: result}
	if err := s.writer.do(ctx, op); err != nil {
		return nil, err
	}
	return op.first, nil
}

// checkResult refuses what cannot be remembered.
func checkResult(result []byte) error {
	if len(result) == 0 || len(result) > store.MaxResult {
		return fmt.Errorf("the result of a command has 1 to %d bytes, not %d", store.MaxResult, len(result))
	}
	return nil
}

// settling is the result of a command that has no effect.
type settling struct {
	command       store.Command
	key           [16]byte
	result, first []byte
}

// ref is that of the stream that the command was meant for: whoever runs it comes
// before or after.
func (c *settling) ref() store.Ref { return store.Ref{Space: c.command.Space, Name: c.command.Stream} }

func (*settling) large() bool { return false }

func (c *settling) step(t *transaction) (finished bool, err error) {
	if c.first, err = t.recall(c.key); err != nil || c.first != nil {
		return true, err
	}
	c.first = c.result
	return true, t.remember(c.key, c.result)
}

func (*settling) committed() bool { return true }

// recall returns the result of a command, or nil if there is none.
func (t *transaction) recall(key [16]byte) (result []byte, err error) {
	stmt := t.w.stmts.findCommand
	stmt.BindBytes(1, key[:])
	found, err := stmt.Step()
	if found {
		result = make([]byte, stmt.ColumnLen(0))
		stmt.ColumnBytes(0, result)
	}
	return result, finish(stmt, err)
}

// remember keeps the result of a command that has none.
func (t *transaction) remember(key [16]byte, result []byte) error {
	t.remembered++
	return t.w.stmts.insertCommand(store.Remembered{Key: key, At: t.now, Result: result})
}

// prune lets go of the oldest results, if there are new ones.
func (t *transaction) prune() error {
	if t.remembered == 0 {
		return nil
	}
	stmt := t.w.stmts.pruneCommands
	stmt.BindInt64(1, int64(pruneAtOnce*t.remembered))
	stmt.BindInt64(2, t.now.Add(-keepCommands).UnixMilli())
	stmt.BindInt64(3, maxCommands)
	return run(stmt)
}

// Recall implements [store.Store].
func (r *Reader) Recall(ctx context.Context, c store.Command) (result []byte, found bool, err error) {
	key := c.Key()
	err = r.read(ctx, func(conn *connection) error {
		if !conn.has(eventsVersion) {
			return nil
		}
		stmt := conn.Prep("SELECT result FROM command WHERE key = ?")
		stmt.BindBytes(1, key[:])
		if found, err = stmt.Step(); found {
			result = make([]byte, stmt.ColumnLen(0))
			stmt.ColumnBytes(0, result)
		}
		return failed("recalling a command", finish(stmt, err))
	})
	return result, found, err
}

// Commands implements [store.Store].
func (r *Reader) Commands(ctx context.Context, after uint64, limit int) (list []store.Remembered, err error) {
	err = r.read(ctx, func(conn *connection) error {
		if !conn.has(eventsVersion) {
			return nil
		}
		stmt := conn.Prep("SELECT seq, key, at, result FROM command WHERE seq > ? ORDER BY seq LIMIT ?")
		stmt.BindInt64(1, int64(after))
		stmt.BindInt64(2, int64(limit))
		for {
			more, err := stmt.Step()
			if err != nil || !more {
				return failed("listing the commands", finish(stmt, err))
			}
			c := store.Remembered{
				Seq: uint64(stmt.ColumnInt64(0)), At: time.UnixMilli(stmt.ColumnInt64(2)).UTC(), Result: make([]byte, stmt.ColumnLen(3)),
			}
			stmt.ColumnBytes(1, c.Key[:])
			stmt.ColumnBytes(3, c.Result)
			list = append(list, c)
		}
	})
	return list, err
}
