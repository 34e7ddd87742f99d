package engine

import (
	"context"
	"errors"
	"fmt"

	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

const (
	// maxBatch is how many events are evaluated at a time. Those who publish wait while
	// what comes of them is written.
	maxBatch = 500

	// maxRead is about how many bytes of them are read at a time.
	maxRead = 4 << 20

	// enough is from which size on, in bytes, what comes of a batch is written before
	// more is evaluated.
	enough = 1 << 20

	// tooMuch is what certainly fits into a reaction. What comes of one envelope in
	// one rule is never more.
	tooMuch = store.MaxReaction - 1<<20

	// extra is about how many bytes a fact or a run takes beside what is in it.
	extra = 400
)

// batch is what comes of evaluating rules at some envelopes.
type batch struct {
	group   *group
	last    uint64 // the position of the last one
	facts   []store.Fact
	runs    []store.RuleRun
	letters []store.Letter
	size    int // about, in bytes
}

// errTooMuch says that what comes of a batch is too much to be written at once.
var errTooMuch = errors.New("too much to be written at once")

// brokenError says that what a rule remembers makes no sense, so that it cannot go on.
type brokenError struct {
	rule *version
	why  error
}

func (e *brokenError) Error() string { return fmt.Sprintf("the rule %.100q: %v", e.rule.Name, e.why) }

func (e *brokenError) Unwrap() error { return e.why }

// evaluate evaluates rules at the envelopes behind a position, up to another one: all
// of them, or fewer rules at fewer envelopes if more would come of that than can be
// written at once. It returns nil if there are no envelopes.
func (v *evaluator) evaluate(ctx context.Context, g *group, from, upTo uint64) (*batch, error) {
	for {
		b, err := v.attempt(ctx, g, from, upTo)
		if !errors.Is(err, errTooMuch) {
			return b, err
		}
		for _, m := range g.members {
			m.memory.forget()
		}
		if b.last > from {
			upTo = b.last
		} else {
			g = newGroup(g.members[:len(g.members)/2])
			upTo = from + 1
		}
	}
}

// attempt evaluates rules. With errTooMuch the batch says at which envelope there was
// not too much yet.
func (v *evaluator) attempt(ctx context.Context, g *group, from, upTo uint64) (*batch, error) {
	page, err := v.engine.store.Page(ctx, store.Read{
		Ref: v.ref, Behind: from, Entries: int(min(maxBatch, upTo-from)), Bytes: maxRead,
	})
	if err != nil {
		return nil, fmt.Errorf("reading the stream %q: %w", v.ref.Name, err)
	}
	defer page.Release()
	if page.Count == 0 {
		return nil, nil
	}
	b := &batch{group: g, last: from}
	for entry, err := range page.All() {
		if err != nil {
			return nil, err
		}
		e, err := readEnvelope(entry.Data)
		if err != nil {
			return nil, err
		}
		if err := g.asked(e, func(m *member) error { return v.ask(b, m, e) }); err != nil {
			return nil, err
		}
		if b.size > tooMuch && (b.last > from || len(g.members) > 1) {
			return b, errTooMuch
		}
		b.last = e.Seq
		if b.size > enough {
			break
		}
	}
	return b, nil
}

// ask lets a rule look at an envelope, and notes what comes of it.
func (v *evaluator) ask(b *batch, m *member, e *envelope) error {
	if err := e.open(); err != nil {
		return err
	}
	m.memory.begin()
	before := m.memory.growth
	progress := m.progress // which moves once the batch has landed
	outcome, err := m.spec.Evaluate(&progress, m.memory, &e.Envelope, v.engine.maxDepth)
	if err != nil {
		if m.memory.failed != nil {
			return m.memory.failed
		}
		return &brokenError{m.version, err}
	}
	b.size += m.memory.growth - before
	for _, f := range outcome.Firings {
		if err := b.fired(v.ref, &m.spec, f); err != nil {
			return err
		}
	}
	for _, f := range outcome.Failures {
		if err := b.failed(v.ref, m.Name, e, f); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) fired(ref store.Ref, r *rules.Rule, f rules.Firing) error {
	told, err := fired(ref.Name, r.Name, f)
	if err != nil {
		return err
	}
	n, err := run(ref, r, f)
	if err != nil {
		return err
	}
	b.tell(told)
	b.runs = append(b.runs, n)
	b.size += extra + len(n.ScopeKey) + len(n.Scope) + 8*len(n.Matched)
	return nil
}

// failed notes that an envelope could not be evaluated. If that tells of such a thing
// itself, it is not told: that might go on for ever.
func (b *batch) failed(ref store.Ref, rule string, e *envelope, f rules.Failure) error {
	b.letters = append(b.letters, store.Letter{Rule: rule, Seq: f.Seq, Error: reasonOf(f)})
	b.size += extra + len(f.Reason)
	if e.Type == ruleErrored {
		return nil
	}
	told, err := errored(ref.Name, rule, e, f)
	if err == nil {
		b.tell(told)
	}
	return err
}

func (b *batch) tell(f store.Fact) {
	b.facts = append(b.facts, f)
	b.size += extra + len(f.JSON) + len(f.Origin) + len(f.Chain)
}
