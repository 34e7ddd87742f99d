// Package consolehttp carries a relay's console over HTTP: a handler that shows
// it, as JSON under /admin, to whoever the relay takes for its owner, and a
// client for another process, such as the command line or a window.
package consolehttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"hearth/relay/console"
)

// Prefix is where the paths of Handler begin.
const Prefix = "/admin/"

// Authorize decides whether a request comes from the relay's owner. Its error
// is the answer: a *Refusal as it is, any other one as internal.
type Authorize func(*http.Request) error

// Handler answers what the owner asks of c: of the relay, and of the network, the
// settings and archives if c is a console.Network, console.Settings and
// console.Archives as well. Every answer is JSON, but those of /admin/entry and
// /admin/export, which are the bytes of the entry and of the archive, that of
// /admin/changes, which is a line of JSON for each change until the request's
// context ends, and those of /admin/verify and /admin/backup, which are lines of
// JSON until these are done; that of a refusal is a Refusal.
func Handler(c console.Relay, authorize Authorize) http.Handler {
	h := &handler{authorize: authorize, routes: relayRoutes(c)}
	if n, ok := c.(console.Network); ok {
		maps.Copy(h.routes, networkRoutes(n))
	}
	if s, ok := c.(console.Settings); ok {
		maps.Copy(h.routes, settingsRoutes(s))
	}
	if a, ok := c.(console.Archives); ok {
		maps.Copy(h.routes, archiveRoutes(a))
	}
	return h
}

type handler struct {
	authorize Authorize
	routes    map[string]route
}

// route is how a path is answered, and the query parameters that it takes. The
// answer is an http.Handler, bytes, or what becomes JSON.
type route struct {
	answer     func(*http.Request, query) (any, error)
	parameters []string
	posted     bool // it does something: POST, not GET
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	answer, err := h.answer(w, r)
	if err != nil {
		refuse(w, err)
		return
	}
	if own, ok := answer.(http.Handler); ok {
		own.ServeHTTP(w, r)
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
func (h *handler) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := h.authorize(r); err != nil {
		return nil, err
	}
	route, ok := h.routes[r.URL.EscapedPath()]
	if !ok {
		return nil, &Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "there is nothing under this path"}
	}
	if route.posted != (r.Method == http.MethodPost) || !route.posted && r.Method != http.MethodGet && r.Method != http.MethodHead {
		allowed, message := "GET, HEAD", "this is only for looking: GET or HEAD"
		if route.posted {
			allowed, message = "POST", "this does something: POST"
		}
		w.Header().Set("Allow", allowed)
		return nil, &Refusal{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: message}
	}
	q, err := parseQuery(r.URL.RawQuery, route.parameters)
	if err != nil {
		return nil, err
	}
	answer, err := route.answer(r, q)
	if errors.Is(err, console.ErrNotFound) {
		return nil, noSuchThing
	}
	return answer, err
}

// noSuchThing answers who asks for what the relay does not hold.
var noSuchThing = &Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such stream or entry"}

// mapped applies f to each element. Its result is never nil, so that a list
// without elements is [] in JSON.
func mapped[From, To any](list []From, f func(From) To) []To {
	to := make([]To, 0, len(list))
	for _, element := range list {
		to = append(to, f(element))
	}
	return to
}

// listed is the way back: nil for a list without elements.
func listed[From, To any](list []From, f func(From) To) []To {
	if len(list) == 0 {
		return nil
	}
	return mapped(list, f)
}
