package store

import (
	"fmt"
	"time"
)

// RunStatus is where a run of a rule stands.
type RunStatus uint8

// The statuses of runs. Their numbers are stored: those up to Retrying are of runs
// that will be run, and those from Succeeded on of runs that are over.
const (
	Pending      RunStatus = 0
	Running      RunStatus = 1
	Retrying     RunStatus = 2
	DeadLettered RunStatus = 3
	Succeeded    RunStatus = 4
	Skipped      RunStatus = 5
	Cancelled    RunStatus = 6
)

var statusNames = [...]string{"pending", "running", "retrying", "dead_lettered", "succeeded", "skipped", "cancelled"}

// String returns the status as reflexr.v1 spells it.
func (s RunStatus) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("RunStatus(%d)", uint8(s))
}

// ParseRunStatus returns the status that is spelled so.
func ParseRunStatus(text string) (RunStatus, bool) {
	for i, name := range statusNames {
		if name == text {
			return RunStatus(i), true
		}
	}
	return 0, false
}

// Unfinished says whether the run will be run, or is.
func (s RunStatus) Unfinished() bool { return s <= Retrying }

// Over says whether nothing more happens to the run by itself, and nobody has to
// deal with it.
func (s RunStatus) Over() bool { return s >= Succeeded }

// RuleRun is what a rule has set off: something to be done once, however often it
// takes to try. ("Run" alone is a run of entries.)
type RuleRun struct {
	// What it is, which never changes.
	Ref       `json:"-"`
	Number    uint64    `json:"number"` // the order of creation, over all streams; they rise
	ID        string    `json:"id"`     // that of the firing; unique in the stream
	Rule      string    `json:"rule"`
	ScopeKey  string    `json:"scope_key"`
	Scope     []byte    `json:"scope"` // the fields of the scope with their values, a JSON object
	FiredSeq  uint64    `json:"fired_seq"`
	Matched   []uint64  `json:"matched"`
	Chain     string    `json:"chain"`
	Depth     int       `json:"depth"`
	CreatedAt time.Time `json:"created_at"` // set by the store

	// In which order it is run. An ordered run begins once those before it in its
	// scope, by FiredSeq and then Number, are no longer unfinished, and none there
	// runs; one that blocks is waited for while it is a dead letter, too. A held one
	// does not begin until somebody has said so, and is waited for.
	Ordered       bool      `json:"ordered"`
	Blocks        bool      `json:"blocks"`
	Held          bool      `json:"-"` // Where it stands.
	Status        RunStatus `json:"status"`
	Epoch         uint64    `json:"epoch"`                    // each change raises it: a fence against what comes too late
	Tried         int       `json:"tried"`                    // how many attempts have begun since it was put in line
	NextAttemptAt time.Time `json:"next_attempt_at,omitzero"` // of one that waits: it begins then at the earliest; zero is at once
	Lease         time.Time `json:"-"`                        // of a running one: until when whoever runs it will have been heard of
	UpdatedAt     time.Time `json:"updated_at"`               // set by the store
	Error         string    `json:"error,omitempty"`          // the latest
	Reason        string    `json:"reason,omitempty"`
	Step          string    `json:"step,omitempty"`   // the one that was completed last
	Checkpoints   int       `json:"checkpoints"`      // how many were saved
	Output        []byte    `json:"output,omitempty"` // of one that has succeeded, JSON; may be empty

	// What lists leave out.
	Attempts   []Attempt `json:"attempts"`             // the oldest first
	Checkpoint []byte    `json:"checkpoint,omitempty"` // the latest

	// CheckpointSize is how many bytes the checkpoint has.
	CheckpointSize int `json:"-"`
}

// Attempt is one time that a run was tried.
type Attempt struct {
	Number  int       `json:"number"`         // from 1 on, also where the run was put in line again in between
	Started time.Time `json:"started"`        // to the microsecond
	Ended   time.Time `json:"ended,omitzero"` // zero if it has not
	Error   string    `json:"error,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// RunChange is a run as it is from now on.
//
// What a run is does not change, and is passed over but for the id. Attempts are
// added, and the last one that is there may end: those before it are passed over, and
// may be left out. The checkpoint is written if Checkpoints has risen, and stays
// otherwise.
type RunChange struct {
	RuleRun

	// Was is the epoch of the run as it was read, of which this is a change; Epoch is
	// set to the next one by the store. A run that begins to run has to be one that
	// DueRuns may list.
	Was uint64

	// Renew says that nothing but the lease is written, and the epoch stays.
	Renew bool
}

// RunFilter says which runs are listed; what is zero passes all.
type RunFilter struct {
	Before   uint64 // those with lower numbers
	Rule     string
	ScopeKey string
	Status   []RunStatus
	Held     bool // only those that are held
}

// Due asks for runs that may begin.
type Due struct {
	At   time.Time // those that may begin by then
	Each int       // the most of one rule in one stream

	// The one rule in the one stream that is asked for; all, if they are zero.
	Ref
	Rule string
}

// Letter is what went wrong and waits for somebody to deal with it: an event that a
// rule could not evaluate, or a run that has failed for good, which has its letter
// for as long as it is dead-lettered. What became of it is told in the log.
type Letter struct {
	Number uint64    `json:"number"` // the order in which they came, over all streams; they rise
	Rule   string    `json:"rule"`
	Seq    uint64    `json:"seq"`              // the event that could not be evaluated, or at which the run fired
	RunID  string    `json:"run_id,omitempty"` // of the run; empty if it is an event
	Error  string    `json:"error"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// LetterFilter says which letters are listed; what is zero passes all.
type LetterFilter struct {
	Before uint64 // those with lower numbers
	Rule   string
}

// Retention says how long what is over is kept.
type Retention struct {
	Since time.Time // what has been over since before then goes; zero keeps it however old it is
	Most  uint64    // how many of the newest runs are kept, the unfinished counted; 0 keeps all
}

const (
	// MaxAttempts is how many attempts of a run are told at the most, the newest ones:
	// a rule may have it tried as often, and so may whoever puts it in line again.
	MaxAttempts = 1000

	// MaxCheckpoint is the largest checkpoint of a run, in bytes: it is written anew
	// with each step.
	MaxCheckpoint = 1 << 20

	// MaxOutput is the largest output of a run, in bytes: it stands in lists.
	MaxOutput = 64 << 10

	// MaxRunText is the longest error, reason or step of a run, in bytes.
	MaxRunText = 4 << 10
)
