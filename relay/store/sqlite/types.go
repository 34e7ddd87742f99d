package sqlite

import (
	"context"
	"time"

	"hearth/relay/store"
)

// PutType implements [store.Store].
func (s *Store) PutType(ctx context.Context, t store.Type) error {
	return s.writer.do(ctx, &typing{Type: t})
}

// DropType implements [store.Store].
func (s *Store) DropType(ctx context.Context, space, name string) error {
	return s.writer.do(ctx, &typing{Type: store.Type{Space: space, Name: name}, drop: true})
}

// typing puts or drops a type.
type typing struct {
	store.Type
	drop bool
}

// ref is that of no stream: only others who change the types of the space are
// before or after.
func (c *typing) ref() store.Ref { return store.Ref{Space: c.Space} }

func (*typing) large() bool { return false }

func (c *typing) step(t *transaction) (finished bool, err error) {
	if c.drop {
		stmt := t.w.stmts.dropType
		stmt.BindText(1, c.Space)
		stmt.BindText(2, c.Name)
		if err := run(stmt); err != nil {
			return false, err
		}
		if t.w.conn.Changes() == 0 {
			return false, &store.UnknownTypeError{Space: c.Space, Name: c.Name}
		}
		return true, nil
	}
	stmt := t.w.stmts.otherTypes
	stmt.BindText(1, c.Space)
	stmt.BindText(2, c.Name)
	_, err = stmt.Step()
	others := stmt.ColumnInt(0)
	if err := finish(stmt, err); err != nil {
		return false, err
	}
	if others >= store.MaxTypes {
		return false, &store.TooManyTypesError{Space: c.Space}
	}
	c.ChangedAt = t.now
	return true, t.w.stmts.insertType(c.Type)
}

func (*typing) committed() bool { return true }

// Types implements [store.Store].
func (r *Reader) Types(ctx context.Context, space string) (list []store.Type, err error) {
	err = r.read(ctx, func(conn *connection) error {
		if !conn.has(eventsVersion) {
			return nil
		}
		stmt := conn.Prep(`SELECT p.name, t.name, t.schema, t.changed_at FROM space p JOIN event_type t ON t.space = p.key
			WHERE ?1 IN (p.name, '') ORDER BY p.name, t.name`)
		stmt.BindText(1, space)
		for {
			more, err := stmt.Step()
			if err != nil || !more {
				return failed("listing the types", finish(stmt, err))
			}
			t := store.Type{
				Space: stmt.ColumnText(0), Name: stmt.ColumnText(1), Schema: make([]byte, stmt.ColumnLen(2)),
				ChangedAt: time.UnixMilli(stmt.ColumnInt64(3)).UTC(),
			}
			stmt.ColumnBytes(2, t.Schema)
			list = append(list, t)
		}
	})
	return list, err
}
