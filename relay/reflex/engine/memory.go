package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

const (
	// maxDues is how many scopes of a rule fire at an envelope because they are due.
	// What comes of them, with scopes as long as they can be, fits into a reaction.
	maxDues = 128

	// maxDueSize bounds that in another way: by what is remembered in these scopes, which
	// is written anew.
	maxDueSize = 2 << 20
)

// never is later than any deadline.
const never = math.MaxInt64

// memory is what a rule remembers of a stream. It implements [rules.Memory] on the
// store, and keeps what was read and what is to be written.
type memory struct {
	of   *evaluator
	rule string
	none bool // whether the rule never remembers anything

	failed error // why the store could not be read

	states  map[string]*rules.State // what is known; nil where there is nothing
	changed map[string]int          // which of them are not written yet, and about how many bytes they have
	size    int                     // of all that was put into states, about, in bytes
	growth  int                     // of what changed

	waits bool // whether the rule does, and the following matters

	earliest int64              // no deadline is before
	due      []store.ScopeState // what is due in the store, unless it has changed
	asked    bool               // whether due is of this envelope
	dues     int                // how many were due at this envelope
	dueSize  int                // and how much they remember
}

func newMemory(of *evaluator, r *rules.Rule) *memory {
	_, each := r.When.Pattern.(rules.Each)
	m := &memory{of: of, rule: r.Name, none: each && r.When.Dedupe == nil && r.When.Throttle == nil}
	m.waits = r.Waits()
	m.forget()
	return m
}

// forget lets go of all that was read or changed since it was written.
func (m *memory) forget() {
	m.states, m.changed = make(map[string]*rules.State), make(map[string]int)
	m.size, m.growth = 0, 0
	if m.earliest = never; m.waits {
		m.earliest = 0 // until it is asked for
	}
}

// begin says that another envelope is looked at.
func (m *memory) begin() { m.due, m.asked, m.dues, m.dueSize = nil, false, 0, 0 }

// Load implements [rules.Memory].
func (m *memory) Load(scope string) (*rules.State, error) {
	if s, ok := m.states[scope]; ok || m.none {
		return s, nil
	}
	stored, err := m.of.engine.store.ScopeState(m.of.ctx, m.of.ref, m.rule, scope)
	if err != nil {
		m.failed = err
		return nil, err
	}
	var s *rules.State
	if len(stored.State) > 0 {
		s = new(rules.State)
		if err := json.Unmarshal(stored.State, s); err != nil {
			return nil, fmt.Errorf("what the rule %.100q remembers in the scope %.100s: %w", m.rule, scope, err)
		}
	}
	m.states[scope] = s
	m.size += sizeOf(scope, s)
	return s, nil
}

// Save implements [rules.Memory].
func (m *memory) Save(scope string, s *rules.State) error {
	before, known := m.states[scope]
	if s == nil && (m.none || known && before == nil) {
		return nil
	}
	m.states[scope] = s
	size := sizeOf(scope, s)
	m.size += size // what it was is counted still, so that all is forgotten rather too soon
	m.growth += size - m.changed[scope]
	m.changed[scope] = size
	if s != nil && s.Deadline != 0 {
		m.earliest = min(m.earliest, s.Deadline)
	}
	return nil
}

// Due implements [rules.Memory].
func (m *memory) Due(at int64) (string, error) {
	if m.earliest > at || m.dues == maxDues || m.dueSize > maxDueSize {
		return "", nil
	}
	if !m.asked {
		var err error
		if m.due, err = m.of.engine.store.DueStates(m.of.ctx, m.of.ref, m.rule, time.UnixMicro(at), len(m.changed)+maxDues); err != nil {
			m.failed = err
			return "", err
		}
		m.asked = true
	}
	scope, deadline := m.next(m.due)
	if deadline > at {
		return "", m.lookAhead()
	}
	s, err := m.Load(scope)
	m.dues++
	m.dueSize += sizeOf(scope, s)
	return scope, err
}

// next returns the scope with the earliest deadline, of those that are stored and
// those that changed.
func (m *memory) next(stored []store.ScopeState) (scope string, deadline int64) {
	deadline = never
	for _, s := range stored {
		if _, changed := m.changed[s.Scope]; !changed {
			scope, deadline = s.Scope, s.Deadline.UnixMicro()
			break
		}
	}
	for name := range m.changed {
		s := m.states[name]
		if s == nil || s.Deadline == 0 {
			continue
		}
		if s.Deadline < deadline || s.Deadline == deadline && name < scope {
			scope, deadline = name, s.Deadline
		}
	}
	return scope, deadline
}

// lookAhead finds out when the next deadline is.
func (m *memory) lookAhead() error {
	stored, err := m.of.engine.store.DueStates(m.of.ctx, m.of.ref, m.rule, time.UnixMicro(never), len(m.changed)+1)
	if err != nil {
		m.failed = err
		return err
	}
	_, m.earliest = m.next(stored)
	return nil
}

// changes returns what is to be written.
func (m *memory) changes() ([]store.ScopeState, error) {
	if len(m.changed) == 0 {
		return nil, nil
	}
	list := make([]store.ScopeState, 0, len(m.changed))
	for scope := range m.changed {
		stored := store.ScopeState{Scope: scope}
		if s := m.states[scope]; s != nil {
			var err error
			if stored.State, err = json.Marshal(s); err != nil {
				return nil, fmt.Errorf("what the rule %.100q remembers in the scope %.100s: %w", m.rule, scope, err)
			}
			if s.Deadline != 0 {
				stored.Deadline = time.UnixMicro(s.Deadline)
			}
		}
		list = append(list, stored)
	}
	return list, nil
}

// written says that what was to be written is.
func (m *memory) written() {
	clear(m.changed)
	m.growth = 0
}

// sizeOf returns about how many bytes a state has as it is stored, rather more.
func sizeOf(scope string, s *rules.State) int {
	const base, member, sighting, firing = 100, 60, 150, 20
	size := base + len(scope)
	if s != nil {
		size += 2*len(scope) + len(s.Chain) + member*len(s.Members) + sighting*len(s.Seen) + firing*len(s.Fired)
	}
	return size
}
