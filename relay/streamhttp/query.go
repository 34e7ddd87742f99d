package streamhttp

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hearth/relay/protocol"
)

// query holds the parameters of a GET.
type query struct {
	values url.Values
}

// parseQuery reads a query that may hold just the named parameters. Unlike
// URL.Query it passes over nothing that does not parse.
func parseQuery(raw string, known ...string) (query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return query{}, errorf(protocol.BadRequest, "the query does not parse: %.200v", err)
	}
	for name := range values {
		if !slices.Contains(known, name) {
			return query{}, errorf(protocol.BadRequest, "there is no query parameter %.80q here", name)
		}
	}
	return query{values}, nil
}

// one returns a parameter that may come once.
func (q query) one(name string) (value string, given bool, err error) {
	switch values := q.values[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", false, errorf(protocol.BadRequest, "the query parameter %q comes more than once", name)
	}
}

// number returns a parameter that is a number between low and high. Leading
// zeros and a plus sign are taken, as the known relays take them.
func (q query) number(name string, fallback, low, high int) (int, error) {
	text, given, err := q.one(name)
	if err != nil || !given {
		return fallback, err
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	if err != nil || n < uint64(low) || n > uint64(high) {
		return 0, errorf(protocol.BadRequest, "the query parameter %q takes a number from %d to %d, not %.40q", name, low, high, text)
	}
	return int(n), nil
}

// cursor returns a parameter that is a cursor; nil if it is not given.
func (q query) cursor(name string) (*protocol.Cursor, error) {
	text, given, err := q.one(name)
	if err != nil || !given {
		return nil, err
	}
	c, err := protocol.ParseCursor(text)
	if err != nil {
		return nil, errorf(protocol.BadRequest, "the query parameter %q: %v", name, err)
	}
	return &c, nil
}
