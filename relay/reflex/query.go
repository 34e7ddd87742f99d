package reflex

import "hearth/relay/protocol"

const (
	// DefaultLimit is how many events a page has if the reader does not say.
	DefaultLimit = 1000

	// MaxLimit is how many events a reader may ask for.
	MaxLimit = 10_000

	// maxPage is how many bytes of envelopes a page has about, unless its only one
	// is larger: as in v1.
	maxPage = protocol.MaxPageData

	// maxScan is how many entries a page looks at for those that its reader wants:
	// some tens of milliseconds.
	maxScan = 100_000
)

// Query says which events of a stream to read.
type Query struct {
	After  uint64 // the position behind which to read
	Before uint64 // the position before which to read; 0: up to the head
	Limit  *int   // the first so many; nil: DefaultLimit of them
	Last   *int   // or the last so many

	// Types are those of the events that are wanted; nil: all, and none if it is
	// empty.
	Types []string

	// Cursor proves which history the reader knows; nil if it does not. Where
	// that is another than the stream's, After counts for nothing.
	Cursor *protocol.Cursor

	WithoutData bool // opaque entries without their bytes
}

// The reasons why a reader begins anew (Page.Reset, Welcome.Reason).
const (
	StreamReplaced = "stream_replaced" // the name belongs to another stream now
	CursorAhead    = "cursor_ahead"    // the stream ends before
	CursorDiverged = "cursor_diverged" // the stream has another link there
)

// Page is a page of events.
type Page struct {
	// Pieces are a JSON array of envelopes, oldest first, in pieces.
	Pieces [][]byte
	Count  int // of envelopes

	// Next is the position behind which there are more, or may be; 0 if none are
	// known to follow.
	Next uint64

	// Earlier is the position before which there are more, or may be, of a page of
	// the last ones; 0 if there are none.
	Earlier uint64

	Cursor *protocol.Cursor // where the page ends: the last position that was looked at; nil if there is no stream
	Reset  string           // why the page begins at the stream's start; empty if it does not
}
