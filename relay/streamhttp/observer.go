package streamhttp

import (
	"context"
	"time"

	"hearth/relay/access"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Observer hears of everything that is served, for logs, figures and the window.
// Its methods are called from the goroutines of the requests, before the answer
// is out, and should return soon.
type Observer interface {
	// Wrote says that a batch is written, or was there already. bytes are those
	// of the body; took is the time from the whole body to the store's answer.
	Wrote(ctx context.Context, v access.Visitor, ref store.Ref, w store.Written, bytes int, took time.Duration)

	// Read says that a page was read. bytes are those of the answer; took is the
	// store's time; err is why the client did not take all of it, or nil.
	Read(ctx context.Context, v access.Visitor, ref store.Ref, p store.Page, bytes int, took time.Duration, err error)

	// Waiting says that so many waits have begun, or ended if it is negative.
	Waiting(delta int)

	// Waited says that a wait was answered, with how many streams it watched and
	// how many of them differed.
	Waited(ctx context.Context, v access.Visitor, watched, differ int, took time.Duration)

	// Refused says that a request was refused.
	Refused(ctx context.Context, r Refusal)
}

// Action is what a client was doing.
type Action string

// The actions.
const (
	Write Action = "write"
	Read  Action = "read"
	Wait  Action = "wait"
	Other Action = "other"
)

// Refusal is a request that was refused.
type Refusal struct {
	Visitor  access.Visitor // only Remote and Loopback are set if it was not let in
	Action   Action
	Stream   string // the name in the path as it came, good or bad; empty if none
	Position uint64 // the position of the cursor that the reader showed, if any
	Problem  protocol.Problem
	Status   int   // the HTTP status
	Err      error // the cause, which with internal ones the client does not see
}
