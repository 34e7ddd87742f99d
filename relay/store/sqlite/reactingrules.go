package sqlite

import (
	"hearth/relay/store"
)

// fenceRule checks that the version of a rule is the next one, and that there is room.
func (r *reacting) fenceRule(t *transaction) error {
	if r.Rule == nil {
		return nil
	}
	newest, archived := uint64(0), true // as if there were one that is out of use
	key, found, err := t.ruleKey(r.Space, r.Rule.Name)
	if err != nil {
		return err
	}
	if found {
		r.rules[r.Rule.Name] = key
		_, err := bind(t.prep("SELECT version, archived FROM version WHERE rule = ? ORDER BY version DESC LIMIT 1")).int(key).
			one(func(c *columns) { newest, archived = c.uint(), c.bool() })
		if err != nil {
			return err
		}
	}
	switch {
	case !found && r.Rule.Archived:
		return &store.UnknownRuleError{Space: r.Space, Name: r.Rule.Name}
	case r.Rule.Version != newest+1:
		return r.stale("rule", r.Rule.Name)
	}
	if archived && !r.Rule.Archived {
		inUse := 0
		_, err := bind(t.prep(countRules)).text(r.Space).one(func(c *columns) { inUse = int(c.int()) })
		if err != nil {
			return err
		}
		if inUse >= store.MaxRules {
			return &store.TooManyRulesError{Space: r.Space}
		}
	}
	return nil
}

// countRules counts the rules of a space that are in use.
const countRules = `SELECT count(*) FROM space p JOIN rule r ON r.space = p.key
	JOIN version v ON v.rule = r.key AND v.version = (SELECT max(version) FROM version WHERE rule = r.key)
	WHERE p.name = ? AND v.archived = 0`

func (r *reacting) writeRule(t *transaction) error {
	if r.Rule == nil {
		return nil
	}
	space, err := t.spaceKey(r.Space)
	if err != nil {
		return err
	}
	key, found := r.rules[r.Rule.Name]
	if !found {
		if key, err = insertRule(t.w.queries, space, r.Rule.Name); err != nil {
			return err
		}
		r.rules[r.Rule.Name] = key
	}
	v := *r.Rule
	v.At = t.now
	return insertVersion(t.w.queries, space, key, v)
}

func insertRule(conn *connection, space int64, name string) (key int64, err error) {
	err = bind(conn.Prep("INSERT INTO rule (space, name) VALUES (?, ?)")).int(space).text(name).run()
	return conn.LastInsertRowID(), err
}

