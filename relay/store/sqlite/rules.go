package sqlite

import (
	"context"
	"math"
	"time"

	"hearth/relay/store"
)

const ruleColumns = "p.name, r.name, v.version, v.archived, v.spec, v.provenance, v.actor, v.reason, v.at"

func scanRule(c *columns) store.Rule {
	return store.Rule{
		Space: c.text(), Name: c.text(), Version: c.uint(), Archived: c.bool(), Spec: c.blob(), Provenance: c.blob(), Actor: c.blob(),
		Reason: c.text(), At: c.time(),
	}
}

// Rules implements [store.Store].
func (r *Reader) Rules(ctx context.Context, space string) (list []store.Rule, revision uint64, err error) {
	err = r.readAutomations(ctx, "listing the rules", func(conn *connection) error {
		err := bind(conn.Prep(`SELECT ` + ruleColumns + ` FROM space p JOIN rule r ON r.space = p.key
			JOIN version v ON v.rule = r.key AND v.version = (SELECT max(version) FROM version WHERE rule = r.key)
			WHERE ? IN (p.name, '') ORDER BY p.name, r.name`)).text(space).each(func(c *columns) bool {
			list = append(list, scanRule(c))
			return true
		})
		if err != nil {
			return err
		}
		if space == "" {
			_, err = bind(conn.Prep("SELECT coalesce(max(id), 0) FROM version")).one(func(c *columns) { revision = c.uint() })
			return err
		}
		_, err = bind(conn.Prep(findRevision)).text(space).one(func(c *columns) { revision = c.uint() })
		return err
	})
	return list, revision, err
}

// RuleHistory implements [store.Store].
func (r *Reader) RuleHistory(ctx context.Context, space, rule string, before uint64, limit int) (list []store.Rule, err error) {
	err = r.readAutomations(ctx, "reading the versions of a rule", func(conn *connection) error {
		found, err := bind(conn.Prep("SELECT 1 FROM space p JOIN rule r ON r.space = p.key WHERE p.name = ? AND r.name = ?")).
			text(space).text(rule).one(func(*columns) {})
		if err != nil {
			return err
		}
		if !found {
			return &store.UnknownRuleError{Space: space, Name: rule}
		}
		return bind(conn.Prep(`SELECT ` + ruleColumns + ` FROM space p JOIN rule r ON r.space = p.key JOIN version v ON v.rule = r.key
			WHERE p.name = ? AND r.name = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`)).
			text(space).text(rule).int(behindAll(before)).int(int64(limit)).each(func(c *columns) bool {
			list = append(list, scanRule(c))
			return true
		})
	})
	return list, err
}

// readAutomations runs f on a snapshot of a database that has automations; in one that
// is older there is nothing to read.
func (r *Reader) readAutomations(ctx context.Context, doing string, f func(*connection) error) error {
	return r.read(ctx, func(conn *connection) error {
		if !conn.has(automationsVersion) {
			return nil
		}
		err := f(conn)
		if isRefusal(err) {
			return err
		}
		return failed(doing, err)
	})
}

// automationsOf runs f on a snapshot with a stream and the key of a rule, 0 if none is
// named, or not at all if they are not there.
func (r *Reader) automationsOf(ctx context.Context, doing string, ref store.Ref, rule string, f func(conn *connection, stream, rule int64) error) error {
	return r.readAutomations(ctx, doing, func(conn *connection) error {
		var stream, key int64
		found, err := bind(conn.Prep("SELECT s.key FROM space p JOIN stream s ON s.space = p.key WHERE p.name = ? AND s.name = ? AND s.head > 0")).
			text(ref.Space).text(ref.Name).one(func(c *columns) { stream = c.int() })
		if err != nil || !found {
			return err
		}
		if rule != "" {
			found, err := bind(conn.Prep("SELECT r.key FROM space p JOIN rule r ON r.space = p.key WHERE p.name = ? AND r.name = ?")).
				text(ref.Space).text(rule).one(func(c *columns) { key = c.int() })
			if err != nil || !found {
				return err
			}
		}
		return f(conn, stream, key)
	})
}

// behindAll returns a number, and one that is behind all others for 0.
func behindAll(before uint64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return int64(min(before, math.MaxInt64))
}

