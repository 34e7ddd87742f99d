package rules

import "container/heap"

// Recall is a memory for a rule that is tried out: it lasts as long as the
// program. The zero value is ready to use.
type Recall struct {
	states map[string]*State
	queue  queue // of scopes that wait, each once, by deadlines that they had at least
	queued map[string]bool
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
		r.states, r.queued = make(map[string]*State), make(map[string]bool)
	}
	r.states[scope] = s
	if s.Deadline != 0 && !r.queued[scope] {
		r.queued[scope] = true
		heap.Push(&r.queue, waiting{s.Deadline, scope})
	}
	return nil
}

// Due implements [Memory]. A deadline moves back with each event, so that a scope
// takes its new place only when its turn at the old one comes.
func (r *Recall) Due(at int64) (string, error) {
	for len(r.queue) > 0 && r.queue[0].deadline <= at {
		first := &r.queue[0]
		s := r.states[first.scope]
		switch {
		case s == nil || s.Deadline == 0:
			delete(r.queued, first.scope)
			heap.Pop(&r.queue)
		case s.Deadline != first.deadline:
			first.deadline = s.Deadline
			heap.Fix(&r.queue, 0)
		default:
			return first.scope, nil
		}
	}
	return "", nil
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

// waiting is a scope with the time at which it is due, or one before.
type waiting struct {
	deadline int64
	scope    string
}

// queue implements [heap.Interface].
type queue []waiting

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].deadline < q[j].deadline || q[i].deadline == q[j].deadline && q[i].scope < q[j].scope
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(waiting)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
