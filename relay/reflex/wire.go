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
	Type           string    `json:"type,omitempty"` // "hello", which goes without saying
	Protocol       string    `json:"protocol"`
	ResumeAfterSeq uint64    `json:"resume_after_seq,omitempty"` // the last position that the client has
	Types          *[]string `json:"types,omitempty"`            // of the events that are sent; nil: all
	FromHead       bool      `json:"from_head,omitempty"`        // nothing is replayed
	Key            string    `json:"key,omitempty"`              // for those who cannot set a header
	ResumeCursor   string    `json:"resume_cursor,omitempty"`    // proves which history the client has, in the spelling of v1
}

// Welcome answers a hello.
type Welcome struct {
	Type     string `json:"type"` // "welcome"
	Protocol string `json:"protocol"`
	StreamID string `json:"stream_id"`
	HeadSeq  uint64 `json:"head_seq"`
	Reset    bool   `json:"reset"`            // the replay begins at the first event
	Reason   string `json:"reason,omitempty"` // with a reset
	Cursor   string `json:"cursor,omitempty"` // where the stream stands; left out if there is none yet
}

// Envelope is an event with what is known of it (contract, "Server frames").
type Envelope struct {
	Seq           uint64     `json:"seq"` // the position, from 1 on, without gaps
	ID            string     `json:"id"`
	TS            time.Time  `json:"ts"` // never before that of an earlier event
	StreamID      string     `json:"stream_id"`
	Actor         Actor      `json:"actor"`
	Causation     *Causation `json:"causation"`      // of an event that a run emitted
	CorrelationID string     `json:"correlation_id"` // the id of the event that began the chain
	Event         Event      `json:"event"`
}

// Causation says what made a run emit an event.
type Causation struct {
	FiringID string `json:"firing_id"`
	RunID    string `json:"run_id"`
	Depth    int    `json:"depth"` // from 1 on
}

// EventFrame is an envelope on its way to a live client.
type EventFrame struct {
	Type string `json:"type"` // "event"
	Envelope
	Cursor string `json:"cursor,omitempty"` // where the stream stands behind it; of live events
}

// ReplayComplete says that the client has what there was at the welcome.
type ReplayComplete struct {
	Type    string `json:"type"` // "replay_complete"
	UpToSeq uint64 `json:"up_to_seq"`
	Cursor  string `json:"cursor,omitempty"`
}

// CommandFrame carries a command. [DecodeFrame] reads it.
type CommandFrame struct {
	Type      string         `json:"type,omitempty"` // "command", which goes without saying
	CommandID string         `json:"command_id"`
	Command   PublishCommand `json:"command"`
}

// PublishCommand publishes one event.
type PublishCommand struct {
	Type string `json:"type"` // "publish"
	NewEvent
	CorrelationID string `json:"correlation_id,omitempty"` // the id of the event that began the chain; the event begins one if empty
}

// NewEvent is an event on its way into a stream.
type NewEvent struct {
	Event Event  `json:"event"`
	ID    string `json:"id,omitempty"` // drawn if empty
}

// Publication is what POST events takes: all of its events are appended in their
// order, or none is.
type Publication struct {
	Events        []NewEvent `json:"events"`
	CorrelationID string     `json:"correlation_id,omitempty"`
}

// Published is the outcome of a publish command, and of each event of a
// [Publication].
type Published struct {
	Type      string `json:"type"` // "published"
	Seq       uint64 `json:"seq"`
	ID        string `json:"id"`
	Duplicate bool   `json:"duplicate"` // the id was in the stream already: seq is where
}

// CommandResult answers a command.
type CommandResult struct {
	Type      string          `json:"type"`       // "command_result"
	CommandID *string         `json:"command_id"` // nil if it could not be read
	OK        bool            `json:"ok"`
	Outcome   json.RawMessage `json:"outcome"`   // of an accepted command
	Rejection *Rejection      `json:"rejection"` // of a refused one
}

// ErrorFrame answers a frame that is no command. The connection stays.
type ErrorFrame struct {
	Type      string `json:"type"` // "error"
	Message   string `json:"message"`
	CommandID string `json:"command_id,omitempty"` // if it could be read
}
