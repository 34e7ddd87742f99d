package reflex

import (
	"maps"
	"slices"
	"strings"
)

// RejectionType is the reason of a rejection, for programs. The first six are the
// contract's ("Commands"), the others are additions.
type RejectionType string

// The reasons.
const (
	NotFound            RejectionType = "not_found"
	InvalidState        RejectionType = "invalid_state"
	ValidationFailed    RejectionType = "validation_failed"
	Forbidden           RejectionType = "forbidden"
	DepthExceeded       RejectionType = "depth_exceeded"
	UnsupportedProtocol RejectionType = "unsupported_protocol"
	Unauthorized        RejectionType = "unauthorized"       // no key, or one that is not known
	TooLarge            RejectionType = "too_large"          // over a limit in bytes
	RateLimited         RejectionType = "rate_limited"       // too much in too little time
	Busy                RejectionType = "busy"               // no room for it just now
	StorageFull         RejectionType = "storage_full"       // no room on the disk
	MethodNotAllowed    RejectionType = "method_not_allowed" // the path is there, this method is not
	Internal            RejectionType = "internal"           // nothing that a client did
)

// statuses holds every reason with its HTTP status (contract, "REST").
var statuses = map[RejectionType]int{
	NotFound:            404,
	InvalidState:        409,
	ValidationFailed:    422,
	Forbidden:           403,
	DepthExceeded:       422,
	UnsupportedProtocol: 400,
	Unauthorized:        401,
	TooLarge:            413,
	RateLimited:         429,
	Busy:                503,
	StorageFull:         507,
	MethodNotAllowed:    405,
	Internal:            500,
}

// Status returns the HTTP status of a rejection for this reason; 500 for one that
// is not known.
func (t RejectionType) Status() int {
	if status, ok := statuses[t]; ok {
		return status
	}
	return statuses[Internal]
}

// RejectionTypes returns every reason, sorted.
func RejectionTypes() []RejectionType { return slices.Sorted(maps.Keys(statuses)) }

// Rejection says why something was not done. What does not apply is left out.
type Rejection struct {
	Type    RejectionType `json:"type"`
	Message string        `json:"message"`          // for people
	Entity  string        `json:"entity,omitempty"` // with not_found: what there is none of
	ID      string        `json:"id,omitempty"`     // with not_found: which
	Errors  []FieldError  `json:"errors,omitempty"` // with validation_failed: each place where something is wrong
	Depth   int           `json:"depth,omitempty"`  // with depth_exceeded
	Limit   int64         `json:"limit,omitempty"`  // with depth_exceeded and too_large: the most there may be
	Retry   int           `json:"retry,omitempty"`  // with busy and rate_limited: after how many seconds to come again
}

// Error implements error.
func (r *Rejection) Error() string { return r.Message }

// FieldError says what is wrong with one place of what was sent.
type FieldError struct {
	Loc  []string `json:"loc"`  // the names of members, and indices as text, that lead there
	Msg  string   `json:"msg"`  // for people
	Type string   `json:"type"` // for programs
}

// maxPlace is how many bytes of a place its error repeats: Loc has all of it.
const maxPlace = 100

// Error says where and what.
func (e FieldError) Error() string {
	if len(e.Loc) == 0 {
		return e.Msg
	}
	return cut(strings.Join(e.Loc, "."), maxPlace) + ": " + e.Msg
}

// cut returns a text that a message may repeat: so many bytes of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
