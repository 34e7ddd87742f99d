package reflex

import "time"

// RuleFired says that a rule found what it looks for, and that a run begins.
type RuleFired struct {
	Rule     string         `json:"rule"`
	Scope    map[string]any `json:"scope"`               // the fields by which the rule tells scopes apart, with their values
	ScopeKey string         `json:"scope_key,omitempty"` // the values alone, as a JSON array without blanks
	FiringID string         `json:"firing_id"`           // the run has the same id
	Matched  []uint64       `json:"matched"`             // the positions of the events that it found
}

// RuleErrored says that a rule could not be evaluated at an event, and went on behind it.
type RuleErrored struct {
	Rule  string `json:"rule"`
	Seq   uint64 `json:"seq" jsonschema:"minimum=1"` // the position of the event
	Error string `json:"error"`
}

// RuleReset says that a rule begins anew, since it was changed or replayed.
type RuleReset struct {
	Rule          string `json:"rule"`
	Generation    uint64 `json:"generation"`                                     // how many times it has begun anew
	Reason        string `json:"reason" jsonschema:"enum=changed,enum=replayed"` // why
	FromSeq       uint64 `json:"from_seq"`                                       // the position behind which it begins
	SilentThrough uint64 `json:"silent_through"`                                 // the position up to which nothing fires
}

// RuleDue says that a moment has come for which a rule waits and that no event came before:
// the clocks of all rules are moved by it. No rule looks at it.
type RuleDue struct {
	Rule string    `json:"rule"` // the one that is due first
	At   time.Time `json:"at"`   // the moment for which it was due
}

// RuleInstalled says that a rule was put, or put anew.
type RuleInstalled struct {
	Rule       string         `json:"rule"`
	Version    uint64         `json:"version"`
	Spec       map[string]any `json:"spec"`                 // the rule itself
	Provenance map[string]any `json:"provenance,omitempty"` // where it comes from, as whoever put it said
}

// RuleArchived says that a rule was taken away.
type RuleArchived struct {
	Rule      string  `json:"rule"`
	Version   uint64  `json:"version"`
	Reason    *string `json:"reason,omitempty" jsonschema:"nullable"` // as whoever did it gave it
	Cancelled uint64  `json:"cancelled"`                              // how many of its runs were cancelled
}

// RunStarted says that an attempt of a run has begun.
type RunStarted struct {
	RunID    string         `json:"run_id"`
	Rule     string         `json:"rule"`
	Scope    map[string]any `json:"scope"`               // that of the firing
	ScopeKey string         `json:"scope_key,omitempty"` // its values alone, as a JSON array without blanks
	Attempt  int            `json:"attempt" jsonschema:"minimum=1"`
}

// RunProgressed says that a run has completed a step, and would go on behind it.
type RunProgressed struct {
	RunID string `json:"run_id"`
	Rule  string `json:"rule,omitempty"`
	Step  string `json:"step"` // the name of the step
}

// RunRetrying says that an attempt of a run failed and that another follows.
type RunRetrying struct {
	RunID         string    `json:"run_id"`
	Rule          string    `json:"rule,omitempty"`
	Attempt       int       `json:"attempt" jsonschema:"minimum=1"` // the number of the one that failed
	Error         string    `json:"error"`
	Reason        *string   `json:"reason,omitempty" jsonschema:"nullable"` // for programs, as "timeout"
	NextAttemptAt time.Time `json:"next_attempt_at"`                        // when the next one begins at the earliest
}

// RunSucceeded says that a run is done.
type RunSucceeded struct {
	RunID  string `json:"run_id"`
	Rule   string `json:"rule,omitempty"`
	Output any    `json:"output,omitempty"` // what its action returned
}

// RunDeadLettered says that a run failed for good, until somebody retries or skips it.
type RunDeadLettered struct {
	RunID    string  `json:"run_id"`
	Rule     string  `json:"rule,omitempty"`
	Attempts int     `json:"attempts" jsonschema:"minimum=1"`        // how many there were
	Error    string  `json:"error"`                                  // that of the last one
	Reason   *string `json:"reason,omitempty" jsonschema:"nullable"` // for programs, as "timeout"
}

// RunCancelled says that somebody called a run off.
type RunCancelled struct {
	RunID  string  `json:"run_id"`
	Rule   string  `json:"rule,omitempty"`
	Reason *string `json:"reason,omitempty" jsonschema:"nullable"` // as whoever did it gave it
}

// RunSkipped says that somebody had a run passed over, so that the next of its scope go on.
type RunSkipped struct {
	RunID  string  `json:"run_id"`
	Rule   string  `json:"rule,omitempty"`
	Reason *string `json:"reason,omitempty" jsonschema:"nullable"` // as whoever did it gave it
}

// RunRequeued says that somebody had a run tried again.
type RunRequeued struct {
	RunID string `json:"run_id"`
	Rule  string `json:"rule,omitempty"`
}

// FeedbackGiven says what somebody thought of a run, a firing or a chain.
type FeedbackGiven struct {
	FeedbackType string         `json:"feedback_type"`
	Target       map[string]any `json:"target"` // what it is about: its kind, and which
	Value        map[string]any `json:"value"`
}

// Tick says that a schedule's moment has come.
type Tick struct {
	Schedule string    `json:"schedule"`
	At       time.Time `json:"at"` // the moment for which it was due
}

// OwnEvents returns the events that only the relay publishes, of rules, of their runs
// and of schedules (contract, "Server frames"): by their types, the members that
// stand behind these.
func OwnEvents() map[string]any {
	return map[string]any{
		"rule_fired":        RuleFired{},
		"rule_errored":      RuleErrored{},
		"rule_reset":        RuleReset{},
		"rule_due":          RuleDue{},
		"rule_installed":    RuleInstalled{},
		"rule_archived":     RuleArchived{},
		"run_started":       RunStarted{},
		"run_progressed":    RunProgressed{},
		"run_retrying":      RunRetrying{},
		"run_succeeded":     RunSucceeded{},
		"run_dead_lettered": RunDeadLettered{},
		"run_cancelled":     RunCancelled{},
		"run_skipped":       RunSkipped{},
		"run_requeued":      RunRequeued{},
		"feedback_given":    FeedbackGiven{},
		"tick":              Tick{},
	}
}
