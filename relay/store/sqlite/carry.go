package sqlite

import (
	"context"

	"hearth/relay/store"
)

// Carry implements [store.Store].
func (r *Reader) Carry(ctx context.Context, ref store.Ref) (stream store.Stream, list []store.Carried, err error) {
	err = r.read(ctx, func(conn *connection) error {
		f, err := r.find(conn, ref)
		stream = f.Stream
		if err != nil || !conn.has(automationsVersion) {
			return err
		}
		list, err = carry(conn, f.key)
		return failed("reading what rules have left", err)
	})
	return stream, list, err
}

// carry lists what automations have left in a stream.
func carry(conn *connection, stream int64) (list []store.Carried, err error) {
	each := func(query string, f func(c *columns) store.Carried) {
		if err != nil {
			return
		}
		err = bind(conn.Prep(query)).int(stream).each(func(c *columns) bool {
			list = append(list, f(c))
			return true
		})
	}
	each(findEvaluation, func(c *columns) store.Carried {
		return store.Carried{Evaluated: &store.Evaluated{Cursor: c.uint()}}
	})
	each(`SELECT r.name, p.in_step, p.cursor, p.generation, p.definition, p.silent_through
		FROM progress p JOIN rule r ON r.key = p.rule WHERE p.stream = ? ORDER BY p.rule`, func(c *columns) store.Carried {
		return store.Carried{Progress: &store.CarriedProgress{Rule: c.text(), Progress: scanProgress(c)}}
	})
	each("SELECT r.name, s.scope, s.deadline, s.state FROM scope s JOIN rule r ON r.key = s.rule WHERE s.stream = ? ORDER BY s.rule, s.scope",
		func(c *columns) store.Carried {
			return store.Carried{State: &store.CarriedState{Rule: c.text(), ScopeState: scanState(c)}}
		})
	first := len(list)
	each(carriedRuns, func(c *columns) store.Carried {
		run := scanRun(c)
		return store.Carried{Run: &run}
	})
	for _, c := range list[first:] {
		if err == nil {
			err = readWhole(conn, c.Run, -1)
		}
	}
	each(`SELECT l.number, r.name, l.seq, coalesce(l.run, ''), l.error, l.reason, l.at
		FROM letter l JOIN rule r ON r.key = l.rule WHERE l.stream = ? ORDER BY l.number`, func(c *columns) store.Carried {
		l := scanLetter(c)
		return store.Carried{Letter: &l}
	})
	return list, err
}

// carriedRuns lists the runs of a stream that are not over.
const carriedRuns = selectRuns + "INDEXED BY firing_with_status" + joinRuns + "WHERE f.stream = ? AND f.status <> 4 AND f.status < 4 ORDER BY f.number"
