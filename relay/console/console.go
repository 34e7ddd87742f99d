// Package console is what a window, or any other face of a relay, may know and
// do: plain types and one interface each for looking at the relay, at the
// network and at the settings. It holds no I/O, so that the same window can
// show the relay in its own process and, later, one on another machine.
package console

import (
	"context"
	"time"
)

// Console is everything that a window needs.
type Console interface {
	Relay
	Network
	Settings
}

// Relay looks into a relay. Every method answers from a short snapshot and may
// be called from any goroutine.
type Relay interface {
	// Overview says how the relay is, in figures.
	Overview(ctx context.Context) (Overview, error)

	// Streams lists streams in the order of their space and name, those after
	// the given place; limit says how many at the most.
	Streams(ctx context.Context, after StreamRef, limit int) ([]Stream, error)

	// Stream returns one stream. The error is ErrNotFound if there is none.
	Stream(ctx context.Context, ref StreamRef) (Stream, error)

	// Entries lists entries of a stream, newest first, from the position
	// before (exclusive; 0 means from the head), without their bytes.
	Entries(ctx context.Context, ref StreamRef, before uint64, limit int) ([]Entry, error)

	// EntryData returns the bytes of one entry. The error is ErrNotFound if the
	// stream has no such position.
	EntryData(ctx context.Context, ref StreamRef, position uint64) ([]byte, error)

	EventLog

	// Epochs lists where a stream's epochs begin, the newest first; limit says
	// how many at the most.
	Epochs(ctx context.Context, ref StreamRef, limit int) ([]EpochStart, error)

	// Check says what a reader with a cursor would get to hear of a stream. The
	// error is ErrCursor for a text that is no cursor.
	Check(ctx context.Context, ref StreamRef, cursor string) (Verdict, error)

	// Verify checks all that the relay holds, each chain from its start, or only
	// one stream if that is not zero. It takes as long as reading everything does;
	// progress hears now and then how many bytes are done, of how many, and may be
	// nil. Nothing is changed; but a stream that is found damaged answers nothing
	// any more. The error is ErrNotFound if there is no such stream.
	Verify(ctx context.Context, only StreamRef, progress func(done, total uint64)) (Verification, error)

	// Backups says what there is of backups.
	Backups(ctx context.Context) (Backups, error)

	// BackUp makes a backup now: in a folder, which is chosen by that, or in the one of
	// the settings if it is that one or empty. It is read back and proven before it
	// counts. It takes a few times as long as reading everything does, so that
	// writers hardly feel it; progress hears now and then how many bytes are done, of
	// how many, and may be nil. One is made at a time: the error is ErrBackingUp if
	// one is under way.
	BackUp(ctx context.Context, folder string, progress func(done, total uint64)) (Backup, error)

	// Activity says what clients have been doing lately.
	Activity(ctx context.Context) (Activity, error)

	// Refusals lists the recent refusals, newest first, repeats counted
	// together.
	Refusals(ctx context.Context) ([]Refusal, error)

	// Changes returns a channel that gets a value soon after anything above
	// may have changed; several changes may share one. Call stop when done:
	// it frees the channel.
	Changes() (changed <-chan struct{}, stop func())
}

// Network looks at the local network.
type Network interface {
	// Neighbourhood says how this relay is announced and which relays have
	// been found.
	Neighbourhood(ctx context.Context) (Neighbourhood, error)

	// SelfTest finds out, in a few seconds, what keeps other machines from
	// finding and reaching this relay.
	SelfTest(ctx context.Context) ([]Check, error)

	// Ask goes to a relay of which the network does not tell, at an address that a
	// person typed: HOST, HOST:PORT or http://HOST:PORT. It says, in a few seconds,
	// whether one answers there, and if not, why and what to do.
	Ask(ctx context.Context, address string) (Check, error)
}

// Settings reads and changes what the owner decides.
type Settings interface {
	// Settings returns every setting with where its value comes from.
	Settings(ctx context.Context) (Values, error)

	// Change checks and keeps new values and puts them into effect. The answer
	// is a sentence for the person: what happened, or what needs a restart. An
	// error is one too, and leaves everything as it was.
	Change(ctx context.Context, change Change) (string, error)

	// Log returns the latest lines of the program's log, the oldest first.
	Log(ctx context.Context) ([]LogLine, error)
}

// Overview is a relay in figures.
type Overview struct {
	// Problem is empty while all is well, else a sentence that says what is
	// wrong and what to do.
	Problem string

	Name    string    // the relay's name, as the network sees it
	ID      string    // the relay's id in lowercase hexadecimal
	Version string    // the program's version
	Started time.Time // when this relay was started

	// URLs are the addresses under which clients reach the relay, the most
	// useful one first.
	URLs []string

	// Open says that the relay listens to the whole network without keys.
	Open bool

	Waiting  int    // waits that are being held now
	Streams  int    // streams in all spaces
	Entries  uint64 // entries in all streams
	Bytes    uint64 // bytes of entries, as their writers sent them
	DiskUsed uint64 // bytes of the database on the disk
	DiskFree uint64 // bytes free where the database lies; 0 if not known

	// Refused counts refusals since the start.
	Refused uint64

	// Damaged lists the streams in which damage was noticed.
	Damaged []Damage

	// Checked is when everything was last checked; zero if not since the start.
	Checked time.Time

	// BackedUp is when the newest backup was made, and BackupFailed a sentence if
	// there is none from when there should be; see Backups.
	BackedUp     time.Time
	BackupFailed string
}

