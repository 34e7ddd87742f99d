package sqlite

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"hearth/relay/store"
)

// runExtra is about how many bytes a run has beside what is given of it: its row, and
// those of six indexes.
const runExtra = 400

// newReacting prepares a reaction, so that the writer has the less to do, and refuses
// what could not be kept.
func newReacting(r store.Reaction) (op *reacting, err error) {
	op = &reacting{Reaction: r}
	if r.Command != nil {
		if c := *r.Command; (store.Ref{Space: c.Space, Name: c.Stream}) != r.Ref || r.Result == nil {
			return nil, fmt.Errorf("a command for %q reacts in %q, or to no result", c.Stream, r.Name)
		}
		op.command = r.Command.Key()
	}
	if len(r.Facts) > 0 {
		if op.facts, err = newFacts(r.Ref, r.Facts); err != nil {
			return nil, err
		}
		op.size = op.facts.size
	}
	for _, check := range []func() error{op.checkRule, op.checkProgress, op.checkRuns, op.checkLetters, op.checkSchedule} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if op.size > store.MaxReaction {
		return nil, fmt.Errorf("a reaction of %d bytes is too large: at most %d are written at once", op.size, store.MaxReaction)
	}
	return op, nil
}

func (r *reacting) checkRule() error {
	v := r.Rule
	if v == nil {
		return nil
	}
	r.size += len(v.Spec) + len(v.Provenance) + len(v.Actor) + len(v.Reason)
	return errors.Join(checkName("rule", v.Name), checkSize("rule", v.Spec, 1, store.MaxSpec),
		checkSize("provenance", v.Provenance, 0, store.MaxSpec), checkSize("actor", v.Actor, 0, store.MaxSpec), checkText("reason", v.Reason))
}

func (r *reacting) checkProgress() error {
	seen := make(map[string]bool, len(r.Rules))
	for _, p := range r.Rules {
		if seen[p.Rule] || p.Now.Definition == "" {
			return fmt.Errorf("the rule %.100q moves twice, or to nothing", p.Rule)
		}
		seen[p.Rule] = true
		for _, s := range p.States {
			r.size += len(s.Scope) + len(s.State)
			if err := checkScope(s.Scope); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reacting) checkRuns() error {
	seen := make(map[string]bool, len(r.NewRuns)+len(r.Runs))
	check := func(n store.RuleRun) error {
		r.size += runExtra + len(n.Error) + len(n.Reason) + len(n.Step) + len(n.Output) + len(n.Checkpoint)
		if seen[n.ID] {
			return fmt.Errorf("the run %.100q changes twice", n.ID)
		}
		seen[n.ID] = true
		if n.Status > store.Cancelled || n.Tried < 0 || n.Checkpoints < 0 {
			return fmt.Errorf("the run %.100q is to be %v", n.ID, n.Status)
		}
		for _, a := range n.Attempts {
			if err := errors.Join(checkText("error", a.Error), checkText("reason", a.Reason)); err != nil || a.Started.IsZero() {
				return fmt.Errorf("the attempt %d of the run %.100q began never: %w", a.Number, n.ID, err)
			}
		}
		return errors.Join(checkText("error", n.Error), checkText("reason", n.Reason), checkText("step", n.Step),
			checkSize("output", n.Output, 0, store.MaxOutput), checkSize("checkpoint", n.Checkpoint, 0, store.MaxCheckpoint))
	}
	for _, n := range r.NewRuns {
		r.size += len(n.ScopeKey) + len(n.Scope) + 8*len(n.Matched)
		if !store.ValidID(n.ID) || n.Status != store.Pending || n.FiredSeq == 0 || n.Depth < 0 || len(n.Attempts)+n.Checkpoints > 0 {
			return fmt.Errorf("%.100q cannot be a new run", n.ID)
		}
		if err := errors.Join(checkScope(n.ScopeKey), checkSize("scope", n.Scope, 1, store.MaxScope), check(n)); err != nil {
			return err
		}
	}
	for _, c := range r.Runs {
		if err := check(c.RuleRun); err != nil {
			return err
		}
	}
	return nil
}

func (r *reacting) checkLetters() error {
	for _, l := range r.Letters {
		r.size += len(l.Error) + len(l.Reason)
		if l.Seq == 0 || l.RunID != "" {
			return fmt.Errorf("a letter of the rule %.100q is of no event: those of runs come by themselves", l.Rule)
		}
		if err := errors.Join(checkText("error", l.Error), checkText("reason", l.Reason)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reacting) checkSchedule() error {
	c := r.Schedule
	if c == nil {
		return nil
	}
	r.size += len(c.Spec)
	if c.Drop && (len(c.Spec) > 0 || !c.Tick.IsZero()) {
		return fmt.Errorf("the schedule %.100q is to go and to stay", c.Name)
	}
	return errors.Join(checkName("schedule", c.Name), checkSize("schedule", c.Spec, 0, store.MaxSpec))
}

func checkName(what, name string) error {
	if name == "" || len(name) > store.MaxRuleName || !utf8.ValidString(name) {
		return fmt.Errorf("%.100q cannot be the name of a %s", name, what)
	}
	return nil
}

func checkScope(scope string) error {
	if scope == "" || len(scope) > store.MaxScope || !utf8.ValidString(scope) {
		return fmt.Errorf("%.100q cannot be a scope", scope)
	}
	return nil
}

func checkText(what, text string) error {
	if len(text) > store.MaxRunText || !utf8.ValidString(text) {
		return fmt.Errorf("%.100q is too long for the %s of a run or a letter, or is no text", text, what)
	}
	return nil
}

func checkSize(what string, data []byte, least, most int) error {
	if len(data) < least || len(data) > most {
		return fmt.Errorf("the %s has %d bytes, where %d to %d may be", what, len(data), least, most)
	}
	return nil
}
