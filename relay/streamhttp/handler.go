// Package streamhttp serves relay protocol v1 over HTTP: it turns bytes into a
// typed message, calls the store, and turns what it says back into bytes. It
// decides nothing. Section names in the comments are those of the protocol's
// contract.
package streamhttp

import (
	"context"
	"errors"
	"net/http"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Store is what is needed of a store; see [store.Store].
type Store interface {
	Append(ctx context.Context, a store.Append) (store.Written, error)
	Page(ctx context.Context, r store.Read) (store.Page, error)
	Heads(ctx context.Context, space string, names []string) ([]store.State, error)
}

// Hub is what is needed of the notifier; see [notify.Hub].
type Hub interface {
	Subscribe(refs ...store.Ref) *notify.Subscription
	SubscribeFunc(news func(), refs ...store.Ref) *notify.Subscription
}

// Shared is room that clients have shares in; see [guard.Budget] and
// [guard.Lanes].
type Shared interface {
	Share(r *http.Request) guard.Room
}

// Options are what a Handler works with. All are needed but Metrics.
type Options struct {
	Store    Store
	Hub      Hub
	Observer Observer

	// Bodies bounds the memory of all bodies together, Pages that of the pages
	// being read, and Sending that of those on their way to clients. Each should
	// hold several of the largest, which take 17 MiB. What depends on how quickly a
	// client sends or takes is divided into shares.
	Bodies  Shared
	Pages   guard.Room
	Sending Shared

	// Metrics answers /metrics, to visitors from this machine; nil if that is not
	// served.
	Metrics http.Handler

	// Closing says whether the relay is stopping.
	Closing func() bool
}

// Handler serves the paths of v1, /health and /metrics. It expects requests that
// passed a guard and a door: each must carry its visitor.
type Handler struct {
	options Options
	lot     lot
}

// New returns a handler.
func New(o Options) *Handler { return &Handler{options: o} }

// Close waits for what an http.Server does not know of when it is shut down:
// answers to waits, which are given as soon as the hub is closed, and connections
// that rest after them. When ctx ends it breaks off what is left.
func (h *Handler) Close(ctx context.Context) { h.lot.clear(ctx) }

// errNoVisitor is a mistake of whoever put the handler together.
var errNoVisitor = errors.New("the request came in without passing the door")

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	defer x.rescue()
	if err := x.serve(); err != nil {
		x.refuse(err)
	}
}

// Refuse answers a request that a guard or a door turns away, in the form and
// with the record of every other refusal.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, why error) {
	x := h.begin(w, r)
	defer x.rescue()
	x.refuse(why)
}

// Record puts a refusal on record that somebody else answers, and returns what
// the client should be told.
func (h *Handler) Record(r *http.Request, why error) protocol.Problem {
	return h.begin(nil, r).record(why)
}

// begin looks at what a request is about.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{handler: h, w: w, r: r, action: Other}
	var ok bool
	if x.visitor, ok = access.FromContext(r.Context()); !ok {
		x.visitor = access.Stranger(r)
	}
	x.route, x.stream, x.lost = locate(r.URL.EscapedPath())
	if x.route != nil {
		x.action = x.route.action(r.Method)
	}
	return x
}
