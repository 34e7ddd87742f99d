package relay

import (
	"context"
	"net/http"
	"strings"

	"hearth/relay/access"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
	"hearth/relay/streamhttp"
)

// How many bytes are in memory at once on their way in and out. A body that
// finds no room waits unread, and so does a page.
const (
	littleBodies = 32 << 20  // of up to 64 KiB each: thousands of what people write
	largeBodies  = 128 << 20 // eight of the largest
	pages        = 72 << 20  // four being read at once, which takes them milliseconds
	littlePages  = 16 << 20  // of up to 64 KiB each, on their way out: hundreds of the usual ones
	largePages   = 112 << 20 // thirteen of the usual largest, on their way out
)

// route puts together the way of a request: the guard, the door, and behind them
// what serves it. Each refusal is answered in the form of what was asked for, and
// they all go on record.
func (r *Relay) route(rules *guard.Guard) http.Handler {
	bodies, sending := guard.NewLanes(littleBodies, largeBodies), guard.NewLanes(littlePages, largePages)
	reading := guard.NewBudget(pages)
	door := access.Door{Open: r.open.Load, OwnerToken: r.token}
	r.streams = streamhttp.New(streamhttp.Options{
		Store: r.store, Hub: r.hub, Observer: r.seen, Bodies: bodies, Pages: reading, Sending: sending,
		Metrics: r.seen.metrics.handler(), Closing: r.closing.Load,
	})
	r.events = reflexhttp.New(reflexhttp.Options{
		Service:  reflex.New(reflex.Options{Store: r.store, Hub: r.hub, Pages: reading}),
		Observer: r.seenEvents, Show: door.Show, Bodies: bodies, Pages: reading, Sending: sending,
	})
	r.mayOwn = func(q *http.Request) error {
		if v, ok := access.FromContext(q.Context()); ok && v.Owner {
			return nil
		}
		return ownersRefusal(r.streams.Record(q, errNotOwner))
	}
	refuse := func(w http.ResponseWriter, q *http.Request, why error) {
		switch {
		case isOwners(q):
			consolehttp.Refuse(w, ownersRefusal(r.streams.Record(q, why)))
		case isEvents(q):
			r.events.Refuse(w, q, why)
		default:
			r.streams.Refuse(w, q, why)
		}
	}
	behind := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case isOwners(q):
			r.serveOwner(w, q)
		case isEvents(q):
			r.events.ServeHTTP(w, q)
		default:
			r.streams.ServeHTTP(w, q)
		}
	})
	return rules.Handler(door.Handler(behind, refuse), refuse)
}

// isOwners says whether a request is for the owner alone.
func isOwners(q *http.Request) bool { return strings.HasPrefix(q.URL.Path, consolehttp.Prefix) }

// isEvents says whether a request is for what speaks JSON to everybody: all of
// /reflex, whether it is served or not.
func isEvents(q *http.Request) bool {
	rest, ok := strings.CutPrefix(q.URL.Path, "/reflex")
	return ok && (rest == "" || rest[0] == '/')
}

// ShowOwner shows the owner, under /admin as package consolehttp does it, c from
// now on: what there is around the relay besides what it knows of itself, which
// is all that it shows before.
func (r *Relay) ShowOwner(c console.Relay) {
	r.owner.Store(new(consolehttp.Handler(c, r.mayOwn)))
}

// serveOwner answers the owner, at the longest until the relay stops: he may
// follow its changes for as long as he likes.
func (r *Relay) serveOwner(w http.ResponseWriter, q *http.Request) {
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	(*r.owner.Load()).ServeHTTP(w, q.WithContext(ctx))
}

// errNotOwner turns away who is not the relay's owner, or does not say so.
var errNotOwner = &access.UnauthorizedError{
	Reason: "this takes the owner's token: it lies in run.json in the relay's data folder",
}

// ownersRefusal puts a refusal into the console's form.
func ownersRefusal(p protocol.Problem) *consolehttp.Refusal {
	return &consolehttp.Refusal{Status: p.Code.Status(), Code: string(p.Code), Message: p.Message}
}
