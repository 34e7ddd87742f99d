package reflex

import (
	"fmt"

	"hearth/relay/protocol"
)

const (
	// DefaultLimit is how many events a page has if the reader does not say.
	DefaultLimit = 1000

	// MaxLimit is how many events a reader may ask for.
	MaxLimit = 10_000

	// maxPage is how many bytes of envelopes a page has about, unless its only one
	// is larger: as in v1.
	maxPage = protocol.MaxPageData

	// maxScan and maxScanBytes are at how many entries, and at how many bytes of
	// them, a page looks for those that its reader wants: it takes some tens of
	// milliseconds.
	maxScan      = 100_000
	maxScanBytes = 64 << 20
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

// check refuses a query that makes no sense, or asks for too much. The error is a
// *Rejection.
func (q Query) check() error {
	var errs []FieldError
	bad := func(name, kind, msg string) {
		errs = append(errs, fieldError(msg, kind, "query", name))
	}
	if q.Limit != nil && q.Last != nil {
		bad("last", badValue, "either the first so many or the last so many can be had")
	}
	if q.Limit != nil && (*q.Limit < 0 || *q.Limit > MaxLimit) {
		bad("limit", badRange, fmt.Sprintf("a page has 0 to %d events", MaxLimit))
	}
	if q.Last != nil && (*q.Last < 0 || *q.Last > MaxLimit) {
		bad("last", badRange, fmt.Sprintf("a page has 0 to %d events", MaxLimit))
	}
	if len(q.Types) > maxFilter {
		bad("type", tooManyItems, fmt.Sprintf("at most %d types are told apart", maxFilter))
	}
	for _, name := range q.Types {
		if !validType(name) {
			bad("type", badValue, fmt.Sprintf("a type has 1 to %d bytes of UTF-8 without control characters", MaxTypeName))
			break
		}
	}
	if len(errs) > 0 {
		return invalid("", errs...)
	}
	return nil
}
