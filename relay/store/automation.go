package store

import (
	"context"
	"time"

	"hearth/relay/protocol"
)

// Automation keeps what rules and schedules come to: their versions, how far each
// rule has evaluated a stream and what it remembers of it, the runs that it set off,
// what went wrong. A rule and a schedule belong to a space; all else to one stream.
type Automation interface {
	// React does everything that belongs to one step of rules, runs or schedules, in
	// one stream: all of it or nothing.
	//
	// The errors are those of Append; *StaleError if something has changed since it
	// was read on which the reaction is based; *UnknownRuleError, *UnknownScheduleError,
	// *UnknownRunError, *UnknownLetterError for what is not there; *TooManyRulesError
	// and *TooManySchedulesError. None of them is remembered as a command's result.
	React(ctx context.Context, r Reaction) (Reacted, error)

	// PruneRuns lets go of the runs that have been over the longest, if they are older
	// than a retention has it or too many: up to a thousand, so that it is called
	// again until it returns none. The errors are *FullError, ErrClosed, the context's.
	PruneRuns(ctx context.Context, r Retention) (pruned int, err error)

	// Rules lists the newest version of each rule of a space, also of those that are
	// archived, in the order of their names; of all spaces if it is empty. The revision
	// rises whenever a rule of one of these changes.
	Rules(ctx context.Context, space string) (list []Rule, revision uint64, err error)

	// RuleHistory lists the versions of a rule before one (0: from the newest on),
	// the newest first; limit says how many at the most. An *UnknownRuleError if there
	// is no such rule.
	RuleHistory(ctx context.Context, space, rule string, before uint64, limit int) ([]Rule, error)

	// Standing returns how far the rules have come in a stream; the zero Standing for
	// a stream that is not there. So do the others: what is not there has no states,
	// runs and letters.
	Standing(ctx context.Context, ref Ref) (Standing, error)

	// ScopeState returns what a rule remembers in a scope; one without State if that
	// is nothing.
	ScopeState(ctx context.Context, ref Ref, rule, scope string) (ScopeState, error)

	// DueStates lists the states of a rule whose deadlines are not after a time, to the
	// microsecond, in the order of deadline and scope; limit says how many at the most.
	DueStates(ctx context.Context, ref Ref, rule string, at time.Time, limit int) ([]ScopeState, error)

	// Deadlines lists, of each rule in each stream that waits for a time, the earliest
	// one, in no order.
	Deadlines(ctx context.Context) ([]Deadline, error)

	// RuleRun returns a run with all that is known of it, or an *UnknownRunError.
	RuleRun(ctx context.Context, ref Ref, id string) (RuleRun, error)

	// RuleRuns lists runs of a stream, the newest first and without their checkpoints
	// and attempts: those that a filter passes, at most limit of them, and fewer once
	// they have as many bytes as a page.
	RuleRuns(ctx context.Context, ref Ref, f RunFilter, limit int) ([]RuleRun, error)

	// DueRuns lists the runs that may begin, by rule and stream, and of each those first
	// that could have begun the longest ago, as RuleRuns does; next is when the
	// earliest of those may begin that may not yet, zero if there is none.
	DueRuns(ctx context.Context, d Due) (list []RuleRun, next time.Time, err error)

	// Leases lists the running runs, be they held or not, whose leases end before a
	// time, those first that end first, as RuleRuns does; limit says how many at the
	// most.
	Leases(ctx context.Context, before time.Time, limit int) ([]RuleRun, error)

	// Letters lists the dead letters of a stream that nobody has dealt with, the newest
	// first: those that a filter passes, at most limit of them.
	Letters(ctx context.Context, ref Ref, f LetterFilter, limit int) ([]Letter, error)

	// Carry returns a stream as it is, and what automations have left in it at that very
	// moment, but for runs that are over: the log tells of those. The errors are those
	// of Page.
	Carry(ctx context.Context, ref Ref) (Stream, []Carried, error)

	// Schedules lists the schedules of a space in the order of their names; of all
	// spaces if it is empty.
	Schedules(ctx context.Context, space string) ([]Schedule, error)
}

// Reaction is one step of what happens by itself in a stream. What is zero is left
// as it is.
type Reaction struct {
	Ref

	// Revision is that of the rules of the space by which was evaluated; 0 if they do
	// not matter.
	Revision uint64

	// Stream is how far the stream is evaluated for all rules that are in step.
	Stream *StreamProgress

	Rules    []RuleProgress
	NewRuns  []RuleRun // in the order in which they fired; Number, Epoch and CreatedAt are set by the store
	Runs     []RunChange
	Letters  []Letter // evaluation errors; Number and At are set by the store
	Settled  []uint64 // the numbers of letters of events that are dealt with, which go; those of runs go by themselves
	Rule     *Rule    // the next version of a rule
	Schedule *ScheduleChange

	// Facts are events, appended in their order as one batch. One whose id is there
	// already is a duplicate, and not written.
	Facts []Fact

	// Command is the command that this is, for this stream; nil if it is none. What it
	// came to is rendered from what the reaction did, by Result, which is quick and
	// looks at nothing else. If the command ran before, nothing is done.
	Command *Command
	Result  func(Reacted) []byte
}