// Damage is what is wrong with a stream.
type Damage struct {
	StreamRef
	Position uint64 // the first one that is known to be damaged
	Reason   string // reads on from "damaged at this position: "
}

// StreamRef names a stream.
type StreamRef struct {
	Space string
	Name  string
}

// Kind is what a stream holds, decided by its first write.
type Kind string

// The kinds of streams.
const (
	KindEntries Kind = "entries" // opaque entries, written through v1
	KindEvents  Kind = "events"  // events, written through reflexr.v1
)

// Stream is one stream as a person sees it.
type Stream struct {
	StreamRef
	Kind      Kind
	Identity  string // lowercase hexadecimal
	Head      uint64 // the last position, so the number of entries
	Epoch     uint32
	Link      string // the head's link, lowercase hexadecimal
	Bytes     uint64 // bytes of entries, as their writers sent them
	CreatedAt time.Time
	WrittenAt time.Time

	Hour Hour // the batches of the last hour; zero if the relay does not know

	// Damage is empty while the stream is sound, else what is wrong with it.
	Damage string
}

// Entry is one entry without its bytes.
type Entry struct {
	Position  uint64
	Epoch     uint32
	Size      int
	Link      string // lowercase hexadecimal
	EndsBatch bool   // whether it is the last of its batch
	WrittenAt time.Time
	Writer    string // the id of the key that wrote it; empty if none
}

// Neighbourhood is the local network as the relay sees it.
type Neighbourhood struct {
	// Announced lists where the relay says that it is there.
	Announced []Announcement

	// Unused lists the interfaces on which it does not, and why.
	Unused []UnusedInterface

	// Quiet says why nothing is announced, in a sentence; empty if something is.
	Quiet string

	// Found lists the relays that answered, this one included.
	Found []FoundRelay

	// Trouble says what keeps the relay from looking around; empty if nothing.
	Trouble string
}

// Announcement is one network interface on which the relay is announced.
type Announcement struct {
	Interface string
	Addresses []string
	Instance  string // the name under which it shows
}

// UnusedInterface is one network interface on which the relay is not announced.
type UnusedInterface struct {
	Interface string
	Reason    string // reads on from "not announced: "
}

// FoundRelay is a relay that was found on the network.
type FoundRelay struct {
	Name   string
	ID     string // empty if it does not say
	Host   string
	URLs   []string
	Key    KeyNeed
	Self   bool // whether it is this relay
	SeenAt time.Time

	// Stale says that the relay was asked more than once since it was seen, and
	// did not answer: it crashed, or left without a word.
	Stale bool
}

// KeyNeed is whether a relay takes visitors with a key only.
type KeyNeed string

// What a relay says of keys.
const (
	KeyNotTold   KeyNeed = "" // as relays of other makers may
	KeyNeeded    KeyNeed = "needed"
	KeyNotNeeded KeyNeed = "not needed"
)

// Check is one thing that the self-test looked at. Detail and Todo are whole
// sentences.
type Check struct {
	Title   string
	Outcome Outcome
	Detail  string // what was found
	Todo    string // what the person can do; empty if there is nothing to do
	Command string // to be typed into a terminal, if that is what to do
}

// Outcome is how a check came out.
type Outcome string

// The outcomes.
const (
	OutcomeGood    Outcome = "good"
	OutcomeBad     Outcome = "bad"
	OutcomeUnknown Outcome = "unknown" // it cannot be seen from here
)

// Origin says where the value of a setting comes from.
type Origin string

// The origins, the strongest first.
const (
	OriginFlag        Origin = "flag"
	OriginEnvironment Origin = "environment"
	OriginFile        Origin = "file"
	OriginDefault     Origin = "default"
)

// Values are the settings. Folder cannot be changed while the relay runs.
type Values struct {
	Name   Value[string] // the relay's name
	Port   Value[int]    // 0 lets the system pick one
	Open   Value[bool]   // whether the network may come in without keys
	Folder Value[string] // where the data lies

	// Interfaces are the only ones on which the relay is announced, or, with a !
	// before the name, those on which it never is. None means every one that
	// leads to a network that people share.
	Interfaces Value[[]string]

	// Advertise are the addresses that are announced in place of the machine's
	// own; none means its own.
	Advertise Value[[]string]

	// Untold are the kinds of happenings that are not told on the streams _relay.
	Untold Value[[]Happening]

	BackupValues
	Desktop
}

// Value is a setting's value with its origin. A value that comes from a flag
// or the environment cannot be changed in the window.
type Value[T any] struct {
	Value  T
	Origin Origin
}

// Fixed says that the value was given for this run and cannot be changed in it.
func (v Value[T]) Fixed() bool {
	return v.Origin == OriginFlag || v.Origin == OriginEnvironment
}

// Change holds the new values; nil leaves a setting as it is.
type Change struct {
	Name *string
	Port *int
	Open *bool

	Interfaces *[]string
	Advertise  *[]string
	Untold     *[]Happening

	BackupChange
	DesktopChange
}
