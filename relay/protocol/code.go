package protocol

import (
	"maps"
	"net/http"
	"slices"
)

// Code is the reason of a refusal, for programs ("Refusals").
type Code string

// The codes of the contract.
const (
	BadRequest           Code = "bad_request"
	StreamNotFound       Code = "stream_not_found"
	NotFound             Code = "not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	StreamReplaced       Code = "stream_replaced"
	CursorAhead          Code = "cursor_ahead"
	CursorDiverged       Code = "cursor_diverged"
	EpochBehind          Code = "epoch_behind"
	TooLarge             Code = "too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	Internal             Code = "internal"
)

// The codes that later relays and this one add. A client keeps those that it
// does not know.
const (
	HostRefused   Code = "host_refused"   // a Host that is not this relay
	OriginRefused Code = "origin_refused" // a web page from elsewhere
	Forbidden     Code = "forbidden"      // known, but not allowed this
	HTTPSRequired Code = "https_required" // not over a plain connection
	Unauthorized  Code = "unauthorized"   // no key, or one that is not known
	WrongKind     Code = "wrong_kind"     // entries for a stream of events
	OutOfPlace    Code = "out_of_place"   // a batch meant for another position
	RateLimited   Code = "rate_limited"   // too many requests
	Busy          Code = "busy"           // no room for it just now
	StorageFull   Code = "storage_full"   // no room on the disk
	QuotaExceeded Code = "quota_exceeded" // no room in the space
)

// statuses holds every code with its HTTP status.
var statuses = map[Code]int{
	BadRequest:           http.StatusBadRequest,
	Unauthorized:         http.StatusUnauthorized,
	Forbidden:            http.StatusForbidden,
	HostRefused:          http.StatusForbidden,
	OriginRefused:        http.StatusForbidden,
	HTTPSRequired:        http.StatusForbidden,
	StreamNotFound:       http.StatusNotFound,
	NotFound:             http.StatusNotFound,
	MethodNotAllowed:     http.StatusMethodNotAllowed,
	StreamReplaced:       http.StatusConflict,
	CursorAhead:          http.StatusConflict,
	CursorDiverged:       http.StatusConflict,
	EpochBehind:          http.StatusConflict,
	WrongKind:            http.StatusConflict,
	OutOfPlace:           http.StatusConflict,
	TooLarge:             http.StatusRequestEntityTooLarge,
	UnsupportedMediaType: http.StatusUnsupportedMediaType,
	RateLimited:          http.StatusTooManyRequests,
	Internal:             http.StatusInternalServerError,
	Busy:                 http.StatusServiceUnavailable,
	StorageFull:          http.StatusInsufficientStorage,
	QuotaExceeded:        http.StatusInsufficientStorage,
}

// Status returns the HTTP status of a refusal with this code; 500 for a code
// that is not known.
func (c Code) Status() int {
	if status, ok := statuses[c]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Codes returns every code, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(statuses)) }
