// Package store is what a store of streams promises: its types, its operations
// and its errors. How it keeps them is another package's concern; what every
// store must hold to is written down as tests in storetest.
package store

import (
	"context"
	"iter"
	"time"

	"hearth/relay/protocol"
)

// Store keeps streams. Its methods may be called from any goroutine. An answer
// to a write is given only after what it tells is safe on the disk.
type Store interface {
	// Append writes a batch at the end of a stream, whole or not at all, its
	// entries at consecutive positions, or finds it there already. A batch that
	// names no identity creates the stream if there is none.
	//
	// The errors: *NotFoundError, *ReplacedError, *EpochBehindError,
	// *OutOfPlaceError, *WrongKindError, *DamagedError, *FullError, ErrClosed,
	// the context's if it ended before the batch's turn came; any other one is a
	// failure of the machine. After an error nothing of the batch is there.
	Append(ctx context.Context, a Append) (Written, error)

	// Restore puts a stream, or what follows the part of it that is there, back as
	// it was elsewhere: whole or not at all. The errors are those of Append, and
	// what the runs come to.
	Restore(ctx context.Context, r Restore) error

	// Page reads entries after a cursor. The errors: *NotFoundError,
	// *ReplacedError, *AheadError, *DivergedError, *DamagedError, ErrClosed,
	// the context's.
	Page(ctx context.Context, r Read) (Page, error)

	// Heads returns the state of each of the named streams of a space, in
	// their order, all at one moment; the zero State for a name without a stream.
	Heads(ctx context.Context, space string, names []string) ([]State, error)

	// Streams lists streams in the order of space and name, those after the
	// given place; limit says how many at the most.
	Streams(ctx context.Context, after Ref, limit int) ([]Stream, error)

	// Stream returns one stream, or a *NotFoundError.
	Stream(ctx context.Context, ref Ref) (Stream, error)

	// Back reads entries before a position (0: from the head on), newest first:
	// at least one if there is one, at most limit, and fewer once they have as
	// many bytes as a page. The errors are those of Page.
	Back(ctx context.Context, ref Ref, before uint64, limit int) ([]Record, error)

	// Epochs lists where the epochs of a stream begin, the newest first; limit
	// says how many at the most. The errors are those of Page.
	Epochs(ctx context.Context, ref Ref, limit int) ([]EpochStart, error)

	// Record reads one entry with its bytes; a *NotFoundError if there is none.
	Record(ctx context.Context, ref Ref, seq uint64) (Record, error)

	// Runs reads runs of a stream in the order of their positions: those behind one,
	// at which a run has to end, up to a head that the stream has or had, and about
	// a megabyte of them; none at that head. The errors are those of Page.
	Runs(ctx context.Context, ref Ref, after, head uint64) ([]Run, error)

	// Totals counts what the store holds.
	Totals(ctx context.Context) (Totals, error)

	// Damaged lists the streams in which damage was noticed, in the order of
	// space and name. They answer nothing but this any more.
	Damaged() []*DamagedError

	// Verify checks everything: each chain from its start, and what the store
	// promises of itself. It changes nothing; but a stream that it finds damaged is
	// one in which damage was noticed. The errors: *NotFoundError for the one stream
	// that was asked for, ErrClosed, the context's.
	Verify(ctx context.Context, v Verify) (Verified, error)

	// Publish writes events at the end of a stream, all of them or none, at
	// consecutive positions, and makes the stream if there is none. An event whose id
	// the stream has already is not written; the first one with an id stays. What a
	// command comes to is remembered with its effect, and if it ran before, nothing
	// is done.
	//
	// The errors are those of Append, *UnknownChainError and *NotFirstError. None of
	// them is remembered.
	Publish(ctx context.Context, p Publish) (Publication, error)

	// Settle remembers the result of a command that has no effect, such as a
	// rejection, and returns it, or the one that the command had before.
	Settle(ctx context.Context, c Command, result []byte) (first []byte, err error)

	// Recall returns the result of a command, if it is remembered. Results are for 30
	// days, the newest million of them.
	Recall(ctx context.Context, c Command) (result []byte, found bool, err error)

	// Find reads the event with an id; a *NotFoundError if there is none. The other
	// errors are those of Page.
	Find(ctx context.Context, ref Ref, id string) (Record, error)

	// PutType says what events of a type have to be like in a space, from now on. The
	// errors: *TooManyTypesError, *FullError, ErrClosed, the context's.
	PutType(ctx context.Context, t Type) error

	// DropType lets events of a type be as they like again. The errors are those of
	// PutType, and *UnknownTypeError.
	DropType(ctx context.Context, space, name string) error

	// Types lists the types of a space, or of all if it is empty, in the order of
	// space and name.
	Types(ctx context.Context, space string) ([]Type, error)

	Automation

	// Commands lists the commands that are remembered, those behind a place, in their
	// order; limit says how many at the most.
	Commands(ctx context.Context, after uint64, limit int) ([]Remembered, error)

	// Close lets the commit under way come to its end and leaves everything in
	// one file. Calls after it, and those still waiting, get ErrClosed: nothing
	// of their batches is there.
	Close() error
}

