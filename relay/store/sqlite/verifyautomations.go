package sqlite

import (
	"context"
	"fmt"
)

// automationPromises are what triggers cannot hold, since it is of several rows: each
// query finds one that breaks it, and names it.
var automationPromises = []struct {
	query string
	says  string // with the name
}{
	{`SELECT name FROM rule WHERE NOT EXISTS (SELECT 1 FROM version WHERE rule = rule.key) LIMIT 1`, "The rule %q has no version."},
	{
		`SELECT name FROM rule WHERE (SELECT count(*) <> max(version) FROM version WHERE rule = rule.key) LIMIT 1`,
		"The rule %q lacks a version.",
	},
	{
		`SELECT s.name FROM stream s JOIN evaluation e ON e.stream = s.key WHERE e.cursor > s.head LIMIT 1`,
		"The stream %q is evaluated further than it goes.",
	},
	{
		`SELECT r.name FROM progress p JOIN rule r ON r.key = p.rule WHERE p.cursor > (SELECT head FROM stream WHERE key = p.stream) LIMIT 1`,
		"The rule %q has come further than its stream goes.",
	},
	{
		`SELECT r.name FROM progress p JOIN rule r ON r.key = p.rule
			WHERE p.scopes <> (SELECT count(*) FROM scope WHERE stream = p.stream AND rule = p.rule) LIMIT 1`,
		"The rule %q counts other scopes than it has.",
	},
	{
		`SELECT f.id FROM firing f INDEXED BY firing_unfinished WHERE f.status < 3 AND f.status <> 1
			AND (f.due IS NOT NULL) <> (f.held = 0 AND (f.ordered = 0 OR NOT EXISTS (
				SELECT 1 FROM firing o INDEXED BY firing_in_line WHERE o.stream = f.stream AND o.rule = f.rule AND o.scope_key = f.scope_key
				AND o.ordered = 1 AND (o.status < 3 OR o.status = 3 AND o.blocks = 1)
				AND ((o.seq, o.number) < (f.seq, f.number) OR o.status = 1)))) LIMIT 1`,
		"The run %q is not where it belongs in its line.",
	},
	{
		`SELECT f.id FROM firing f INDEXED BY firing_with_status WHERE f.status <> 4 AND f.status = 3
			AND NOT EXISTS (SELECT 1 FROM letter WHERE run = f.id AND stream = f.stream) LIMIT 1`,
		"The run %q has failed for good, but has no dead letter.",
	},
	{
		`SELECT l.run FROM letter l WHERE l.run IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM firing WHERE stream = l.stream AND id = l.run AND status = 3) LIMIT 1`,
		"There is a dead letter of the run %q, which has not failed for good.",
	},
}

// automations checks what is kept of rules and their runs.
func (v *verification) automations(ctx context.Context) error {
	for _, promise := range automationPromises {
		err := v.read(ctx, func(conn *connection) error {
			if !conn.has(automationsVersion) {
				return nil
			}
			defer conn.SetInterrupt(conn.SetInterrupt(ctx.Done()))
			_, err := bind(conn.Prep(promise.query)).one(func(c *columns) { v.fault(fmt.Sprintf(promise.says, c.text())) })
			return err
		})
		if err := v.passing(ctx, err); err != nil {
			return err
		}
		if err := v.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}
