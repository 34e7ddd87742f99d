package sqlite

import (
	"errors"

	"hearth/relay/store"
)

// Carried writes a part of what automations had left: those of a stream once that has
// ended, in their order; those of spaces behind all streams, a rule's versions in
// theirs. A run that was not over is held: it may have gone on since.
func (l *Loader) Carried(c store.Carried) error {
	if err := l.begin(); err != nil {
		return err
	}
	if err := l.carried(c); err != nil {
		return failure("loading what rules have left", err)
	}
	if l.left <= 0 {
		return l.commit()
	}
	return nil
}

func (l *Loader) carried(c store.Carried) error {
	switch {
	case c.Rule != nil:
		return l.rule(*c.Rule)
	case c.Schedule != nil:
		return l.schedule(*c.Schedule)
	case l.ended == nil:
		return errors.New("there is no stream that it belongs to")
	case c.Evaluated != nil:
		return putEvaluation(l.queries, l.key, c.Evaluated.Cursor)
	case c.Progress != nil:
		_, rule, err := l.ruleKey(l.ended.Space, c.Progress.Rule)
		if err != nil {
			return err
		}
		return putProgress(l.queries, l.key, rule, c.Progress.Progress, 0)
	case c.State != nil:
		return l.state(*c.State)
	case c.Run != nil:
		return l.run(*c.Run)
	case c.Letter != nil:
		_, rule, err := l.ruleKey(l.ended.Space, c.Letter.Rule)
		if err != nil {
			return err
		}
		return insertLetter(l.queries, l.key, rule, *c.Letter)
	default:
		return errors.New("there is nothing in it")
	}
}

// ruleKey returns the keys of a space and of a rule in it, which it makes if they are
// not there yet: versions follow.
func (l *Loader) ruleKey(space, name string) (in, key int64, err error) {
	if in, err = spaceKey(l.stmts.addSpace, l.queries, space, 0); err != nil {
		return 0, 0, err
	}
	found, err := bind(l.queries.Prep("SELECT key FROM rule WHERE space = ? AND name = ?")).int(in).text(name).one(func(c *columns) { key = c.int() })
	if err != nil || found {
		return in, key, err
	}
	key, err = insertRule(l.queries, in, name)
	return in, key, err
}

func (l *Loader) rule(v store.Rule) error {
	in, key, err := l.ruleKey(v.Space, v.Name)
	if err != nil {
		return err
	}
	l.left -= len(v.Spec)
	return insertVersion(l.queries, in, key, v)
}

func (l *Loader) schedule(s store.Schedule) error {
	in, err := spaceKey(l.stmts.addSpace, l.queries, s.Space, 0)
	if err != nil {
		return err
	}
	key, err := insertSchedule(l.queries, in, s)
	if err != nil {
		return err
	}
	l.left -= len(s.Spec)
	for stream, at := range s.Ticks {
		if err := putTick(l.queries, key, stream, at); err != nil {
			return err
		}
	}
	return nil
}

func (l *Loader) state(s store.CarriedState) error {
	_, rule, err := l.ruleKey(l.ended.Space, s.Rule)
	if err != nil {
		return err
	}
	l.left -= len(s.State)
	if _, err := putState(l.queries, l.key, rule, s.ScopeState); err != nil {
		return err
	}
	return bind(l.queries.Prep("UPDATE progress SET scopes = scopes + 1 WHERE stream = ? AND rule = ?")).int(l.key).int(rule).run()
}

func (l *Loader) run(n store.RuleRun) error {
	_, rule, err := l.ruleKey(l.ended.Space, n.Rule)
	if err != nil {
		return err
	}
	n.Held = n.Status.Unfinished()
	number, err := insertRun(l.queries, l.key, rule, n)
	if err != nil {
		return err
	}
	l.left -= len(n.Checkpoint) + len(n.Output)
	if n.Checkpoints > 0 {
		if err := putCheckpoint(l.queries, number, n.Checkpoint); err != nil {
			return err
		}
	}
	return writeAttempts(l.queries, number, 0, n.Attempts)
}
