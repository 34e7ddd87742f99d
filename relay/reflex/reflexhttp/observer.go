package reflexhttp

import (
	"context"
	"time"

	"hearth/relay/access"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// Observer hears of everything that is served, for logs, figures and the window.
// Its methods are called from the goroutines of the requests, before the answer
// is out, and should return soon.
type Observer interface {
	// Published says that events are in a stream, or were there already, other than
	// by a command. bytes are those of the body; took is the time from the whole
	// body to the store's answer.
	Published(ctx context.Context, v access.Visitor, ref store.Ref, events []store.Published, bytes int, took time.Duration)

	// Commanded says that a command has its result, be that new or an earlier one.
	// bytes are those of its frame.
	Commanded(ctx context.Context, v access.Visitor, ref store.Ref, r reflex.CommandResult, bytes int, took time.Duration)

	// Paged says that a page was read. bytes are those of the answer; took is the
	// time that reading took; err is why the client did not take all of it, or nil.
	Paged(ctx context.Context, v access.Visitor, ref store.Ref, p reflex.Page, bytes int, took time.Duration, err error)

	// Following says that a live socket is open and its hello taken.
	Following(ctx context.Context, v access.Visitor, ref store.Ref)

	// Followed says that such a socket is closed, how many events went through it,
	// and with which close code.
	Followed(ctx context.Context, v access.Visitor, ref store.Ref, events uint64, code int, took time.Duration)

	// Refused says that a request, or a command over a live socket, was refused.
	Refused(ctx context.Context, r Refusal)
}

// Action is what a client was doing.
type Action string

// The actions.
const (
	Publish Action = "publish"
	Command Action = "command"
	Read    Action = "read"
	Follow  Action = "follow"
	Other   Action = "other"
)

// Refusal is a request that was refused.
type Refusal struct {
	Visitor   access.Visitor // only Remote and Loopback are set if it was not let in
	Action    Action
	Stream    string // the name in the path as it came, good or bad; empty if none
	Rejection *reflex.Rejection
	Err       error // the cause, which with internal ones the client does not see
}
