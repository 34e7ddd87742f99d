package rules

import (
	"fmt"
	"time"
)

// Envelope is what rules see of an event.
type Envelope struct {
	Seq   uint64
	TS    int64 // microseconds since 1970; never before that of the envelope before
	Type  string
	Event *Event
	Depth int    // of causation: 0 if no run published it
	Chain string // its correlation id

	// What a rule has spent on it so far.
	searched int    // see maxSearch
	cost     uint64 // see maxCost
}

// Progress is how far a rule has come in a stream.
type Progress struct {
	Cursor        uint64 `json:"cursor"`     // the last position that was evaluated
	Generation    int    `json:"generation"` // how often it has started anew
	Definition    string `json:"definition"` // that of its condition; see [Rule.Definition]
	SilentThrough uint64 `json:"silent_through"`
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
	Own       Stage = "own"       // it is the rule's own doing, or that of clocks: it never looks at that
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
// memory and the progress, whose cursor it moves. The same rule makes the same of the
// same envelopes, always; those of which it takes no notice may be left out, see
// [Rule.EventTypes]. An error is the memory's.
func (r *Rule) Evaluate(p *Progress, m Memory, e *Envelope, maxDepth int) (Outcome, error) {
	v := evaluation{rule: r, progress: p, memory: m, envelope: e, maxDepth: maxDepth}
	p.Cursor = e.Seq
	e.searched, e.cost = 0, 0
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
	if !v.rule.Waits() {
		return nil
	}
	for {
		key, err := v.memory.Due(v.envelope.TS)
		if err != nil || key == "" {
			return err
		}
		s, err := v.recall(key)
		if err != nil {
			return err
		}
		if s == nil || s.Deadline == 0 {
			return fmt.Errorf("the scope %.100s of the rule %.100q is due, but has no deadline", key, v.rule.Name)
		}
		members, chain := s.Members, s.Chain
		s.Members, s.Deadline, s.Chain = nil, 0, ""
		v.fire(key, s, members, chain)
		if err := v.save(key, s); err != nil {
			return err
		}
	}
}

// look considers the envelope itself.
func (v *evaluation) look() error {
	e, when := v.envelope, &v.rule.When
	if e.Type == ruleDue || isFact(e.Type) && e.Event.is("rule", v.rule.Name) {
		v.outcome.Stage = Own
		return nil
	}
	ok := v.rule.concerns(e.Type)
	if ok {
		var err error
		if ok, err = when.Filter.matches(e); err != nil {
			v.fail("the filter: %v", err)
			return nil
		}
	}
	if !ok {
		v.outcome.Stage = Filtered
		return nil
	}
	scope, key, err := v.rule.scopeOf(e)
	if err != nil {
		v.fail("%v", err)
		return nil
	}
	s, err := v.recall(key)
	if err != nil {
		return err
	}
	if s == nil {
		s = &State{Scope: scope}
	}
	if err := v.consider(key, s); err != nil {
		v.fail("%v", err)
	}
	return v.save(key, s)
}

// consider lets dedupe and the pattern have the envelope, in its scope.
func (v *evaluation) consider(key string, s *State) error {
	if d := v.rule.When.Dedupe; d != nil {
		repeats, err := d.drops(s, v.envelope)
		if err != nil {
			return err
		}
		if repeats {
			v.outcome.Stage = Deduped
			return nil
		}
	}
	v.outcome.Stage = Held
	members, complete, err := v.advance(s)
	if err != nil {
		return fmt.Errorf("a step: %w", err)
	}
	if complete {
		v.outcome.Stage = v.fire(key, s, members, v.envelope.Chain)
	}
	return nil
}

// advance lets the pattern take the envelope, and returns the members of what is
// complete with it.
func (v *evaluation) advance(s *State) (members []Member, complete bool, err error) {
	e := v.envelope
	this := Member{Seq: e.Seq, TS: e.TS, Depth: e.Depth}
	switch p := v.rule.When.Pattern.(type) {
	case Count:
		s.Members = s.Members[expired(s.Members, Member.time, e.TS, p.Within):]
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
		s.Members, s.Deadline, s.Chain = []Member{this}, e.TS+int64(p.Within), e.Chain
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

// fire makes a firing of members, the latest of which is in a chain, unless that
// would be too long, the rule has fired too often, or it is silent.
func (v *evaluation) fire(key string, s *State, members []Member, chain string) Stage {
	e := v.envelope
	f := Firing{Seq: e.Seq, Scope: s.Scope, ScopeKey: key, Matched: make([]uint64, len(members)), Chain: chain}
	for i, m := range members {
		f.Matched[i] = m.Seq
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

// Time returns when an envelope was published.
func (e *Envelope) Time() time.Time { return time.UnixMicro(e.TS).UTC() }
