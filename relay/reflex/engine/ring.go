package engine

import (
	"context"
	"fmt"

	"hearth/relay/store"
)

// ring appends the event that moves the clocks of rules, if the moment has come for
// which one of them waits. It finds out when the next one is, if not.
func (v *evaluator) ring(ctx context.Context) (rang bool, err error) {
	v.next = never
	var first *member
	now := v.engine.now().UnixMicro()
	for _, m := range v.inStep.waiting {
		if m.memory.earliest <= now { // or is not known
			if err := m.memory.lookAhead(); err != nil {
				return false, fmt.Errorf("looking for what is due: %w", err)
			}
		}
		if m.memory.earliest < v.next {
			v.next, first = m.memory.earliest, m
		}
	}
	if v.next > now {
		return false, nil
	}
	told, err := due(v.ref.Name, first.Name, v.next)
	if err != nil {
		return false, err
	}
	_, err = v.engine.store.React(ctx, store.Reaction{
		Ref: v.ref, Revision: v.set.revision, Stream: &store.StreamProgress{Was: v.cursor, Now: v.cursor}, Facts: []store.Fact{told},
	})
	if err != nil {
		return false, fmt.Errorf("telling that the rule %.100q is due: %w", first.Name, err)
	}
	return true, nil
}
