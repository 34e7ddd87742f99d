package sqlite

import (
	"time"

	"zombiezen.com/go/sqlite"
)

// params binds values to the parameters of a statement, one after the other.
type params struct {
	stmt *sqlite.Stmt
	last int
}

func bind(stmt *sqlite.Stmt) *params { return &params{stmt: stmt} }

func (p *params) int(n int64) *params {
	p.last++
	p.stmt.BindInt64(p.last, n)
	return p
}

func (p *params) uint(n uint64) *params { return p.int(int64(n)) }

func (p *params) bool(yes bool) *params {
	p.last++
	p.stmt.BindBool(p.last, yes)
	return p
}

func (p *params) text(s string) *params {
	p.last++
	p.stmt.BindText(p.last, s)
	return p
}

// blob binds bytes; none of them are an empty blob.
func (p *params) blob(b []byte) *params {
	p.last++
	if len(b) == 0 {
		p.stmt.BindZeroBlob(p.last, 0)
	} else {
		p.stmt.BindBytes(p.last, b)
	}
	return p
}

// time binds a time as microseconds since 1970, 0 if there is none.
func (p *params) time(t time.Time) *params { return p.int(microseconds(t)) }

func (p *params) null() {
	p.last++
	p.stmt.BindNull(p.last)
}

// run steps the statement, which returns nothing.
func (p *params) run() error { return run(p.stmt) }

// one steps a statement that returns a row at the most, calls f with that, and says
// whether there is one.
func (p *params) one(f func(*columns)) (found bool, err error) {
	found, err = p.stmt.Step()
	if found {
		f(&columns{stmt: p.stmt})
	}
	return found, finish(p.stmt, err)
}

// each steps a statement and calls f with each of its rows until that returns false.
func (p *params) each(f func(*columns) bool) error {
	for {
		more, err := p.stmt.Step()
		if err != nil || !more || !f(&columns{stmt: p.stmt}) {
			return finish(p.stmt, err)
		}
	}
}

// columns reads the columns of a row, one after the other.
type columns struct {
	stmt *sqlite.Stmt
	next int
}

func (c *columns) int() int64 {
	c.next++
	return c.stmt.ColumnInt64(c.next - 1)
}

func (c *columns) uint() uint64 { return uint64(c.int()) }

func (c *columns) bool() bool { return c.int() != 0 }

func (c *columns) text() string {
	c.next++
	return c.stmt.ColumnText(c.next - 1)
}

// blob returns a copy of bytes, nil if there are none.
func (c *columns) blob() []byte {
	c.next++
	size := c.stmt.ColumnLen(c.next - 1)
	if size == 0 {
		return nil
	}
	b := make([]byte, size)
	c.stmt.ColumnBytes(c.next-1, b)
	return b
}

// time returns what params.time has bound.
func (c *columns) time() time.Time { return timeOf(c.int()) }

// microseconds returns a time as microseconds since 1970, 0 for none.
func microseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOf(microseconds int64) time.Time {
	if microseconds == 0 {
		return time.Time{}
	}
	return time.UnixMicro(microseconds).UTC()
}
