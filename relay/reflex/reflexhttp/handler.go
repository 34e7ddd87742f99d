// Package reflexhttp serves reflexr.v1 over HTTP, under Prefix: it turns bytes
// into a typed message, calls the service, and turns what that says back into
// bytes. It decides nothing. All that it answers is JSON.
package reflexhttp

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/reflex"
)

// Prefix is what the paths of reflexr.v1 begin with: below /v1 all is CBOR.
const Prefix = "/reflex/v1"

// Shared is room that clients have shares in; see [guard.Budget] and
// [guard.Lanes].
type Shared interface {
	Share(r *http.Request) guard.Room
}

// Options are what a Handler works with. All are needed.
type Options struct {
	Service  *reflex.Service
	Observer Observer

	// Show says who a visitor is once it has shown a key in its hello; see
	// [access.Door.Show].
	Show func(v access.Visitor, key string) (access.Visitor, error)

	// Bodies bounds the memory of all bodies together, Pages that of the pages
	// being read, and Sending that of those on their way to clients. Each should
	// hold several of the largest, which take 17 MiB. What depends on how quickly a
	// client sends or takes is divided into shares.
	Bodies  Shared
	Pages   guard.Room
	Sending Shared
}

// Handler serves the paths below Prefix. It expects requests that passed a guard
// and a door: each must carry its visitor.
type Handler struct {
	options Options

	life context.Context // ends when a stop begins
	end  context.CancelFunc

	mu      sync.Mutex     // held while a socket is let in, so that none is behind Close's back
	sockets sync.WaitGroup // the live ones, of which an http.Server knows nothing
}

// New returns a handler. Close it when done.
func New(o Options) *Handler {
	h := &Handler{options: o}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// Close tells whoever is live that the relay goes away, and returns when their
// sockets are closed, or when ctx ends.
func (h *Handler) Close(ctx context.Context) {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	closed := make(chan struct{})
	go func() {
		h.sockets.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

// enter counts a live socket among those that Close waits for, until the caller
// says h.sockets.Done(). It says no when the relay is stopping.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life.Err() != nil {
		return false
	}
	h.sockets.Add(1)
	return true
}

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
	if x.route != nil && x.route.turnAway != nil && x.route.turnAway(x, why) {
		return
	}
	x.refuse(why)
}

// begin looks at what a request is about.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{handler: h, w: w, r: r, action: Other}
	var ok bool
	if x.visitor, ok = access.FromContext(r.Context()); !ok {
		x.visitor = access.Stranger(r)
	}
	x.route, x.stream, x.name, x.lost = locate(r.URL.EscapedPath())
	if x.route != nil {
		x.action = x.route.service(r.Method).action
	}
	return x
}
