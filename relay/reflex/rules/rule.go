package rules

// Rule is what a person asks for: when something happens in a stream, then do
// something. [Parse] reads one, with every default filled in.
type Rule struct {
	Name         string
	Description  string
	Streams      []string // at which it looks; nil is the one through which it was given
	When         When
	Scope        Scope
	Then         Action
	Retry        Retry
	Ordering     string    // OrderScope or OrderNone
	OnDeadLetter string    // Continue or Block
	Start        string    // StartNow or StartBeginning
	Timeout      *Duration // of an attempt; nil if there is none of the rule's own
	Enabled      bool

	types typeSet // what it can match, see EventTypes
}

// How runs of a rule follow each other.
const (
	OrderScope = "scope" // one after the other in each scope, as they fired
	OrderNone  = "none"  // as they come
)

// What becomes of the later runs of a scope when one is a dead letter.
const (
	Continue = "continue"
	Block    = "block"
)

// From where on a rule looks at a stream that is there already.
const (
	StartNow       = "now"
	StartBeginning = "beginning"
)

// When is the condition of a rule: what an envelope has to pass, in this order.
type When struct {
	Filter   Filter
	Dedupe   *Dedupe // nil if repeats count
	Pattern  Pattern
	Throttle *Throttle // nil if it may fire however often
}

// Filter says which envelopes are looked at. It is one of [On], [Where], [All],
// [Any], [Not] and [CEL].
type Filter interface {
	matches(e *Envelope) (bool, error)
	types() typeSet // what it passes at most
	canonical() record
}

// Dedupe drops an envelope whose key was seen before, for as long as that lasts.
type Dedupe struct {
	Key    []string // fields; one that is missing counts as null
	Within Duration
}

// Pattern says how many of the envelopes that pass make the rule fire. It is one
// of [Each], [Count], [Sequence] and [Absence].
type Pattern interface {
	canonical() record
}

type (
	// Each fires for each envelope.
	Each struct{}

	// Count fires when so many have come within a time, and starts over.
	Count struct {
		AtLeast int
		Within  Duration
	}

	// Sequence fires when its steps have come in their order, all within a time
	// from the first.
	Sequence struct {
		Steps  []Filter
		Within Duration
	}

	// Absence fires when none has come for a time after one has.
	Absence struct {
		Within Duration
	}
)

// Throttle drops what fires more often than so many times in any time of a length.
type Throttle struct {
	AtMost int
	Per    Duration
}

// Scope lists the fields by whose values envelopes are told apart: each
// combination has a state of its own.
type Scope struct {
	Fields []string
}

// Action names what is to be done, and with what. Its parameters are the action's
// own concern.
type Action struct {
	Name   string
	Params Object
}

// Retry says how often a run is tried, and how long it waits in between: Backoff
// after the first attempt, each time Multiplier times as long, MaxBackoff at most.
type Retry struct {
	MaxAttempts int
	Backoff     Duration
	Multiplier  float64
	MaxBackoff  Duration
}

// defaults returns a rule with everything that may be left out.
func defaults() Rule {
	return Rule{
		When:     When{Pattern: Each{}},
		Then:     Action{Params: Object{}},
		Retry:    Retry{MaxAttempts: 5, Backoff: Second, Multiplier: 2, MaxBackoff: 5 * Minute},
		Ordering: OrderScope, OnDeadLetter: Continue, Start: StartNow, Enabled: true,
	}
}
