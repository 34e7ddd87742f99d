package protocol

import "time"

// The limits of v1 (contract, "Limits"). They are part of the contract: a
// client may count on every relay having just these.
const (
	// MaxBody is the largest request body, in bytes.
	MaxBody = 16 << 20

	// DefaultPageEntries is how many entries a page holds if the reader does
	// not say.
	DefaultPageEntries = 1000

	// MaxPageEntries is how many entries a reader may ask for.
	MaxPageEntries = 10_000

	// MaxPageData is how many bytes of entries a page holds, unless its only
	// entry is larger.
	MaxPageData = 8 << 20

	// DefaultWait is how long a wait lasts if the waiter does not say.
	DefaultWait = 30 * time.Second

	// MaxWait is how long a waiter may ask to wait.
	MaxWait = 60 * time.Second

	// MaxWatches is how many streams one wait may watch.
	MaxWatches = 64

	// MaxName is the length of the longest stream name, in characters.
	MaxName = 64
)

// MaxEntry is the largest entry that fits a body whatever else its batch says, in
// bytes: what is left of MaxBody behind the map's head, the four keys, an epoch
// of five bytes, the heads of the array and of the entry, an identity and a
// first position of nine. It is announced, not enforced: a batch that says less
// has room for a few bytes more.
const MaxEntry = MaxBody - (1 + 4 + 5 + 1 + 5 + 17 + 9)
