package sqlite

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"hearth/relay/store"
)

// runMove is a run that changes, as it was before.
type runMove struct {
	number      int64
	rule        string
	line        line
	seq         uint64
	ordered     bool
	status      store.RunStatus
	due         bool
	checkpoints int64
	attempts    int64 // the number of the last one
}

// fenceRuns checks that new runs are not there, and that others are as they were read.
func (r *reacting) fenceRuns(t *transaction) error {
	for i := range r.NewRuns {
		n := &r.NewRuns[i]
		if _, err := r.ruleKey(t, n.Rule); err != nil {
			return err
		}
		there, err := bind(t.prep("SELECT 1 FROM firing WHERE stream = ? AND id = ?")).int(r.stream.key).text(n.ID).one(func(*columns) {})
		if err != nil {
			return err
		}
		if there {
			return r.stale("run", n.ID)
		}
	}
	for i := range r.Runs {
		change := &r.Runs[i]
		var m runMove
		var epoch uint64
		found, err := bind(t.prep(`SELECT f.number, r.name, f.rule, f.scope_key, f.seq, f.ordered, f.status, f.epoch, f.due IS NOT NULL,
			f.checkpoints, (SELECT coalesce(max(number), 0) FROM attempt WHERE run = f.number)
			FROM firing f JOIN rule r ON r.key = f.rule WHERE f.stream = ? AND f.id = ?`)).int(r.stream.key).text(change.ID).
			one(func(c *columns) {
				m = runMove{
					number: c.int(), rule: c.text(), line: line{rule: c.int(), scope: c.text()}, seq: c.uint(),
					ordered: c.bool(), status: store.RunStatus(c.int()),
				}
				epoch, m.due, m.checkpoints, m.attempts = c.uint(), c.bool(), c.int(), c.int()
			})
		begins := change.Status == store.Running && m.status != store.Running
		switch {
		case err != nil:
			return err
		case !found:
			return &store.UnknownRunError{Ref: r.Ref, ID: change.ID}
		case epoch != change.Was, begins && !m.due, change.Renew && m.status != store.Running:
			return r.stale("run", change.ID)
		}
		r.rules[m.rule] = m.line.rule
		r.runs = append(r.runs, m)
	}
	return nil
}

func (r *reacting) writeRuns(t *transaction) error {
	lines := make(map[line]bool) // in which others may begin now, or may no longer
	for i, change := range r.Runs {
		m := r.runs[i]
		if change.Renew {
			if err := bind(t.prep("UPDATE firing SET lease = ? WHERE number = ?")).time(change.Lease).int(m.number).run(); err != nil {
				return err
			}
			continue
		}
		n := change.RuleRun
		n.Epoch, n.UpdatedAt = change.Was+1, t.now
		if n.Status == store.Running {
			n.Ordered = m.ordered // or it would run beside one that it should have waited for
		}
		if err := r.writeRun(t, m, n); err != nil {
			return err
		}
		if m.ordered || n.Ordered {
			lines[m.line] = true
		}
	}
	for _, n := range r.NewRuns {
		now := t.now.UTC().Truncate(time.Microsecond)
		n.Ref, n.Number, n.Epoch, n.CreatedAt, n.UpdatedAt = r.Ref, 0, 1, now, now
		key := r.rules[n.Rule]
		number, err := insertRun(t.w.queries, r.stream.key, key, n)
		if err != nil {
			return err
		}
		n.Number = uint64(number)
		r.done.Runs = append(r.done.Runs, n)
		if n.Ordered {
			lines[line{key, n.ScopeKey}] = true
		}
	}
	for _, l := range slices.SortedFunc(maps.Keys(lines), line.compare) {
		if err := l.settle(t.w.queries, r.stream.key); err != nil {
			return err
		}
	}
	return nil
}

