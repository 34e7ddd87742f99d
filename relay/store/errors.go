package store

import (
	"errors"
	"fmt"

	"hearth/relay/protocol"
)

// ErrClosed says that the store is closed, or closing.
var ErrClosed = errors.New("the store is closed")

// NotFoundError says that there is no such stream, or no such entry in it.
type NotFoundError struct {
	Ref
	Seq uint64 // the position; 0 if it is the stream that is missing
	ID  string // the id of the event that is missing; empty if it is something else
}

func (e *NotFoundError) Error() string {
	if e.ID != "" {
		return fmt.Sprintf("the stream %q has no event with the id %.80q", e.Name, e.ID)
	}
	if e.Seq > 0 {
		return fmt.Sprintf("the stream %q has no entry %d", e.Name, e.Seq)
	}
	return fmt.Sprintf("there is no stream %q", e.Name)
}

// ReplacedError says that the name belongs to another stream now.
type ReplacedError struct {
	Ref
	Now protocol.Identity
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("the stream %q is another one now, %s: read it from the start", e.Name, e.Now)
}

// AheadError says that a cursor is past the stream's head.
type AheadError struct {
	Ref
	Seq  uint64
	Head uint64
}

func (e *AheadError) Error() string {
	return fmt.Sprintf("the cursor stands at %d, but the stream %q ends at %d", e.Seq, e.Name, e.Head)
}

// DivergedError says that the stream has another link at a cursor's position.
type DivergedError struct {
	Ref
	Seq uint64
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the stream %q has another history at position %d than the cursor", e.Name, e.Seq)
}

// EpochBehindError says that a batch is in a lower epoch than its stream.
type EpochBehindError struct {
	Ref
	Batch uint32
	Epoch uint32
}

func (e *EpochBehindError) Error() string {
	return fmt.Sprintf("the batch is in epoch %d, but the stream %q has moved on to %d: update the app that writes it",
		e.Batch, e.Name, e.Epoch)
}

// OutOfPlaceError says that a batch is meant for another position than the next.
type OutOfPlaceError struct {
	Ref
	First uint64
	Head  uint64
}

func (e *OutOfPlaceError) Error() string {
	return fmt.Sprintf("the batch is meant for position %d, but the stream %q ends at %d", e.First, e.Name, e.Head)
}

// WrongKindError says that a stream holds the other kind.
type WrongKindError struct {
	Ref
	Kind Kind // the stream's
}

func (e *WrongKindError) Error() string {
	if e.Kind == Events {
		return fmt.Sprintf("the stream %q holds events: they are written through reflexr.v1", e.Name)
	}
	return fmt.Sprintf("the stream %q holds opaque entries: they are written through v1", e.Name)
}

// DamagedError says that what is stored of a stream is not what was written.
type DamagedError struct {
	Ref
	Seq    uint64 // the first position that is known to be damaged
	Reason string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the stream %q is damaged at position %d: %s; nothing more is written to it, restore it from a backup",
		e.Name, e.Seq, e.Reason)
}

// FullError says that there is no room for a write.
type FullError struct {
	Err error
}

func (e *FullError) Error() string {
	return fmt.Sprintf("no room is left to write: %v; free some space and try again", e.Err)
}

func (e *FullError) Unwrap() error { return e.Err }