// Ref names a stream.
type Ref struct {
	Space string
	Name  string
}

// Kind is what a stream holds, decided by its first write.
type Kind uint8

// The kinds of streams. Their numbers are stored.
const (
	Entries Kind = 0 // opaque entries, written through v1
	Events  Kind = 1 // events, written through reflexr.v1
)

// Append is a batch of opaque entries on its way into a stream.
type Append struct {
	Ref
	Batch  protocol.Batch // at least one entry
	Writer string         // the id of the key that writes; empty if none
}

// Written says where a batch is.
type Written struct {
	Stream   protocol.Identity
	Epoch    uint32 // the stream's, after the write
	First    uint64
	Last     uint64
	Repeated bool // the batch was there already, and was not written again
}

// Read asks for a page.
type Read struct {
	Ref
	After   *protocol.Cursor // nil: from the start, or behind the position Behind
	Behind  uint64           // without a cursor: the position behind which to read
	Entries int              // the most entries
	Bytes   int              // the most bytes of entries, unless the first is larger
}

// Page is a run of entries as it goes over the wire.
type Page struct {
	Kind   Kind
	Stream protocol.Identity
	Epoch  uint32        // the stream's
	Head   uint64        // the stream's last position
	Count  int           // entries in the page
	Last   uint64        // the position of the last of them; where the reader stood if there is none
	Link   protocol.Link // the link there

	// Wire holds the entries as protocol.Entry.Append gives them, in pieces
	// that begin and end between two entries.
	Wire [][]byte
}

// Cursor returns where the page ends.
func (p Page) Cursor() protocol.Cursor {
	return protocol.Cursor{Stream: p.Stream, Seq: p.Last, Link: p.Link}
}

// All goes through the page's entries. Should the wire form be damaged, it
// yields the error last.
func (p Page) All() iter.Seq2[protocol.Entry, error] {
	return func(yield func(protocol.Entry, error) bool) {
		for _, piece := range p.Wire {
			for len(piece) > 0 {
				e, rest, err := protocol.DecodeEntry(piece)
				if !yield(e, err) || err != nil {
					return
				}
				piece = rest
			}
		}
	}
}

// State is what a waiter needs to know of a stream. It is zero if there is none.
type State struct {
	Stream protocol.Identity
	Head   uint64
}

// Exists says whether there is such a stream.
func (s State) Exists() bool { return s.Head > 0 }

// Differs says whether the state is another one than a cursor's, or without a
// cursor, whether there is anything at all (contract, "Waiting").
func (s State) Differs(from *protocol.Cursor) bool {
	if from == nil {
		return s.Exists()
	}
	return s.Stream != from.Stream || s.Head != from.Seq
}

// Stream is a stream as it is now.
type Stream struct {
	Ref
	Kind      Kind
	Identity  protocol.Identity
	Epoch     uint32
	Head      uint64
	Link      protocol.Link // the link at the head
	Bytes     uint64        // bytes of entries
	CreatedAt time.Time
	WrittenAt time.Time
	Damage    error // a *DamagedError once damage was noticed, else nil
}

// Record is an entry with what the store knows of its writing.
type Record struct {
	protocol.Entry
	WrittenAt time.Time
	Writer    string // the id of the key that wrote it; empty if none
}

// EpochStart says from which position on entries are in an epoch.
type EpochStart struct {
	Epoch uint32
	Seq   uint64
}

// Totals counts what a store holds.
type Totals struct {
	Streams int
	Entries uint64
	Bytes   uint64 // bytes of entries
	Disk    uint64 // bytes of the files
	Log     uint64 // bytes of them that a checkpoint would fold in
}

// Moved says that a stream has a new head.
type Moved struct {
	Ref
	State
	Kind   Kind
	Before uint64 // the head before; 0 if the stream is new
}