// StreamProgress moves how far a stream is evaluated.
type StreamProgress struct {
	Was, Now uint64 // the last position that was evaluated
}

// RuleProgress moves how far one rule has come, and what it remembers.
type RuleProgress struct {
	Rule       string
	Was, Now   Progress // Was is zero if the rule has not looked at the stream yet
	DropStates bool     // forget all states, before States are put
	States     []ScopeState
}

// Progress is how far a rule has come in a stream.
type Progress struct {
	// InStep says that the rule has evaluated the stream as far as the stream's own
	// progress says, so that a thousand rules cost an event but one row.
	InStep bool `json:"in_step"` // Cursor is the last position that was evaluated. Of a rule in step it is the
	// stream's, and passed over where it is written.
	Cursor uint64 `json:"cursor"`

	Generation    uint64 `json:"generation"`     // how often the rule has started anew: this only rises
	Definition    string `json:"definition"`     // of the condition by which it looks
	SilentThrough uint64 `json:"silent_through"` // the position up to which nothing fires
}

// ScopeState is what a rule remembers in a scope.
type ScopeState struct {
	Scope    string    `json:"scope"`
	Deadline time.Time `json:"deadline,omitzero"` // when something is to happen by itself, to the microsecond; zero if nothing is
	State    []byte    `json:"state"`             // empty if there is none any more
}

// Fact is an event that the relay itself has to tell.
type Fact struct {
	ID     string // "" if it is to be drawn; one of a tick is given
	Origin []byte // as that of a Publish
	Chain  string // the id of the event that began the chain; "" if this one does. It is not looked for
	JSON   []byte // as that of an Event
}

// Reacted says what a reaction came to.
type Reacted struct {
	Stream protocol.Identity // zero if the stream is not there
	First  uint64            // the facts that were appended; 0 if none was
	Last   uint64
	Facts  []Published // each of those of the reaction
	Runs   []RuleRun   // the new ones, with their numbers and epochs

	// Earlier is the result of the command, if it ran before: nothing else is set
	// then, and nothing was done.
	Earlier []byte
}

// Deadline is when something is to happen in a stream by itself.
type Deadline struct {
	Ref
	Rule string
	At   time.Time
}

// Standing is how far the rules have come in a stream.
type Standing struct {
	Cursor uint64 // of the stream, which rules in step share
	Head   uint64
	Rules  []RuleStanding // those that have looked at it, in the order of their names
}

// RuleStanding is how far a rule has come in a stream, and what it has left there.
type RuleStanding struct {
	Rule string
	Progress
	Scopes  int       // in which it remembers something
	Letters int       // dead letters that nobody has dealt with
	Waiting int       // runs that are pending or retrying
	Running int       // runs that are running
	LastRun time.Time // when it fired last; zero if it never did, or that is pruned
	LastSeq uint64    // at which event that was
}

// Rule is a version of a rule.
type Rule struct {
	Space      string    `json:"space"`
	Name       string    `json:"name"`
	Version    uint64    `json:"version"`              // they rise by one, from 1 on
	Archived   bool      `json:"archived"`             // from this version on the rule is out of use
	Spec       []byte    `json:"spec"`                 // the rule itself, JSON; of an archived one as it was
	Provenance []byte    `json:"provenance,omitempty"` // where it comes from, JSON, as whoever put it said; may be empty
	Actor      []byte    `json:"actor,omitempty"`      // who put it, a JSON object; may be empty
	Reason     string    `json:"reason,omitempty"`     // why it was archived, as whoever did it gave it
	At         time.Time `json:"at"`                   // when, to the microsecond; set by the store
}

// ScheduleChange puts or drops a schedule, or says that it ticked.
type ScheduleChange struct {
	Name string
	Spec []byte // the schedule, JSON. With another one than before its ticks start anew
	Drop bool

	// Tick says that the schedule ticked last in the stream at this time, or begins
	// there; Was is what that was before, zero if there was nothing.
	Was, Tick time.Time
}

// Schedule is a schedule with its last ticks.
type Schedule struct {
	Space     string               `json:"space"`
	Name      string               `json:"name"`
	Spec      []byte               `json:"spec"`
	ChangedAt time.Time            `json:"changed_at"`
	Ticks     map[string]time.Time `json:"ticks"` // the last one by the name of the stream, to the microsecond
}

const (
	// MaxRules is how many rules a space has at the most that are in use: an event is
	// shown to each of them that asks for its type.
	MaxRules = 10_000

	// MaxSchedules is how many schedules a space has at the most.
	MaxSchedules = 1000

	// MaxRuleName is the length of the longest name of a rule or a schedule, in
	// bytes: a hundred letters of any script.
	MaxRuleName = 400

	// MaxSpec is the largest rule or schedule, in bytes.
	MaxSpec = 64 << 10

	// MaxScope is the longest scope, in bytes, and the largest object with its fields.
	MaxScope = 16 << 10

	// MaxReaction is how much may be written at once, in bytes: it is done in one
	// transaction, which others have to wait for.
	MaxReaction = 8 << 20
)
