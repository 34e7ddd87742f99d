package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hearth/relay/reflex"
	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// Replay lets a rule look once more at what it has seen of a stream.
type Replay struct {
	store.Ref
	Rule   string
	From   uint64       // the position behind which it begins
	Refire bool         // whether it fires anew; otherwise only what it remembers is made anew
	Actor  reflex.Actor // who wants it

	// Command is the command that this is, and Result how its result is rendered; nil if
	// it is none.
	Command *store.Command
	Result  func(store.Progress) []byte
}

// BeyondError says that a replay is to begin behind the end of the stream.
type BeyondError struct {
	From uint64
	Head uint64
}

func (e *BeyondError) Error() string {
	return fmt.Sprintf("the stream ends at %d: nothing can be looked at again behind %d", e.Head, e.From)
}

// ElsewhereError says that a rule does not look at a stream.
type ElsewhereError struct {
	store.Ref
	Rule string
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the rule %.100q does not look at the stream %q", e.Rule, e.Name)
}

// Replay begins a replay and returns how far the rule is then: what it comes to happens
// afterwards. If the command ran before, nothing is done, and its result is returned.
//
// The errors are those of React, *BeyondError and *ElsewhereError, and
// *store.NotFoundError if there is no such stream.
func (e *Engine) Replay(ctx context.Context, r Replay) (now store.Progress, earlier []byte, err error) {
	e.mu.Lock()
	v := e.evaluator(r.Ref)
	e.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	for stale := 0; ; stale++ {
		now, earlier, err = v.replay(ctx, r)
		old, ok := errors.AsType[*store.StaleError](err)
		if !ok || stale == maxStale {
			return now, earlier, err
		}
		if old.What == "rules" {
			if err := e.reload(ctx, r.Space); err != nil {
				return now, nil, err
			}
		}
	}
}

func (v *evaluator) replay(ctx context.Context, r Replay) (now store.Progress, earlier []byte, err error) {
	set, rule, err := v.replayed(ctx, r)
	if err != nil {
		return now, nil, err
	}
	standing, err := v.engine.store.Standing(ctx, v.ref)
	if err != nil {
		return now, nil, fmt.Errorf("reading how far the rules are: %w", err)
	}
	switch {
	case standing.Head == 0:
		return now, nil, &store.NotFoundError{Ref: v.ref}
	case r.From > standing.Head:
		return now, nil, &BeyondError{From: r.From, Head: standing.Head}
	}
	var was store.Progress
	for _, row := range standing.Rules {
		if row.Rule == r.Rule {
			was = row.Progress
		}
	}
	m := member{version: rule}
	before := rules.Progress{Generation: int(was.Generation)}
	if r.Refire {
		m.progress = rule.spec.Refire(before, r.From)
	} else {
		m.progress = rule.spec.Rebuild(before, r.From, standing.Head)
	}
	told, err := reset(v.ref.Name, r.Actor, r.Rule, "replayed", m.progress)
	if err != nil {
		return now, nil, err
	}
	now = m.at(standing.Cursor)
	now.InStep = now.InStep && rule.active()
	reaction := store.Reaction{
		Ref: v.ref, Revision: set.revision, Stream: &store.StreamProgress{Was: standing.Cursor, Now: standing.Cursor},
		Rules: []store.RuleProgress{{Rule: r.Rule, Was: was, Now: now, DropStates: true}},
		Facts: []store.Fact{told}, Command: r.Command,
	}
	if r.Command != nil {
		reaction.Result = func(store.Reacted) []byte { return r.Result(now) }
	}
	done, err := v.engine.store.React(ctx, reaction)
	if err != nil || done.Earlier != nil {
		return now, done.Earlier, err
	}
	delete(v.broken, r.Rule)
	v.forget()
	v.poke()
	return now, nil, nil
}

// replayed returns the rule of a replay.
func (v *evaluator) replayed(ctx context.Context, r Replay) (*ruleset, *version, error) {
	set := v.engine.rules(r.Space)
	if set == nil {
		if err := v.engine.reload(ctx, r.Space); err != nil {
			return nil, nil, err
		}
		set = v.engine.rules(r.Space)
	}
	rule := set.rules[r.Rule]
	switch {
	case rule == nil || rule.Archived:
		return nil, nil, &store.UnknownRuleError{Space: r.Space, Name: r.Rule}
	case rule.err != nil:
		return nil, nil, rule.err
	case !slices.Contains(rule.spec.Streams, r.Name):
		return nil, nil, &ElsewhereError{Ref: r.Ref, Rule: r.Rule}
	}
	return set, rule, nil
}
