package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// outOfUse stands as the definition of the condition of a rule that is archived, or does
// not look at the stream any more. None is called so: the rule begins anew should it
// come back.
const outOfUse = "out of use"

// load finds out how far the rules are, and sees to it that each is where it has to be:
// those that are new, changed, disabled or out of use. If there is no stream of events,
// nothing is loaded.
func (v *evaluator) load(ctx context.Context) error {
	set := v.engine.rules(v.ref.Space)
	stream, err := v.engine.store.Stream(ctx, v.ref)
	if _, missing := errors.AsType[*store.NotFoundError](err); missing {
		v.missing = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the stream %q: %w", v.ref.Name, err)
	}
	if stream.Kind != store.Events || set == nil {
		return nil
	}
	standing, err := v.engine.store.Standing(ctx, v.ref)
	if err != nil {
		return fmt.Errorf("reading how far the rules are: %w", err)
	}
	p := placing{evaluator: v, set: set, stream: stream, standing: standing}
	if err := p.place(ctx); err != nil {
		return err
	}
	v.loaded, v.set, v.cursor, v.missing = true, set, p.cursor, false
	v.inStep, v.apart = newGroup(nil), p.members
	v.arrange()
	return nil
}

// placing puts rules where they have to be.
type placing struct {
	*evaluator
	set      *ruleset
	stream   store.Stream
	standing store.Standing
	cursor   uint64 // where the rules in step will be

	members  []*member // that are evaluated
	inStep   bool      // whether one of them is in step and stays so
	moves    []store.RuleProgress
	reaction store.Reaction
}

func (p *placing) place(ctx context.Context) error {
	p.reaction = store.Reaction{Ref: p.ref, Revision: p.set.revision}
	rows := make(map[string]store.Progress, len(p.standing.Rules))
	for _, row := range p.standing.Rules {
		rows[row.Rule] = row.Progress
	}
	for _, rule := range p.set.streams[p.ref.Name] {
		row, seen := rows[rule.Name]
		if rule.Archived {
			continue
		}
		delete(rows, rule.Name)
		if !rule.active() || p.broken[rule.Name] == rule.Version {
			p.hold(rule.Name, row)
		} else if err := p.admit(ctx, rule, row, seen); err != nil {
			return err
		}
	}
	for name, row := range rows {
		if rule := p.set.rules[name]; rule != nil && rule.err != nil {
			p.hold(name, row) // at which streams it looks is not known
		} else {
			p.dismiss(name, row)
		}
	}
	return p.write(ctx)
}

// hold leaves a rule where it is.
func (p *placing) hold(rule string, row store.Progress) {
	if row.InStep {
		now := row
		now.InStep = false
		p.moves = append(p.moves, store.RuleProgress{Rule: rule, Was: row, Now: now})
	}
}

// dismiss forgets what a rule remembers that does not look any more.
func (p *placing) dismiss(rule string, row store.Progress) {
	if row.Definition != outOfUse {
		now := store.Progress{Cursor: row.Cursor, Generation: row.Generation, Definition: outOfUse}
		p.moves = append(p.moves, store.RuleProgress{Rule: rule, Was: row, Now: now, DropStates: true})
	}
}

// admit lets a rule be evaluated, from where it was, from where it begins, or anew if it
// has changed.
func (p *placing) admit(ctx context.Context, rule *version, row store.Progress, seen bool) error {
	m := &member{version: rule, stored: row, memory: newMemory(p.evaluator, &rule.spec)}
	m.progress = rules.Progress{
		Cursor: row.Cursor, Generation: int(row.Generation), Definition: row.Definition, SilentThrough: row.SilentThrough,
	}
	p.members = append(p.members, m)
	move := store.RuleProgress{Rule: rule.Name, Was: row}
	switch {
	case !seen:
		start, err := p.start(ctx, rule)
		if err != nil {
			return err
		}
		m.progress = rule.spec.Begin(start)
	case rule.spec.Changed(m.progress):
		m.progress = rule.spec.Reset(m.progress, p.standing.Head)
		move.DropStates = true
		told, err := reset(p.ref.Name, reactor, rule.Name, "changed", m.progress)
		if err != nil {
			return err
		}
		p.reaction.Facts = append(p.reaction.Facts, told)
	default:
		p.inStep = p.inStep || row.InStep
	}
	p.moves = append(p.moves, move)
	return nil
}

