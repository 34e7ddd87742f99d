package rules

import (
	"fmt"
	"slices"
	"time"
)

// Envelope is what rules see of an event.
type Envelope struct {
	Seq   uint64
	TS    int64 // microseconds since 1970; never before that of the envelope before
	Type  string
	Event Object
	Depth int    // of causation: 0 if no run published it
	Chain string // its correlation id

	native map[string]any // the event as CEL takes it, once it was asked for
}

// Progress is how far a rule has come in a stream.
type Progress struct {
	Cursor        uint64 `json:"cursor"`     // the last position that was evaluated
	Generation    int    `json:"generation"` // how often it has started anew
	Definition    string `json:"definition"` // that of its condition; see [Rule.Definition]
	SilentThrough uint64 `json:"silent_through"`
}

// Member is an envelope that counts towards a firing.
type Member struct {
	Seq   uint64 `json:"seq"`
	TS    int64  `json:"ts"`
	Depth int    `json:"depth,omitempty"`
	Chain string `json:"chain"`
}

// State is what a rule remembers in one scope.
type State struct {
	Scope    Object           `json:"scope"`              // the fields with their values
	Members  []Member         `json:"members,omitempty"`  // of what has begun
	Deadline int64            `json:"deadline,omitempty"` // when an absence fires, in microseconds since 1970; 0 if not at all
	Seen     map[string]int64 `json:"seen,omitempty"`     // keys, and when each was first seen
	Fired    []int64          `json:"fired,omitempty"`    // the recent firings that a throttle counts
}

func (s *State) empty() bool {
	return len(s.Members) == 0 && s.Deadline == 0 && len(s.Seen) == 0 && len(s.Fired) == 0
}

// Memory holds the states of a rule in a stream, by the text of their scopes.
type Memory interface {
	// Load returns a state, nil if there is none. It is the caller's until Save.
	Load(scope string) (*State, error)

	// Save keeps a state; nil if there is none any more.
	Save(scope string, s *State) error

	// Due returns the scope with the earliest deadline that is not after a time, the
	// first one by its text if there are several; "" if there is none.
	Due(at int64) (scope string, err error)
}

// Firing is a rule that fired.
type Firing struct {
	ID       string
	Seq      uint64 // of the envelope at which it fired
	Scope    Object
	ScopeKey string
	Matched  []uint64 // the positions of the members
	Depth    int      // of the deepest member
	Chain    string   // of the latest one
}

// Failure is an envelope that could not be evaluated.
type Failure struct {
	Seq    uint64
	Reason string
}

// Stage is how far an envelope came.
type Stage string

// The stages.
const (
	Own       Stage = "own"       // it is the rule's own doing, which it never looks at
	Filtered  Stage = "filtered"  // the filter does not pass it
	Failed    Stage = "failed"    // it could not be evaluated
	Deduped   Stage = "deduped"   // its key was seen before
	Held      Stage = "held"      // it counts, or fits no step; the pattern is not complete
	Throttled Stage = "throttled" // the rule would have fired, but has too often
	Silent    Stage = "silent"    // the rule would have fired, but is being rebuilt
	Fired     Stage = "fired"
)

// Outcome is what a rule made of an envelope.
type Outcome struct {
	Stage    Stage // of the envelope itself
	Firings  []Firing
	Failures []Failure
}

// NoDepth is a limit of causation that nothing exceeds.
const NoDepth = -1

// Evaluate lets a rule look at the next envelope. What it remembers goes into the
// memory and the progress, whose cursor it moves. An error is the memory's.
func (r *Rule) Evaluate(p *Progress, m Memory, e *Envelope, maxDepth int) (Outcome, error) {
	v := evaluation{rule: r, progress: p, memory: m, envelope: e, maxDepth: maxDepth}
	p.Cursor = e.Seq
	if err := v.moveClock(); err != nil {
		return Outcome{}, err
	}
	err := v.look()
	return v.outcome, err
}

// evaluation is a rule at an envelope.
type evaluation struct {
	rule     *Rule
	progress *Progress
	memory   Memory
	envelope *Envelope
	maxDepth int
	outcome  Outcome
}

// moveClock fires the absences that are due at the envelope's time.
func (v *evaluation) moveClock() error {
	if _, ok := v.rule.When.Pattern.(Absence); !ok {
		return nil
	}
	for {
		key, err := v.memory.Due(v.envelope.TS)
		if err != nil || key == "" {
			return err
		}
		s, err := v.memory.Load(key)
		if err != nil {
			return err
		}
		members := s.Members
		s.Members, s.Deadline = nil, 0
		v.fire(key, s, members)
		if err := v.save(key, s); err != nil {
			return err
		}
	}
}

// look considers the envelope itself.
func (v *evaluation) look() error {
	e, when := v.envelope, &v.rule.When
	if isFact(e.Type) && e.Event["rule"] == v.rule.Name {
		v.outcome.Stage = Own
		return nil
	}
	ok, err := when.Filter.matches(e)
	if err != nil {
		v.fail("the filter: %v", err)
		return nil
	}
	if !ok {
		v.outcome.Stage = Filtered
		return nil
	}
	scope, missing := v.rule.scopeOf(e)
	if missing != "" {
		v.fail("the event has no field %.100q, by which the rule's scopes are told apart", missing)
		return nil
	}
	key := scopeKey(v.rule.Scope.Fields, scope)
	s, err := v.memory.Load(key)
	if err != nil {
		return err
	}
	if s == nil {
		s = &State{Scope: scope}
	}
	if when.Dedupe != nil && when.Dedupe.drops(s, e) {
		v.outcome.Stage = Deduped
		return v.save(key, s)
	}
	v.outcome.Stage = Held
	members, complete, err := v.advance(s)
	if err != nil {
		v.fail("a step: %v", err)
		return v.save(key, s)
	}
	if complete {
		v.outcome.Stage = v.fire(key, s, members)
	}
	return v.save(key, s)
}

