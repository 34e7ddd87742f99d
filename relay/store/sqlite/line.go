package sqlite

import (
	"cmp"
)

// line is where the ordered runs of a rule in a scope wait for each other, in one
// stream.
type line struct {
	rule  int64
	scope string
}

func (l line) compare(other line) int {
	return cmp.Or(cmp.Compare(l.rule, other.rule), cmp.Compare(l.scope, other.scope))
}

const (
	// firstInLine finds the run that is first in a line, whether it may begin, and when.
	firstInLine = `SELECT number, status IN (0, 2) AND held = 0, next_at FROM firing INDEXED BY firing_in_line
		WHERE stream = ? AND rule = ? AND scope_key = ? AND ordered = 1 AND (status < 3 OR status = 3 AND blocks = 1)
		ORDER BY seq, number LIMIT 1`

	// activeInLine finds the one run of a line that runs, or is the next to.
	activeInLine = `SELECT number, status FROM firing INDEXED BY firing_one_by_one
		WHERE stream = ? AND rule = ? AND scope_key = ? AND ordered = 1 AND (status = 1 OR due IS NOT NULL)`
)

// settle says of the runs in a line which one may begin: the first one, unless one runs
// or the first one is held.
func (l line) settle(conn *connection, stream int64) error {
	var active, status, first, next int64
	var ready bool
	runs, err := bind(conn.Prep(activeInLine)).int(stream).int(l.rule).text(l.scope).
		one(func(c *columns) { active, status = c.int(), c.int() })
	if err != nil || runs && status == int64(1) {
		return err
	}
	_, err = bind(conn.Prep(firstInLine)).int(stream).int(l.rule).text(l.scope).
		one(func(c *columns) { first, ready, next = c.int(), c.bool(), c.int() })
	if err != nil {
		return err
	}
	if !ready {
		first = 0
	}
	if active != 0 && active != first {
		if err := bind(conn.Prep("UPDATE firing SET due = NULL WHERE number = ?")).int(active).run(); err != nil {
			return err
		}
	}
	if first != 0 {
		return bind(conn.Prep("UPDATE firing SET due = ? WHERE number = ?")).int(next).int(first).run()
	}
	return nil
}