// start returns behind which position a rule begins that has not looked at the stream
// yet: at the start of a stream that came to be after it, otherwise where it says.
func (p *placing) start(ctx context.Context, rule *version) (behind uint64, err error) {
	if rule.spec.Start == rules.StartBeginning || p.missing {
		return 0, nil
	}
	installed, err := p.installed(ctx, rule)
	if err != nil {
		return 0, err
	}
	if !p.stream.CreatedAt.Before(installed.Truncate(time.Millisecond)) { // as exact as the other is known
		return 0, nil
	}
	return p.standing.Head, nil
}

// installed returns when a rule came to be, or came back.
func (p *placing) installed(ctx context.Context, rule *version) (at time.Time, err error) {
	at = rule.At
	if rule.Version == 1 {
		return at, nil
	}
	const most = 1000 // who has changed it more often meant this stream, too
	list, err := p.engine.store.RuleHistory(ctx, p.ref.Space, rule.Name, rule.Version, most)
	if err != nil {
		return at, fmt.Errorf("reading the versions of the rule %.100q: %w", rule.Name, err)
	}
	for _, earlier := range list {
		if earlier.Archived {
			break
		}
		at = earlier.At
	}
	return at, nil
}

// write writes where the rules are, as far as that is new.
func (p *placing) write(ctx context.Context) error {
	p.cursor = p.standing.Cursor
	if !p.inStep {
		p.skip()
	}
	of := make(map[string]*member, len(p.members))
	for _, m := range p.members {
		of[m.Name] = m
	}
	for _, move := range p.moves {
		if m := of[move.Rule]; m != nil {
			move.Now = m.at(p.cursor)
		}
		if move.Now != move.Was || move.DropStates {
			p.reaction.Rules = append(p.reaction.Rules, move)
		}
	}
	if len(p.reaction.Rules) == 0 && p.cursor == p.standing.Cursor {
		return nil
	}
	p.reaction.Stream = &store.StreamProgress{Was: p.standing.Cursor, Now: p.cursor}
	if _, err := p.engine.store.React(ctx, p.reaction); err != nil {
		return fmt.Errorf("putting rules where they have to be: %w", err)
	}
	return nil
}

// skip takes the place of those in step, as long as there are none, to the first who
// is ahead of it: nobody else is waiting for what lies in between.
func (p *placing) skip() {
	ahead := uint64(never)
	for _, m := range p.members {
		if m.progress.Cursor > p.cursor {
			ahead = min(ahead, m.progress.Cursor)
		}
	}
	if ahead != never {
		p.cursor = ahead
	}
}

// arrange parts those in step from the others, after what is stored has come to be
// what is known here.
func (v *evaluator) arrange() {
	size, changed := 0, false
	all := slices.Concat(v.inStep.members, v.apart)
	var inStep, apart []*member
	for _, m := range all {
		was := m.stored.InStep
		m.stored = m.at(v.cursor)
		changed = changed || m.stored.InStep != was
		if m.stored.InStep {
			inStep = append(inStep, m)
		} else {
			apart = append(apart, m)
		}
		size += m.memory.size
	}
	if size > maxKept {
		for _, m := range all {
			m.memory.forget()
		}
	}
	if changed || len(inStep) != len(v.inStep.members) {
		slices.SortFunc(inStep, func(a, b *member) int { return inOrder(a.version, b.version) })
		v.inStep = newGroup(inStep)
	}
	slices.SortFunc(apart, func(a, b *member) int { return inOrder(a.version, b.version) })
	v.apart = apart
}
