package store

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"hearth/relay/protocol"
)

// MaxResult is the largest result of a command that is remembered, in bytes: a
// million of them are.
const MaxResult = 8 << 10

// Event is an event on its way into a stream.
type Event struct {
	ID   string // "" if it is to be drawn; else as ValidID has it
	JSON []byte // an object without blanks, whose first member is its type
}

// Publish is events on their way into a stream: all of them or none, in order.
type Publish struct {
	Ref
	Writer string  // the id of the key that writes; empty if none
	Origin []byte  // the members stream_id, actor and causation of every envelope, as JSON without braces
	Chain  string  // the id of the event that began the chain; "" if each event begins its own
	Events []Event // at least one

	// Command is the command that this is, for this stream and with just one event;
	// nil if it is none.
	Command *Command
}

// Command names a command: its result is remembered under all of this.
type Command struct {
	Space  string
	Actor  string // the participant, "kind:id"
	Stream string
	ID     string // that the client has chosen
}

// Key returns what names the command: as much of the SHA-256 of its parts as
// makes it certain that no two have the same.
func (c Command) Key() [16]byte {
	h := sha256.New()
	for _, part := range []string{c.Space, c.Actor, c.Stream, c.ID} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return [16]byte(h.Sum(nil))
}

// Remembered is a command with its result.
type Remembered struct {
	Seq    uint64 // its place among those that are remembered: they rise
	Key    [16]byte
	At     time.Time
	Result []byte // JSON: {"outcome":…} or {"rejection":…}
}

// Published says where an event is.
type Published struct {
	Seq       uint64
	ID        string
	Duplicate bool // an event with this id was there already, and this one was not written
}

// AppendOutcome appends what a publisher is answered, in JSON (reflexr.v1,
// "Commands").
func (p Published) AppendOutcome(dst []byte) []byte {
	dst = strconv.AppendUint(append(dst, `{"type":"published","seq":`...), p.Seq, 10)
	dst = AppendID(append(dst, `,"id":`...), p.ID)
	dst = strconv.AppendBool(append(dst, `,"duplicate":`...), p.Duplicate)
	return append(dst, '}')
}

// Outcome returns what AppendOutcome appends.
func (p Published) Outcome() []byte { return p.AppendOutcome(nil) }

// Result returns the result of the command that published this, as it is
// remembered.
func (p Published) Result() []byte {
	return append(p.AppendOutcome([]byte(`{"outcome":`)), '}')
}

// Publication says what became of events.
type Publication struct {
	Stream protocol.Identity
	First  uint64 // what was appended; 0 if nothing was
	Last   uint64
	Events []Published // each of those that were published

	// Earlier is the result of the command, if it ran before: nothing else is set
	// then, and nothing was done.
	Earlier []byte
}

// Type is what events of a type have to be like in a space.
type Type struct {
	Space     string
	Name      string
	Schema    []byte    // JSON Schema
	ChangedAt time.Time // set by the store
}

const (
	// MaxTypes is how many types a space has at the most: each takes its schema,
	// compiled, in memory.
	MaxTypes = 1000

	// MaxTypeName is the length of the longest name of a type, in bytes.
	MaxTypeName = 128

	// MaxSchema is the largest schema of a type, in bytes.
	MaxSchema = 64 << 10
)

// UnknownChainError says that there is no event with the id that a chain is
// named by.
type UnknownChainError struct {
	Ref
	ID string
}

func (e *UnknownChainError) Error() string {
	return fmt.Sprintf("the stream %q has no event with the id %.80q that could have begun a chain", e.Name, e.ID)
}

// NotFirstError says that an event did not begin the chain that it is in.
type NotFirstError struct {
	Ref
	ID    string
	Chain string // the id of the one that did
}

func (e *NotFirstError) Error() string {
	return fmt.Sprintf("the event %.80q did not begin its chain: that was %.80q", e.ID, e.Chain)
}

// UnknownTypeError says that a space has no such type.
type UnknownTypeError struct {
	Space string
	Name  string
}

func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("there is no schema for the type %.80q", e.Name)
}

// TooManyTypesError says that a space has as many types as it may have.
type TooManyTypesError struct {
	Space string
}

func (e *TooManyTypesError) Error() string {
	return fmt.Sprintf("there are schemas for %d types, and no room for more: remove one that is not needed", MaxTypes)
}