func insertVersion(conn *connection, space, rule int64, v store.Rule) error {
	return bind(conn.Prep(`INSERT INTO version (space, rule, version, archived, spec, provenance, actor, reason, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)).
		int(space).int(rule).uint(v.Version).bool(v.Archived).blob(v.Spec).blob(v.Provenance).blob(v.Actor).text(v.Reason).time(v.At).run()
}

// progressMove is how far a rule moves.
type progressMove struct {
	key    int64
	known  bool // whether it has looked at the stream before
	scopes int64
}

// fenceProgress checks that the stream and the rules are as far as the reaction has it.
func (r *reacting) fenceProgress(t *transaction) error {
	r.cursor = 0
	if r.Stream != nil || len(r.Rules) > 0 {
		_, err := bind(t.prep(findEvaluation)).int(r.stream.key).one(func(c *columns) { r.cursor = c.uint() })
		if err != nil {
			return err
		}
	}
	if r.Stream != nil {
		if r.cursor != r.Stream.Was {
			return r.stale("stream", "")
		}
		r.cursor = r.Stream.Now
	}
	for _, p := range r.Rules {
		key, err := r.ruleKey(t, p.Rule)
		if err != nil {
			return err
		}
		var is store.Progress
		m := progressMove{key: key}
		m.known, err = bind(t.prep(`SELECT in_step, cursor, generation, definition, silent_through, scopes
			FROM progress WHERE stream = ? AND rule = ?`)).int(r.stream.key).int(key).
			one(func(c *columns) { is, m.scopes = scanProgress(c), c.int() })
		if err != nil {
			return err
		}
		was := p.Was
		if is.InStep {
			was.Cursor = is.Cursor
		}
		if is != was {
			return r.stale("rule", p.Rule)
		}
		r.moves = append(r.moves, m)
	}
	return nil
}

const findEvaluation = "SELECT cursor FROM evaluation WHERE stream = ?"

// scanProgress reads in_step, cursor, generation, definition and silent_through.
func scanProgress(c *columns) store.Progress {
	return store.Progress{
		InStep: c.bool(), Cursor: c.uint(), Generation: c.uint(), Definition: c.text(), SilentThrough: c.uint(),
	}
}

func (r *reacting) writeProgress(t *transaction) error {
	if r.Stream != nil && r.Stream.Now != r.Stream.Was {
		if err := putEvaluation(t.w.queries, r.stream.key, r.Stream.Now); err != nil {
			return err
		}
	}
	for i, p := range r.Rules {
		m := r.moves[i]
		scopes, err := r.writeStates(t, m, p)
		if err != nil {
			return err
		}
		if p.Now.InStep {
			// It has none of its own: here is where it was when this was written.
			p.Was.Cursor, p.Now.Cursor = r.cursor, r.cursor
		}
		if m.known && scopes == m.scopes && p.Now == p.Was {
			continue
		}
		if err := putProgress(t.w.queries, r.stream.key, m.key, p.Now, scopes); err != nil {
			return err
		}
	}
	return nil
}

func putEvaluation(conn *connection, stream int64, cursor uint64) error {
	err := bind(conn.Prep("UPDATE evaluation SET cursor = ? WHERE stream = ?")).uint(cursor).int(stream).run()
	if err != nil || conn.Changes() > 0 {
		return err
	}
	return bind(conn.Prep("INSERT INTO evaluation (cursor, stream) VALUES (?, ?)")).uint(cursor).int(stream).run()
}

func putProgress(conn *connection, stream, rule int64, p store.Progress, scopes int64) error {
	put := func(query string) error {
		return bind(conn.Prep(query)).bool(p.InStep).uint(p.Cursor).uint(p.Generation).text(p.Definition).uint(p.SilentThrough).
			int(scopes).int(stream).int(rule).run()
	}
	err := put(`UPDATE progress SET in_step = ?, cursor = ?, generation = ?, definition = ?, silent_through = ?, scopes = ?
		WHERE stream = ? AND rule = ?`)
	if err != nil || conn.Changes() > 0 {
		return err
	}
	return put(`INSERT INTO progress (in_step, cursor, generation, definition, silent_through, scopes, stream, rule)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
}

// writeStates forgets states and puts others, and returns in how many scopes the rule
// remembers something then.
func (r *reacting) writeStates(t *transaction, m progressMove, p store.RuleProgress) (scopes int64, err error) {
	scopes = m.scopes
	if p.DropStates {
		if err := bind(t.prep("DELETE FROM scope WHERE stream = ? AND rule = ?")).int(r.stream.key).int(m.key).run(); err != nil {
			return 0, err
		}
		scopes = 0
	}
	for _, s := range p.States {
		if len(s.State) == 0 {
			err := bind(t.prep("DELETE FROM scope WHERE stream = ? AND rule = ? AND scope = ?")).int(r.stream.key).int(m.key).text(s.Scope).run()
			if err != nil {
				return 0, err
			}
			scopes -= int64(t.w.conn.Changes())
			continue
		}
		added, err := putState(t.w.queries, r.stream.key, m.key, s)
		if err != nil {
			return 0, err
		}
		if added {
			scopes++
		}
	}
	return scopes, nil
}

// putState puts a state, and says whether there was none in its scope.
func putState(conn *connection, stream, rule int64, s store.ScopeState) (added bool, err error) {
	err = bind(conn.Prep("UPDATE scope SET deadline = ?, state = ? WHERE stream = ? AND rule = ? AND scope = ?")).
		time(s.Deadline).blob(s.State).int(stream).int(rule).text(s.Scope).run()
	if err != nil || conn.Changes() > 0 {
		return false, err
	}
	return true, bind(conn.Prep("INSERT INTO scope (stream, rule, scope, deadline, state) VALUES (?, ?, ?, ?, ?)")).
		int(stream).int(rule).text(s.Scope).time(s.Deadline).blob(s.State).run()
}
