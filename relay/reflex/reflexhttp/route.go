package reflexhttp

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/relay/reflex"
)

// route is a path that is served, and how.
type route struct {
	path    []string           // its segments below Prefix
	methods map[string]service // GET serves HEAD too

	// turnAway answers whom a guard or a door turns away, if it does that in
	// another way than by a refusal over HTTP; nil where there is no other.
	turnAway func(x *exchange, why error) bool
}

// service is what serves a method.
type service struct {
	serve  func(*exchange) error // the error is a refusal
	action Action                // what a client does here, for the records
}

// Segments that stand for whatever a client puts there, good or bad.
const (
	anyStream = "{stream_id}"
	anyName   = "{name}"
)

// routes are all paths that are served (contract, "REST" and "WebSocket"; the
// types and schemas are this relay's own).
var routes = []route{
	{path: []string{"streams", anyStream, "live"}, turnAway: (*exchange).turnAway, methods: map[string]service{
		http.MethodGet: {(*exchange).live, Follow},
	}},
	{path: []string{"streams", anyStream, "commands"}, methods: map[string]service{
		http.MethodPost: {(*exchange).command, Command},
	}},
	{path: []string{"streams", anyStream, "events"}, methods: map[string]service{
		http.MethodGet:  {(*exchange).read, Read},
		http.MethodPost: {(*exchange).publish, Publish},
	}},
	{path: []string{"types"}, methods: map[string]service{
		http.MethodGet: {(*exchange).types, Other},
	}},
	{path: []string{"types", anyName}, methods: map[string]service{
		http.MethodGet:    {(*exchange).getType, Other},
		http.MethodPut:    {(*exchange).putType, Other},
		http.MethodDelete: {(*exchange).dropType, Other},
	}},
	{path: []string{"schemas"}, methods: map[string]service{
		http.MethodGet: {(*exchange).schemas, Other},
	}},
	{path: []string{"schemas", anyName}, methods: map[string]service{
		http.MethodGet: {(*exchange).schemaFile, Other},
	}},
	{path: []string{"openapi.json"}, methods: map[string]service{
		http.MethodGet: {(*exchange).document, Other},
	}},
}

// locate finds the route of an escaped path, with the stream and the name if they
// are in it. Each segment is unescaped by itself and once, so that an escaped
// slash is part of a (bad) name. The error is the refusal of a path that leads
// nowhere.
//
// This is not http.ServeMux, which answers odd paths with redirects in HTML.
func locate(escaped string) (found *route, stream, name string, err error) {
	rest, ok := strings.CutPrefix(escaped, Prefix+"/")
	if !ok {
		return nil, "", "", errNoPath
	}
	segments := strings.Split(rest, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if err != nil || !utf8.ValidString(text) {
			return nil, "", "", errNoPath
		}
		segments[i] = text
	}
	for i := range routes {
		if stream, name, ok := routes[i].match(segments); ok {
			return &routes[i], stream, name, nil
		}
	}
	return nil, "", "", errNoPath
}

func (r *route) match(segments []string) (stream, name string, ok bool) {
	ok = slices.EqualFunc(r.path, segments, func(want, have string) bool {
		switch want {
		case anyStream:
			stream = have
		case anyName:
			name = have
		default:
			return want == have
		}
		return true
	})
	return stream, name, ok
}

// service returns what serves a method; the zero service, which serves nothing,
// if none does.
func (r *route) service(method string) service {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if s, ok := r.methods[method]; ok {
		return s
	}
	return service{action: Other}
}

// allow lists the methods that are served (RFC 9110, section 10.2.1).
func (r *route) allow() string {
	list := slices.Collect(maps.Keys(r.methods))
	if slices.Contains(list, http.MethodGet) {
		list = append(list, http.MethodHead)
	}
	return strings.Join(slices.Sorted(slices.Values(list)), ", ")
}

// errNoPath turns away a request for what is not there.
var errNoPath = &reflex.Rejection{Type: reflex.NotFound, Message: "the relay does not serve this path", Entity: "path"}