// advance lets the pattern take the envelope, and returns the members of what is
// complete with it.
func (v *evaluation) advance(s *State) (members []Member, complete bool, err error) {
	e := v.envelope
	this := Member{Seq: e.Seq, TS: e.TS, Depth: e.Depth, Chain: e.Chain}
	switch p := v.rule.When.Pattern.(type) {
	case Count:
		s.Members = slices.DeleteFunc(s.Members, func(m Member) bool { return e.TS-m.TS >= int64(p.Within) })
		s.Members = append(s.Members, this)
		complete = len(s.Members) >= p.AtLeast
	case Sequence:
		if len(s.Members) > 0 && e.TS-s.Members[0].TS >= int64(p.Within) {
			s.Members = nil
		}
		if err := v.step(p, s, this); err != nil {
			return nil, false, err
		}
		complete = len(s.Members) == len(p.Steps)
	case Absence:
		s.Members, s.Deadline = []Member{this}, e.TS+int64(p.Within)
	default:
		return []Member{this}, true, nil
	}
	if complete {
		members, s.Members = s.Members, nil
	}
	return members, complete, nil
}

// step lets a sequence go on with the step that it waits for, or else begin anew
// with its first one. An envelope that fits neither changes nothing.
func (v *evaluation) step(p Sequence, s *State, this Member) error {
	ok, err := p.Steps[len(s.Members)].matches(v.envelope)
	if err != nil {
		return err
	}
	if ok {
		s.Members = append(s.Members, this)
		return nil
	}
	if len(s.Members) == 0 {
		return nil
	}
	if ok, err = p.Steps[0].matches(v.envelope); ok {
		s.Members = []Member{this}
	}
	return err
}

// fire makes a firing of members, unless the chain that it would be in is too
// long, the rule has fired too often, or it is silent.
func (v *evaluation) fire(key string, s *State, members []Member) Stage {
	e := v.envelope
	f := Firing{Seq: e.Seq, Scope: s.Scope, ScopeKey: key, Chain: members[len(members)-1].Chain}
	for _, m := range members {
		f.Matched = append(f.Matched, m.Seq)
		f.Depth = max(f.Depth, m.Depth)
	}
	silent := e.Seq <= v.progress.SilentThrough
	if v.maxDepth != NoDepth && f.Depth+1 > v.maxDepth {
		if silent {
			return Silent
		}
		v.fail("the chain of causes would be longer than %d: rules set each other off", v.maxDepth)
		return Failed
	}
	if t := v.rule.When.Throttle; t != nil && t.drops(s, e.TS) {
		return Throttled
	}
	if silent {
		return Silent
	}
	f.ID = firingID(v.rule.Name, v.progress.Generation, key, e.Seq)
	v.outcome.Firings = append(v.outcome.Firings, f)
	return Fired
}

func (v *evaluation) fail(format string, args ...any) {
	v.outcome.Stage = Failed
	if v.envelope.Seq > v.progress.SilentThrough {
		v.outcome.Failures = append(v.outcome.Failures, Failure{v.envelope.Seq, fmt.Sprintf(format, args...)})
	}
}

func (v *evaluation) save(key string, s *State) error {
	if s.empty() {
		s = nil
	}
	return v.memory.Save(key, s)
}

// maxSeen is how many keys a scope remembers: the state is written with each
// envelope. When there are more within the time, the oldest are forgotten.
const maxSeen = 10_000

// drops says whether an envelope's key was seen a short while before. A repeat does
// not make that last longer.
func (d *Dedupe) drops(s *State, e *Envelope) bool {
	key := make(List, len(d.Key))
	for i, name := range d.Key {
		key[i], _ = field(e.Event, name)
	}
	text := Text(key)
	if first, ok := s.Seen[text]; ok && e.TS-first < int64(d.Within) {
		return true
	}
	for known, first := range s.Seen {
		if e.TS-first >= int64(d.Within) {
			delete(s.Seen, known)
		}
	}
	if len(s.Seen) >= maxSeen {
		s.forgetOldest()
	}
	if s.Seen == nil {
		s.Seen = make(map[string]int64)
	}
	s.Seen[text] = e.TS
	return false
}

func (s *State) forgetOldest() {
	oldest, when := "", int64(0)
	for key, first := range s.Seen {
		if oldest == "" || first < when || first == when && key < oldest {
			oldest, when = key, first
		}
	}
	delete(s.Seen, oldest)
}

// drops says whether the rule has fired too often to fire once more, and if not,
// counts that.
func (t *Throttle) drops(s *State, at int64) bool {
	s.Fired = slices.DeleteFunc(s.Fired, func(fired int64) bool { return at-fired >= int64(t.Per) })
	if len(s.Fired) >= t.AtMost {
		return true
	}
	s.Fired = append(s.Fired, at)
	return false
}

// Time returns when an envelope was published.
func (e *Envelope) Time() time.Time { return time.UnixMicro(e.TS).UTC() }
