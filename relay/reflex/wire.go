package reflex

import (
	"encoding/json"
	"time"
)

// The types of frames.
const (
	helloType          = "hello"
	welcomeType        = "welcome"
	eventType          = "event"
	replayCompleteType = "replay_complete"
	commandType        = "command"
	resultType         = "command_result"
	errorType          = "error"
	publishedType      = "published"
)

// Hello is the first frame of a live client (contract, "Handshake and resume").
type Hello struct {
	Type           string    `json:"type,omitempty" jsonschema:"enum=hello"` // "hello", which goes without saying
	Protocol       string    `json:"protocol" jsonschema:"enum=reflexr.v1"`
	ResumeAfterSeq *uint64   `json:"resume_after_seq,omitempty"`                                                    // the last position that the client has; what follows it is sent. If left out, that of the cursor, or 0
	Types          *[]string `json:"types,omitempty" jsonschema:"nullable,maxItems=1000,minLength=1,maxLength=128"` // of the events that are sent; all if null or left out
	FromHead       bool      `json:"from_head,omitempty"`                                                           // nothing is replayed: what comes from now on is sent
	Key            string    `json:"key,omitempty" jsonschema:"nullable"`                                           // the key, of a client that cannot set a header
	// The cursor that came with the last event that the client has, or with the end
	// of the replay: so that it is told if the stream has another history by now, as
	// after a restore from a backup.
	ResumeCursor string `json:"resume_cursor,omitempty" jsonschema:"nullable,pattern=^((0|[1-9][0-9]*)[.][0-9a-f]{32}[.][0-9a-f]{64})?$"`
}

// Welcome answers a hello.
type Welcome struct {
	Type     string `json:"type" jsonschema:"enum=welcome"` // "welcome"
	Protocol string `json:"protocol" jsonschema:"enum=reflexr.v1"`
	StreamID string `json:"stream_id"` // the stream's name
	HeadSeq  uint64 `json:"head_seq"`  // the position of its last event; 0 if there is none
	Reset    bool   `json:"reset"`     // the replay begins at the first event
	// Reason says why, with a reset.
	Reason string `json:"reason,omitempty" jsonschema:"enum=stream_replaced,enum=cursor_ahead,enum=cursor_diverged"`
	Cursor string `json:"cursor,omitempty"` // where the stream stands; left out if there is none yet
}

// Envelope is an event with what is known of it (contract, "Server frames").
type Envelope struct {
	Seq           uint64     `json:"seq" jsonschema:"minimum=1"`              // the position, from 1 on, without gaps
	ID            string     `json:"id" jsonschema:"minLength=1"`             // the event's own, which no other of the stream has
	TS            time.Time  `json:"ts"`                                      // never before that of an earlier event
	StreamID      string     `json:"stream_id"`                               // the stream's name
	Actor         Actor      `json:"actor"`                                   // who published it
	Causation     *Causation `json:"causation" jsonschema:"nullable"`         // of an event that a run emitted; null of all others
	CorrelationID string     `json:"correlation_id" jsonschema:"minLength=1"` // the id of the event that began the chain
	Event         Event      `json:"event"`                                   // what was published
}

// Causation says what made a run emit an event.
type Causation struct {
	FiringID string `json:"firing_id"`                    // what the rule fired
	RunID    string `json:"run_id"`                       // the run that emitted the event
	Depth    int    `json:"depth" jsonschema:"minimum=1"` // how many runs lead to the event, one emitting what began the next
}

// EventFrame is an envelope on its way to a live client.
type EventFrame struct {
	Type string `json:"type" jsonschema:"enum=event"` // "event"
	Envelope
	Cursor string `json:"cursor,omitempty"` // where the stream stands behind it; of live events
}

// ReplayComplete says that the client has what there was at the welcome.
type ReplayComplete struct {
	Type    string `json:"type" jsonschema:"enum=replay_complete"` // "replay_complete"
	UpToSeq uint64 `json:"up_to_seq"`                              // the welcome's head_seq, even if a filter let nothing through
	Cursor  string `json:"cursor,omitempty"`                       // where the stream stands there; left out if there is none yet
}

// CommandFrame carries a command, in a body or in a frame of a live client.
type CommandFrame struct {
	Type      string         `json:"type,omitempty" jsonschema:"enum=command"`          // "command", which goes without saying
	CommandID string         `json:"command_id" jsonschema:"minLength=1,maxLength=256"` // drawn by the client for each command; one that is sent again keeps it
	Command   PublishCommand `json:"command"`
}

// PublishCommand publishes one event.
type PublishCommand struct {
	Type string `json:"type" jsonschema:"enum=publish"` // "publish"
	NewEvent
	CorrelationID string `json:"correlation_id,omitempty" jsonschema:"nullable,maxLength=256"` // of the chain that it belongs to; without one it begins its own
}

// NewEvent is an event on its way into a stream.
type NewEvent struct {
	Event Event  `json:"event"`
	ID    string `json:"id,omitempty" jsonschema:"nullable,maxLength=256"` // so that what is sent again is published once; drawn if empty
}

// Publication is what POST events takes: all of its events are appended in their
// order, or none is.
type Publication struct {
	Events        []NewEvent `json:"events" jsonschema:"maxItems=100000"`
	CorrelationID string     `json:"correlation_id,omitempty" jsonschema:"nullable,maxLength=256"` // of the chain that they belong to; without one each begins its own

	form form // in which it was sent
}

// form is how events were sent: mistakes in them are named accordingly.
type form uint8

const (
	several   form = iota // a list of events
	single                // an event with its id
	bare                  // an event as such
	commanded             // a command
)

// Published is the outcome of a publish command, and of each event of a
// [Publication].
type Published struct {
	Type      string `json:"type" jsonschema:"enum=published"` // "published"
	Seq       uint64 `json:"seq" jsonschema:"minimum=1"`       // where the event is
	ID        string `json:"id" jsonschema:"minLength=1"`      // the event's
	Duplicate bool   `json:"duplicate"`                        // the id was in the stream already: nothing was appended
}

// CommandResult answers a command.
type CommandResult struct {
	Type      string          `json:"type" jsonschema:"enum=command_result"` // "command_result"
	CommandID *string         `json:"command_id" jsonschema:"nullable"`      // that of the command; null if it could not be read
	OK        bool            `json:"ok"`                                    // whether it was accepted
	Outcome   json.RawMessage `json:"outcome"`                               // of an accepted command; null if it was refused
	Rejection *Rejection      `json:"rejection" jsonschema:"nullable"`       // of a refused one; null if it was accepted
}

// ErrorFrame answers a frame that is no command. The connection stays.
type ErrorFrame struct {
	Type      string `json:"type" jsonschema:"enum=error"` // "error"
	Message   string `json:"message"`                      // for people
	CommandID string `json:"command_id,omitempty"`         // if it could be read
}

// EntryEvent is the event as which an opaque entry shows, one that was written
// through v1.
type EntryEvent struct {
	Type  string `json:"type" jsonschema:"enum=entry"` // "entry"
	Epoch uint32 `json:"epoch"`                        // that of its batch
	Size  uint64 `json:"size"`                         // of its data, in bytes
	Link  string `json:"link"`                         // of the stream's chain at its position, in lowercase hexadecimal
	Data  []byte `json:"data,omitempty"`               // left out if the reader wants it so
}
