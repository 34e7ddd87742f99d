package sqlite

import (
	"context"

	"hearth/relay/store"
)

// Letters implements [store.Store].
func (r *Reader) Letters(ctx context.Context, ref store.Ref, f store.LetterFilter, limit int) (list []store.Letter, err error) {
	err = r.automationsOf(ctx, "listing dead letters", ref, f.Rule, func(conn *connection, stream, rule int64) error {
		index, where := "letter_in_stream", "l.stream = ?"
		if f.Rule != "" {
			index, where = "letter_of_rule", where+" AND l.rule = ?"
		}
		p := bind(conn.Prep(`SELECT l.number, r.name, l.seq, coalesce(l.run, ''), l.error, l.reason, l.at
			FROM letter l INDEXED BY ` + index + ` CROSS JOIN rule r ON r.key = l.rule
			WHERE ` + where + ` AND l.number < ? ORDER BY l.number DESC LIMIT ?`)).int(stream)
		if f.Rule != "" {
			p.int(rule)
		}
		return p.int(behindAll(f.Before)).int(int64(limit)).each(func(c *columns) bool {
			list = append(list, scanLetter(c))
			return true
		})
	})
	return list, err
}

func scanLetter(c *columns) store.Letter {
	return store.Letter{
		Number: c.uint(), Rule: c.text(), Seq: c.uint(), RunID: c.text(), Error: c.text(), Reason: c.text(), At: c.time(),
	}
}
