package rules

import (
	"fmt"
	"math"
	"slices"
)

// Member is an envelope that counts towards a firing.
type Member struct {
	Seq   uint64 `json:"seq"`
	TS    int64  `json:"ts"`
	Depth int    `json:"depth,omitempty"`
}

// State is what a rule remembers in one scope.
type State struct {
	Scope    Object     `json:"scope"`              // the fields with their values
	Members  []Member   `json:"members,omitempty"`  // of what has begun
	Deadline int64      `json:"deadline,omitempty"` // when an absence fires, in microseconds since 1970; 0 if not at all
	Chain    string     `json:"chain,omitempty"`    // of the member that an absence waits behind
	Seen     []Sighting `json:"seen,omitempty"`     // keys that repeats are dropped of, oldest first
	Fired    []int64    `json:"fired,omitempty"`    // the recent firings that a throttle counts, oldest first

	seen map[string]bool // the keys in Seen, once it was asked for
}

// Sighting is a key that was seen.
type Sighting struct {
	Key string `json:"key"`
	At  int64  `json:"at"` // first
}

func (m Member) time() int64   { return m.TS }
func (s Sighting) time() int64 { return s.At }
func moment(at int64) int64    { return at }

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

// recall returns the state of a scope, nil if there is none. One that this pattern
// never leaves behind is an error, for it would lead anywhere.
func (v *evaluation) recall(scope string) (*State, error) {
	s, err := v.memory.Load(scope)
	if s == nil || err != nil {
		return nil, err
	}
	var fits bool
	switch p := v.rule.When.Pattern.(type) {
	case Count:
		fits = s.Deadline == 0 && len(s.Members) < p.AtLeast
	case Sequence:
		fits = s.Deadline == 0 && len(s.Members) < len(p.Steps)
	case Absence:
		fits = s.Deadline == 0 && len(s.Members) == 0 || s.Deadline != 0 && len(s.Members) == 1
	default:
		fits = s.Deadline == 0 && len(s.Members) == 0
	}
	if !fits {
		return nil, fmt.Errorf("the state of the rule %.100q in the scope %.100s is none that it can have", v.rule.Name, scope)
	}
	return s, nil
}

// Expires returns from when on a state means nothing any more, if nothing comes that
// changes it: who forgets it then forgets nothing. One with a deadline never does.
func (r *Rule) Expires(s *State) (at int64) {
	if s.Deadline != 0 {
		return math.MaxInt64
	}
	switch p := r.When.Pattern.(type) {
	case Count:
		at = after(s.Members, Member.time, p.Within)
	case Sequence:
		at = after(s.Members[:min(1, len(s.Members))], Member.time, p.Within)
	}
	if d := r.When.Dedupe; d != nil {
		at = max(at, after(s.Seen, Sighting.time, d.Within))
	}
	if t := r.When.Throttle; t != nil {
		at = max(at, after(s.Fired, moment, t.Per))
	}
	return at
}

// after returns when the last in a list is out of a window; 0 if there is none.
func after[T any](list []T, at func(T) int64, window Duration) int64 {
	if len(list) == 0 {
		return 0
	}
	return at(list[len(list)-1]) + int64(window)
}

// expired returns how many of the oldest in a list are before a window that ends
// now.
func expired[T any](list []T, at func(T) int64, now int64, window Duration) int {
	n := slices.IndexFunc(list, func(of T) bool { return now-at(of) < int64(window) })
	if n < 0 {
		return len(list)
	}
	return n
}

const (
	// maxSeen is how many keys a scope remembers: the state is written with each
	// envelope. When there are more within the time, the oldest are forgotten.
	maxSeen = 10_000

	// maxKey is from how many letters on a key is remembered by its digest.
	maxKey = 100
)

// drops says whether an envelope's key was seen a short while before. A repeat does
// not make that last longer.
func (d *Dedupe) drops(s *State, e *Envelope) (bool, error) {
	values := make(List, len(d.Key))
	for i, name := range d.Key {
		var err error
		if values[i], _, err = e.Event.field(name); err != nil {
			return false, err
		}
	}
	key := Text(values)
	if len(key) > maxKey {
		key = fullDigest(key) // never the text of a list
	}
	if s.seen == nil {
		s.seen = make(map[string]bool, len(s.Seen))
		for _, sighting := range s.Seen {
			s.seen[sighting.Key] = true
		}
	}
	s.forget(expired(s.Seen, Sighting.time, e.TS, d.Within))
	if s.seen[key] {
		return true, nil
	}
	s.forget(len(s.Seen) - maxSeen + 1)
	s.Seen, s.seen[key] = append(s.Seen, Sighting{key, e.TS}), true
	return false, nil
}

// forget forgets the oldest keys.
func (s *State) forget(many int) {
	for ; many > 0; many-- {
		delete(s.seen, s.Seen[0].Key)
		s.Seen = s.Seen[1:]
	}
}

// drops says whether the rule has fired too often to fire once more, and if not,
// counts that.
func (t *Throttle) drops(s *State, at int64) bool {
	s.Fired = s.Fired[expired(s.Fired, moment, at, t.Per):]
	if len(s.Fired) >= t.AtMost {
		return true
	}
	s.Fired = append(s.Fired, at)
	return false
}
