package rules

// Recall is a memory for a rule that is tried out: it lasts as long as the
// program. The zero value is ready to use.
type Recall struct {
	states map[string]*State
}

// Load implements [Memory].
func (r *Recall) Load(scope string) (*State, error) { return r.states[scope], nil }

// Save implements [Memory].
func (r *Recall) Save(scope string, s *State) error {
	if s == nil {
		delete(r.states, scope)
		return nil
	}
	if r.states == nil {
		r.states = make(map[string]*State)
	}
	r.states[scope] = s
	return nil
}

// Due implements [Memory].
func (r *Recall) Due(at int64) (due string, err error) {
	for scope, s := range r.states {
		if s.Deadline == 0 || s.Deadline > at {
			continue
		}
		if due == "" || s.Deadline < r.states[due].Deadline || s.Deadline == r.states[due].Deadline && scope < due {
			due = scope
		}
	}
	return due, nil
}

// Deadlines returns when absences fire that are waited for, by scope.
func (r *Recall) Deadlines() map[string]int64 {
	deadlines := make(map[string]int64)
	for scope, s := range r.states {
		if s.Deadline != 0 {
			deadlines[scope] = s.Deadline
		}
	}
	return deadlines
}
