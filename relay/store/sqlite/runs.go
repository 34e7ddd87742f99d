package sqlite

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Runs are read by the indexes that are named: each has just what is asked for, in the
// order that is asked for.
const (
	selectRuns = `SELECT p.name, s.name, f.number, f.id, r.name, f.scope_key, f.scope, f.seq, f.matched, f.chain, f.depth, f.created_at,
		f.ordered, f.blocks, f.held, f.status, f.epoch, f.tried, f.next_at, f.lease, f.updated_at, f.error, f.reason, f.step, f.checkpoints,
		f.output, coalesce((SELECT length(data) FROM checkpoint WHERE run = f.number), 0)
		FROM firing f `
	joinRuns = ` CROSS JOIN rule r ON r.key = f.rule CROSS JOIN stream s ON s.key = f.stream CROSS JOIN space p ON p.key = s.space `

	runByID = selectRuns + joinRuns + `WHERE f.stream = ? AND f.id = ?`

	dueRuns = selectRuns + `INDEXED BY firing_due` + joinRuns + `WHERE f.stream = ? AND f.rule = ? AND f.due IS NOT NULL AND f.due <= ?
		ORDER BY f.due, f.number LIMIT ?`

	dueLater = `SELECT due FROM firing INDEXED BY firing_due WHERE stream = ? AND rule = ? AND due IS NOT NULL AND due > ? ORDER BY due LIMIT 1`

	dueRule = `SELECT stream, rule FROM firing INDEXED BY firing_due WHERE due IS NOT NULL AND (stream, rule) > (?, ?)
		ORDER BY stream, rule LIMIT 1`

	leasedRuns = selectRuns + `INDEXED BY firing_running` + joinRuns + `WHERE f.status = 1 AND f.lease < ? ORDER BY f.lease, f.number LIMIT ?`
)

func scanRun(c *columns) store.RuleRun {
	return store.RuleRun{
		Ref: store.Ref{Space: c.text(), Name: c.text()}, Number: c.uint(), ID: c.text(), Rule: c.text(), ScopeKey: c.text(), Scope: c.blob(),
		FiredSeq: c.uint(), Matched: positions(c.blob()), Chain: c.text(), Depth: int(c.int()), CreatedAt: c.time(),
		Ordered: c.bool(), Blocks: c.bool(), Held: c.bool(), Status: store.RunStatus(c.int()), Epoch: c.uint(), Tried: int(c.int()),
		NextAttemptAt: c.time(), Lease: c.time(), UpdatedAt: c.time(), Error: c.text(), Reason: c.text(), Step: c.text(),
		Checkpoints: int(c.int()), Output: c.blob(), CheckpointSize: int(c.int()),
	}
}

// positions reads the positions of a firing, as many as there are.
func positions(b []byte) (list []uint64) {
	for len(b) > 0 {
		seq, n := binary.Uvarint(b)
		if n <= 0 {
			return list
		}
		list, b = append(list, seq), b[n:]
	}
	return list
}

// RuleRun implements [store.Store].
func (r *Reader) RuleRun(ctx context.Context, ref store.Ref, id string) (run store.RuleRun, err error) {
	found := false
	err = r.automationsOf(ctx, "reading a run", ref, "", func(conn *connection, stream, _ int64) error {
		found, err = bind(conn.Prep(runByID)).int(stream).text(id).one(func(c *columns) { run = scanRun(c) })
		if err != nil || !found {
			return err
		}
		return readWhole(conn, &run, store.MaxAttempts)
	})
	if err == nil && !found {
		err = &store.UnknownRunError{Ref: ref, ID: id}
	}
	return run, err
}

// readWhole reads of a run what lists leave out, the newest attempts only; all of them
// if most is negative.
func readWhole(conn *connection, run *store.RuleRun, most int64) error {
	err := bind(conn.Prep("SELECT number, started, ended, error, reason FROM attempt WHERE run = ? ORDER BY number DESC LIMIT ?")).
		uint(run.Number).int(most).each(func(c *columns) bool {
		run.Attempts = append(run.Attempts, store.Attempt{
			Number: int(c.int()), Started: c.time(), Ended: c.time(), Error: c.text(), Reason: c.text(),
		})
		return true
	})
	if err != nil {
		return err
	}
	slices.Reverse(run.Attempts)
	_, err = bind(conn.Prep("SELECT data FROM checkpoint WHERE run = ?")).uint(run.Number).one(func(c *columns) { run.Checkpoint = c.blob() })
	return err
}