// insertRun writes a run that is new.
func insertRun(conn *connection, stream, rule int64, n store.RuleRun) (number int64, err error) {
	matched := make([]byte, 0, 3*len(n.Matched))
	for _, seq := range n.Matched {
		matched = binary.AppendUvarint(matched, seq)
	}
	p := bind(conn.Prep(`INSERT INTO firing (number, stream, id, rule, scope_key, scope, seq, matched, chain, depth, created_at,
		ordered, blocks, held, status, epoch, tried, next_at, due, lease, updated_at, error, reason, step, checkpoints, output)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`))
	if n.Number == 0 {
		p.null() // the next one
	} else {
		p.uint(n.Number)
	}
	p.int(stream).text(n.ID).int(rule).text(n.ScopeKey).blob(n.Scope).uint(n.FiredSeq).blob(matched).text(n.Chain).int(int64(n.Depth)).
		time(n.CreatedAt)
	err = bindStanding(p, n).run()
	return conn.LastInsertRowID(), err
}

// bindStanding binds where a run stands, from ordered to output. One that is ordered
// is due once its line is settled.
func bindStanding(p *params, n store.RuleRun) *params {
	p.bool(n.Ordered).bool(n.Blocks).bool(n.Held).int(int64(n.Status)).uint(n.Epoch).int(int64(n.Tried)).time(n.NextAttemptAt)
	if (n.Status == store.Pending || n.Status == store.Retrying) && !n.Held && !n.Ordered {
		p.time(n.NextAttemptAt)
	} else {
		p.null()
	}
	if n.Status != store.Running {
		n.Lease = time.Time{}
	}
	return p.time(n.Lease).time(n.UpdatedAt).text(n.Error).text(n.Reason).text(n.Step).int(int64(n.Checkpoints)).blob(n.Output)
}

// writeRun writes a run as it is from now on.
func (r *reacting) writeRun(t *transaction, m runMove, n store.RuleRun) error {
	p := bind(t.prep(`UPDATE firing SET ordered = ?, blocks = ?, held = ?, status = ?, epoch = ?, tried = ?, next_at = ?, due = ?, lease = ?,
		updated_at = ?, error = ?, reason = ?, step = ?, checkpoints = ?, output = ? WHERE number = ?`))
	if err := bindStanding(p, n).int(m.number).run(); err != nil {
		return err
	}
	if err := writeAttempts(t.w.queries, m.number, m.attempts, n.Attempts); err != nil {
		return err
	}
	if int64(n.Checkpoints) > m.checkpoints {
		if err := putCheckpoint(t.w.queries, m.number, n.Checkpoint); err != nil {
			return err
		}
	}
	dead := n.Status == store.DeadLettered
	switch was := m.status == store.DeadLettered; {
	case dead && !was:
		return r.writeLetter(t, store.Letter{Rule: m.rule, Seq: m.seq, RunID: n.ID, Error: n.Error, Reason: n.Reason})
	case was && !dead:
		return bind(t.prep("DELETE FROM letter WHERE stream = ? AND run = ?")).int(r.stream.key).text(n.ID).run()
	}
	return nil
}

// writeAttempts adds the attempts behind the last one, and ends that if it has ended.
func writeAttempts(conn *connection, run, last int64, attempts []store.Attempt) error {
	for _, a := range attempts {
		query := `UPDATE attempt SET ended = ?, error = ?, reason = ? WHERE run = ? AND number = ? AND ended = 0`
		switch {
		case int64(a.Number) < last:
			continue
		case int64(a.Number) > last:
			query = `INSERT INTO attempt (ended, error, reason, run, number, started) VALUES (?, ?, ?, ?, ?, ?)`
		}
		p := bind(conn.Prep(query)).time(a.Ended).text(a.Error).text(a.Reason).int(run).int(int64(a.Number))
		if int64(a.Number) > last {
			p.time(a.Started)
		}
		if err := p.run(); err != nil {
			return err
		}
	}
	return nil
}

func putCheckpoint(conn *connection, run int64, data []byte) error {
	err := bind(conn.Prep("UPDATE checkpoint SET data = ? WHERE run = ?")).blob(data).int(run).run()
	if err != nil || conn.Changes() > 0 {
		return err
	}
	return bind(conn.Prep("INSERT INTO checkpoint (data, run) VALUES (?, ?)")).blob(data).int(run).run()
}
