package console

import "time"

// Activity is what clients have been doing lately.
type Activity struct {
	// Minutes are the last hour, the present minute last; there are always as
	// many as an hour has.
	Minutes []Minute

	// Devices are the clients that were seen lately, the last one first.
	Devices []Device
}

// Hour counts something in each of the last 60 minutes, the present one last.
type Hour [60]uint16

// Minute is what was done in one minute.
type Minute struct {
	Start   time.Time
	Writes  int    // batches
	Entries int    // written
	Bytes   uint64 // of the batches' bodies
	Reads   int    // pages
	Refused int
}

// Device is a client, known by where it comes from and by its key if it has one.
type Device struct {
	Client string // the address, without the port
	Key    string // the id of its key; empty if it used none
	Seen   time.Time
	Action Action // what it did then
	Stream string // to which stream; empty if to none
	Writes int    // batches since the relay was started
	Reads  int    // pages since then
}

// EpochStart says from which position on a stream's entries are in an epoch.
type EpochStart struct {
	Epoch    uint32
	Position uint64
}

// Answer is what a reader with a cursor gets to hear.
type Answer string

// The answers. The first one means that all is well; the others are the codes of
// the refusals.
const (
	AnswerEntries  Answer = "entries"
	AnswerReplaced Answer = "stream_replaced"
	AnswerAhead    Answer = "cursor_ahead"
	AnswerDiverged Answer = "cursor_diverged"
)

// Verdict is what a cursor is worth in a stream.
type Verdict struct {
	Answer   Answer
	Position uint64 // where the cursor stands
	Identity string // the stream that it belongs to
	Head     uint64 // where the stream ends that it was held against
	Behind   uint64 // how many entries are new to its reader, if all is well
}