// RuleRuns implements [store.Store].
func (r *Reader) RuleRuns(ctx context.Context, ref store.Ref, f store.RunFilter, limit int) (list []store.RuleRun, err error) {
	err = r.automationsOf(ctx, "listing runs", ref, f.Rule, func(conn *connection, stream, rule int64) error {
		if len(f.Status) == 0 {
			list, err = listRuns(conn, stream, rule, f, nil, limit)
			return err
		}
		for _, status := range slices.Compact(slices.Sorted(slices.Values(f.Status))) {
			of, err := listRuns(conn, stream, rule, f, &status, limit)
			if err != nil {
				return err
			}
			list = append(list, of...)
		}
		slices.SortFunc(list, func(a, b store.RuleRun) int { return cmp.Compare(b.Number, a.Number) })
		var kept runsOfPage
		for _, run := range list[:min(len(list), limit)] {
			if !kept.add(run) {
				break
			}
		}
		list = kept.list
		return nil
	})
	return list, err
}

// listRuns lists runs of a status, or of all if that is nil.
func listRuns(conn *connection, stream, rule int64, f store.RunFilter, status *store.RunStatus, limit int) ([]store.RuleRun, error) {
	index, where := "firing_in_stream", "f.stream = ?"
	if f.Rule != "" {
		index, where = "firing_of_rule", where+" AND f.rule = ?"
	}
	if f.ScopeKey != "" {
		where += " AND f.scope_key = ?"
		if f.Rule != "" {
			index = "firing_in_scope"
		}
	}
	if status != nil {
		where += " AND f.status = ?"
		if *status != store.Succeeded { // most are, so that they lie close anywhere
			index, where = "firing_with_status", where+" AND f.status <> 4"
		}
	}
	if f.Held {
		where += " AND f.held = 1"
	}
	p := bind(conn.Prep(selectRuns + "INDEXED BY " + index + joinRuns + "WHERE " + where + " AND f.number < ? ORDER BY f.number DESC LIMIT ?")).
		int(stream)
	if f.Rule != "" {
		p.int(rule)
	}
	if f.ScopeKey != "" {
		p.text(f.ScopeKey)
	}
	if status != nil {
		p.int(int64(*status))
	}
	var page runsOfPage
	err := p.int(behindAll(f.Before)).int(int64(limit)).each(func(c *columns) bool { return page.add(scanRun(c)) })
	return page.list, err
}

// runsOfPage are runs until they have the bytes of a page.
type runsOfPage struct {
	list  []store.RuleRun
	bytes int
}

// add adds a run, unless it is one too many, and says whether it was not.
func (p *runsOfPage) add(run store.RuleRun) bool {
	p.bytes += len(run.ScopeKey) + len(run.Scope) + 8*len(run.Matched) + len(run.Error) + len(run.Output) + runExtra
	if p.bytes > protocol.MaxPageData && len(p.list) > 0 {
		return false
	}
	p.list = append(p.list, run)
	return true
}

// DueRuns implements [store.Store]. It goes from rule to rule: one with many runs that
// are due hides no other.
func (r *Reader) DueRuns(ctx context.Context, d store.Due) (list []store.RuleRun, next time.Time, err error) {
	of := func(conn *connection, stream, rule int64) error {
		err := bind(conn.Prep(dueRuns)).int(stream).int(rule).int(d.At.UnixMicro()).int(int64(d.Each)).each(func(c *columns) bool {
			list = append(list, scanRun(c))
			return true
		})
		if err != nil {
			return err
		}
		_, err = bind(conn.Prep(dueLater)).int(stream).int(rule).int(d.At.UnixMicro()).one(func(c *columns) {
			if at := c.time(); next.IsZero() || at.Before(next) {
				next = at
			}
		})
		return err
	}
	const doing = "looking for runs that are due"
	if d.Rule != "" {
		err = r.automationsOf(ctx, doing, d.Ref, d.Rule, of)
		return list, next, err
	}
	err = r.readAutomations(ctx, doing, func(conn *connection) error {
		var stream, rule int64
		for {
			more, err := bind(conn.Prep(dueRule)).int(stream).int(rule).one(func(c *columns) { stream, rule = c.int(), c.int() })
			if err != nil || !more {
				return err
			}
			if err := of(conn, stream, rule); err != nil {
				return err
			}
		}
	})
	return list, next, err
}

// Leases implements [store.Store].
func (r *Reader) Leases(ctx context.Context, before time.Time, limit int) (list []store.RuleRun, err error) {
	err = r.readAutomations(ctx, "looking for leases that end", func(conn *connection) error {
		return bind(conn.Prep(leasedRuns)).time(before).int(int64(limit)).each(func(c *columns) bool {
			list = append(list, scanRun(c))
			return true
		})
	})
	return list, err
}
