package console

import (
	"context"
	"time"
)

// EventLog looks into streams of events (KindEvents). Of a stream that holds
// something else the error is ErrNoEvents.
type EventLog interface {
	// Events lists events of a stream, newest first. It looks at a bounded number
	// of them, and says how far it came.
	Events(ctx context.Context, ref StreamRef, q EventQuery) (EventList, error)

	// Chain says what one event has to do with others of its stream. It looks at
	// the given number of events before and behind it at the most. The error is
	// ErrNotFound if the stream has no such position.
	Chain(ctx context.Context, ref StreamRef, position uint64, scan int) (Chain, error)
}

// MaxScan is how many events one call looks at, at the most: some tenths of a
// second of work, and few enough that who has lost interest is soon heard.
const MaxScan = 50_000

// RelayStream is the stream of events of each space on which the relay tells what
// happens on it.
const RelayStream = "_relay"

// EventQuery says which events are looked for. The zero value lets all through.
type EventQuery struct {
	Before uint64   // the position before which to begin (exclusive); 0 means from the head
	Limit  int      // how many events are listed at the most; 0 lists none, and tells only what was seen
	Scan   int      // how many may be looked at; 0, and more than MaxScan, means MaxScan
	Types  []string // an event is of one of these; none means of any
	Actor  string   // an event comes from this one, as Actor.Participant says; empty means from anyone
	Text   string   // an event says this somewhere, or has it in its id, in whatever case
}

// EventList is events of a stream.
type EventList struct {
	Events []Event // newest first

	// Down is the oldest position that was looked at: those that are older may hold
	// more, and 1 means that none is. To go on, ask for what is before it.
	Down uint64

	// Types and Actors are those of all events that were looked at, whether they
	// are listed or not, in no order; a few hundred at the most.
	Types  []string
	Actors []Actor
}

// Event is one event in short.
type Event struct {
	Position uint64
	At       time.Time
	ID       string
	Type     string
	Actor    Actor
	Size     int    // bytes of its envelope
	Summary  string // what it says, in one line that can be shown as it is

	// Broken says why the event cannot be read; empty for one that can. Then nothing
	// but Position and Size is known.
	Broken string
}

// Actor is who an event comes from.
type Actor struct {
	Kind string // user, agent, external_agent, system or source
	ID   string // what tells it from others of its kind
	Name string // what it is called; may be empty
}

// Participant is what tells an actor from all others.
func (a Actor) Participant() string { return a.Kind + ":" + a.ID }

// Chain is what an event has to do with others: those of its chain, which have
// its correlation_id, and what its causation names.
type Chain struct {
	Began string // the id of the event that began the chain; empty if this one did

	// Firing and Run are the ids in the event's causation; empty if it has none.
	Firing string
	Run    string

	Causes  []Related // what came before it, the oldest first
	Effects []Related // what came after it, the oldest first

	// From and To say between which positions all events were looked at, and Head
	// is where the stream ended then.
	From, To, Head uint64

	// MoreCauses and MoreEffects say that there are more between From and To than
	// are listed.
	MoreCauses, MoreEffects bool
}

// Related is an event to which another one leads.
type Related struct {
	Event
	Relation Relation
}

// Relation is what a linked event has to do with the one that leads to it.
type Relation string

// The relations.
const (
	RelationBegan   Relation = "began"   // it began the chain
	RelationMatched Relation = "matched" // the rule that fired was looking for it
	RelationFired   Relation = "fired"   // it is the firing: of a rule that matched, or that the event comes from
	RelationRan     Relation = "ran"     // it belongs to the run that the event comes from
	RelationChain   Relation = "chain"   // it is of the same chain
)

// Has says whether one of the links has a relation.
func Has(links []Related, r Relation) bool {
	for _, l := range links {
		if l.Relation == r {
			return true
		}
	}
	return false
}