// Standing implements [store.Store].
func (r *Reader) Standing(ctx context.Context, ref store.Ref) (standing store.Standing, err error) {
	err = r.automationsOf(ctx, "reading how far the rules are", ref, "", func(conn *connection, stream, _ int64) error {
		_, err := bind(conn.Prep("SELECT s.head, coalesce(e.cursor, 0) FROM stream s LEFT JOIN evaluation e ON e.stream = s.key WHERE s.key = ?")).
			int(stream).one(func(c *columns) { standing.Head, standing.Cursor = c.uint(), c.uint() })
		if err != nil {
			return err
		}
		at := make(map[int64]int) // where each rule is in the list
		err = bind(conn.Prep(`SELECT p.rule, r.name, p.in_step, p.cursor, p.generation, p.definition, p.silent_through, p.scopes
			FROM progress p JOIN rule r ON r.key = p.rule WHERE p.stream = ? ORDER BY r.name`)).int(stream).each(func(c *columns) bool {
			at[c.int()] = len(standing.Rules)
			s := store.RuleStanding{Rule: c.text(), Progress: scanProgress(c), Scopes: int(c.int())}
			if s.InStep {
				s.Cursor = standing.Cursor
			}
			standing.Rules = append(standing.Rules, s)
			return true
		})
		if err != nil {
			return err
		}
		return leftBehind(conn, stream, at, standing.Rules)
	})
	return standing, err
}

// leftBehind fills in what rules have left in a stream.
func leftBehind(conn *connection, stream int64, at map[int64]int, list []store.RuleStanding) error {
	of := func(rule int64) *store.RuleStanding {
		if i, ok := at[rule]; ok {
			return &list[i]
		}
		return new(store.RuleStanding) // of a rule that has not looked, which leaves nothing
	}
	err := bind(conn.Prep("SELECT rule, count(*) FROM letter INDEXED BY letter_of_rule WHERE stream = ? GROUP BY rule")).int(stream).
		each(func(c *columns) bool {
			s := of(c.int())
			s.Letters = int(c.int())
			return true
		})
	if err != nil {
		return err
	}
	err = bind(conn.Prep(`SELECT rule, status, count(*) FROM firing INDEXED BY firing_unfinished
		WHERE stream = ? AND status < 3 GROUP BY rule, status`)).int(stream).each(func(c *columns) bool {
		s := of(c.int())
		if store.RunStatus(c.int()) == store.Running {
			s.Running += int(c.int())
		} else {
			s.Waiting += int(c.int())
		}
		return true
	})
	if err != nil {
		return err
	}
	for rule, i := range at {
		_, err := bind(conn.Prep("SELECT seq, created_at FROM firing INDEXED BY firing_of_rule WHERE stream = ? AND rule = ? ORDER BY number DESC LIMIT 1")).
			int(stream).int(rule).one(func(c *columns) { list[i].LastSeq, list[i].LastRun = c.uint(), c.time() })
		if err != nil {
			return err
		}
	}
	return nil
}

// ScopeState implements [store.Store].
func (r *Reader) ScopeState(ctx context.Context, ref store.Ref, rule, scope string) (state store.ScopeState, err error) {
	state.Scope = scope
	err = r.automationsOf(ctx, "reading a state", ref, rule, func(conn *connection, stream, key int64) error {
		_, err := bind(conn.Prep("SELECT scope, deadline, state FROM scope WHERE stream = ? AND rule = ? AND scope = ?")).
			int(stream).int(key).text(scope).one(func(c *columns) { state = scanState(c) })
		return err
	})
	return state, err
}

func scanState(c *columns) store.ScopeState {
	return store.ScopeState{Scope: c.text(), Deadline: c.time(), State: c.blob()}
}

// DueStates implements [store.Store].
func (r *Reader) DueStates(ctx context.Context, ref store.Ref, rule string, at time.Time, limit int) (list []store.ScopeState, err error) {
	err = r.automationsOf(ctx, "reading what is due", ref, rule, func(conn *connection, stream, key int64) error {
		return bind(conn.Prep(`SELECT scope, deadline, state FROM scope INDEXED BY scope_due
			WHERE stream = ? AND rule = ? AND deadline > 0 AND deadline <= ? ORDER BY deadline, scope LIMIT ?`)).
			int(stream).int(key).time(at).int(int64(limit)).each(func(c *columns) bool {
			list = append(list, scanState(c))
			return true
		})
	})
	return list, err
}

// Deadlines implements [store.Store]. It goes from rule to rule, for SQLite would go
// through all deadlines of each.
func (r *Reader) Deadlines(ctx context.Context) (list []store.Deadline, err error) {
	err = r.readAutomations(ctx, "reading deadlines", func(conn *connection) error {
		var stream, rule int64
		for {
			var d store.Deadline
			more, err := bind(conn.Prep(`SELECT c.stream, c.rule, p.name, s.name, r.name, c.deadline FROM scope c INDEXED BY scope_due
				CROSS JOIN stream s ON s.key = c.stream CROSS JOIN space p ON p.key = s.space CROSS JOIN rule r ON r.key = c.rule
				WHERE c.deadline > 0 AND (c.stream, c.rule) > (?, ?) ORDER BY c.stream, c.rule, c.deadline LIMIT 1`)).
				int(stream).int(rule).one(func(c *columns) {
				stream, rule = c.int(), c.int()
				d = store.Deadline{Ref: store.Ref{Space: c.text(), Name: c.text()}, Rule: c.text(), At: c.time()}
			})
			if err != nil || !more {
				return err
			}
			list = append(list, d)
		}
	})
	return list, err
}
