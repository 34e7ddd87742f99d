package store

import "fmt"

// StaleError says that something has changed since it was read on which a reaction
// is based: it is read again, and decided again.
type StaleError struct {
	Ref
	What string // "stream", "rules", "rule", "run", "letter" or "schedule"
	Name string // which of them: a name, an id or a number; empty if there is but one
}

func (e *StaleError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("what was known of the %s of %q is out of date", e.What, e.Ref.Name)
	}
	return fmt.Sprintf("what was known of the %s %.100q in %q is out of date", e.What, e.Name, e.Ref.Name)
}

// UnknownRuleError says that a space has no such rule.
type UnknownRuleError struct {
	Space string
	Name  string
}

func (e *UnknownRuleError) Error() string { return fmt.Sprintf("there is no rule %.100q", e.Name) }

// UnknownScheduleError says that a space has no such schedule.
type UnknownScheduleError struct {
	Space string
	Name  string
}

func (e *UnknownScheduleError) Error() string {
	return fmt.Sprintf("there is no schedule %.100q", e.Name)
}

// UnknownRunError says that a stream has no such run.
type UnknownRunError struct {
	Ref
	ID string
}

func (e *UnknownRunError) Error() string {
	return fmt.Sprintf("the stream %q has no run %.100q", e.Name, e.ID)
}

// UnknownLetterError says that a stream has no such dead letter.
type UnknownLetterError struct {
	Ref
	Number uint64
}

func (e *UnknownLetterError) Error() string {
	return fmt.Sprintf("the stream %q has no dead letter %d", e.Name, e.Number)
}

// TooManyRulesError says that a space has as many rules as it may have.
type TooManyRulesError struct {
	Space string
}

func (e *TooManyRulesError) Error() string {
	return fmt.Sprintf("there are %d rules, and no room for more: archive one that is not needed", MaxRules)
}

// TooManySchedulesError says that a space has as many schedules as it may have.
type TooManySchedulesError struct {
	Space string
}

func (e *TooManySchedulesError) Error() string {
	return fmt.Sprintf("there are %d schedules, and no room for more: drop one that is not needed", MaxSchedules)
}
