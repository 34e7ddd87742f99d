package streamhttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/relay/protocol"
)

// route is a path that is served, and how.
type route struct {
	path []string // its segments; anyName stands for a stream's name
	get  func(*exchange) error
	post func(*exchange) error // nil if nothing can be sent there

	// What a client does there, for the records.
	getting, posting Action
}

// anyName stands for a segment that holds a stream's name, good or bad.
const anyName = "{name}"

// routes are all paths that are served ("Endpoints").
var routes = []route{
	{path: []string{"v1", "streams", anyName, "entries"}, get: (*exchange).read, getting: Read, post: (*exchange).write, posting: Write},
	{path: []string{"v1", "wait"}, get: (*exchange).wait, getting: Wait},
	{path: []string{"v1", "limits"}, get: (*exchange).limits, getting: Other},
	{path: []string{"health"}, get: (*exchange).health, getting: Other},
	{path: []string{"metrics"}, get: (*exchange).metrics, getting: Other},
}

// locate finds the route of an escaped path, with the stream's name if there is
// one in it. Each segment is unescaped by itself and once, so that an escaped
// slash is part of a (bad) name. The error is the refusal of a path that leads
// nowhere.
//
// This is not http.ServeMux, which answers odd paths with redirects in HTML.
func locate(escaped string) (found *route, name string, err error) {
	rest, ok := strings.CutPrefix(escaped, "/")
	if !ok {
		return nil, "", errNotFound // the * of OPTIONS, or no path at all
	}
	segments := strings.Split(rest, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if err != nil || !utf8.ValidString(text) {
			return nil, "", errorf(protocol.BadRequest, "the path is not UTF-8, percent-encoded")
		}
		segments[i] = text
	}
	for i := range routes {
		if name, ok := routes[i].match(segments); ok {
			return &routes[i], name, nil
		}
	}
	return nil, "", errNotFound
}

func (r *route) match(segments []string) (name string, ok bool) {
	ok = slices.EqualFunc(r.path, segments, func(want, have string) bool {
		if want == anyName {
			name = have
			return true
		}
		return want == have
	})
	return name, ok
}

// handle returns what serves a method, or nil.
func (r *route) handle(method string) func(*exchange) error {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.get
	case http.MethodPost:
		return r.post
	}
	return nil
}

// action says what a client does here with a method.
func (r *route) action(method string) Action {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.getting
	case http.MethodPost:
		if r.post != nil {
			return r.posting
		}
	}
	return Other
}

// allow lists the methods that are served (RFC 9110, section 10.2.1).
func (r *route) allow() string {
	if r.post != nil {
		return "GET, HEAD, POST"
	}
	return "GET, HEAD"
}
