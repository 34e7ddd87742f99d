// Package consolehttp carries a relay's console over HTTP: a handler that shows
// it, as JSON under /admin, to whoever the relay takes for its owner, and a
// client that looks at it from another process, such as the command line.
package consolehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"hearth/relay/console"
)

// Prefix is where the paths of Handler begin.
const Prefix = "/admin/"

const (
	// defaultLimit is how many streams or entries an answer lists if the client
	// does not say: a few screens full.
	defaultLimit = 100

	// maxLimit is how many it may ask for. A thousand take some 300 kB.
	maxLimit = 1000
)

// Authorize decides whether a request comes from the relay's owner. Its error
// is the answer: a *Refusal as it is, any other one as internal.
type Authorize func(*http.Request) error

// Handler answers GET and HEAD of /admin/overview, streams, stream, entries,
// entry and refusals from c. Every answer but that of entry, which is the
// entry's bytes, is JSON; that of a refusal is a Refusal.
func Handler(c console.Relay, authorize Authorize) http.Handler {
	return &handler{authorize: authorize, routes: map[string]route{
		Prefix + "overview": {func(ctx context.Context, _ query) (any, error) {
			overview, err := c.Overview(ctx)
			return OverviewOf(overview), err
		}, nil},
		Prefix + "streams": {func(ctx context.Context, q query) (any, error) {
			after := console.StreamRef{Space: q.text("after_space"), Name: q.text("after_name")}
			limit, err := q.limit()
			if err != nil {
				return nil, err
			}
			streams, err := c.Streams(ctx, after, limit)
			return mapped(streams, StreamOf), err
		}, []string{"after_space", "after_name", "limit"}},
		Prefix + "stream": {func(ctx context.Context, q query) (any, error) {
			stream, err := c.Stream(ctx, q.ref())
			return StreamOf(stream), err
		}, []string{"space", "name"}},
		Prefix + "entries": {func(ctx context.Context, q query) (any, error) {
			before, err := q.position("before")
			if err != nil {
				return nil, err
			}
			limit, err := q.limit()
			if err != nil {
				return nil, err
			}
			entries, err := c.Entries(ctx, q.ref(), before, limit)
			return mapped(entries, EntryOf), err
		}, []string{"space", "name", "before", "limit"}},
		Prefix + "entry": {func(ctx context.Context, q query) (any, error) {
			position, err := q.position("position")
			if err != nil {
				return nil, err
			}
			return c.EntryData(ctx, q.ref(), position)
		}, []string{"space", "name", "position"}},
		Prefix + "refusals": {func(ctx context.Context, _ query) (any, error) {
			refusals, err := c.Refusals(ctx)
			return mapped(refusals, RefusedOf), err
		}, nil},
	}}
}

type handler struct {
	authorize Authorize
	routes    map[string]route
}

// route is how a path is answered, and the query parameters that it takes.
type route struct {
	answer     func(context.Context, query) (any, error)
	parameters []string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	answer, err := h.answer(r)
	if err != nil {
		refuse(w, err)
		return
	}
	body, raw := answer.([]byte)
	w.Header().Set("Content-Type", "application/octet-stream")
	if !raw {
		w.Header().Set("Content-Type", "application/json")
		if body, err = json.Marshal(answer); err != nil {
			refuse(w, fmt.Errorf("encode the answer: %w", err))
			return
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	// A client that is gone needs no answer.
	_, _ = w.Write(body)
}

// answer finds what a request asks for: first who asks, so that nobody else
// learns even which paths there are.
func (h *handler) answer(r *http.Request) (any, error) {
	if err := h.authorize(r); err != nil {
		return nil, err
	}
	route, ok := h.routes[r.URL.EscapedPath()]
	if !ok {
		return nil, &Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "there is nothing under this path"}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, &Refusal{
			Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Message: "the console is only for looking: GET or HEAD",
		}
	}
	q, err := parseQuery(r.URL.RawQuery, route.parameters)
	if err != nil {
		return nil, err
	}
	answer, err := route.answer(r.Context(), q)
	if errors.Is(err, console.ErrNotFound) {
		return nil, &Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such stream or entry"}
	}
	return answer, err
}

// mapped applies f to each element. Its result is never nil, so that a list
// without elements is [] in JSON.
func mapped[From, To any](list []From, f func(From) To) []To {
	to := make([]To, 0, len(list))
	for _, element := range list {
		to = append(to, f(element))
	}
	return to
}
