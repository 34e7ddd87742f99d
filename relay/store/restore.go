package store

import (
	"iter"

	"hearth/relay/protocol"
)

// Restore is the part of a stream that is to come back from elsewhere, with its
// identity, times and writers.
type Restore struct {
	// Stream is the stream as it is to be afterwards.
	Stream

	// After is where the stream has to stand until then; nil if there must be none
	// of that name.
	After *protocol.Cursor

	// Runs yields the runs behind After up to the stream's head, each as a walk has
	// taken it and found it sound, or an error, which gives the restoring up. It is
	// gone through once, by a goroutine of the store's and before Restore returns;
	// what it yields may change when it goes on.
	Runs iter.Seq2[Walked, error]
}

// Walked is a run with what ends in it and belongs into the index.
type Walked struct {
	Run
	Keyed []Keyed
}
