package reflexhttp

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

// data is the parameter that says whether opaque entries come with their bytes.
const data = "data"

// query holds the parameters of a request, and what is wrong with them.
type query struct {
	values url.Values
	wrong  []reflex.FieldError
}

// parseQuery reads a query that may hold just the named parameters. Unlike
// URL.Query it passes over nothing that does not parse.
func parseQuery(raw string, known ...string) *query {
	values, err := url.ParseQuery(raw)
	q := &query{values: values}
	if err != nil {
		q.refuse("", "query_parsing", "the query does not parse: %.200v", err)
	}
	for name := range values {
		if !slices.Contains(known, name) {
			q.refuse(name, "extra_forbidden", "there is no such parameter here")
		}
	}
	slices.SortFunc(q.wrong, func(a, b reflex.FieldError) int { return slices.Compare(a.Loc, b.Loc) })
	return q
}

// refuse notes what is wrong with a parameter.
func (q *query) refuse(name, kind, format string, args ...any) {
	loc := []string{"query"}
	if name != "" {
		loc = append(loc, fmt.Sprintf("%.80s", name))
	}
	q.wrong = append(q.wrong, reflex.FieldError{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind})
}

// err returns the refusal of a query with which something is wrong.
func (q *query) err() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return invalid(q.wrong[0].Error(), q.wrong...) // all that a socket's close has room for
}

// one returns a parameter that may come once.
func (q *query) one(name string) (value string, given bool) {
	switch values := q.values[name]; len(values) {
	case 0:
		return "", false
	case 1:
		return values[0], true
	default:
		q.refuse(name, "repeated", "comes more than once")
		return "", false
	}
}

// number returns a parameter that is a whole number between low and high; 0 if it
// is not given.
func (q *query) number(name string, low, high uint64) uint64 {
	text, given := q.one(name)
	if !given {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < low || n > high {
		q.refuse(name, "int_parsing", "takes a whole number from %d to %d, not %.40q", low, high, text)
		return 0
	}
	return n
}

// cursor returns a parameter that is a cursor; nil if it is not given.
func (q *query) cursor(name string) *protocol.Cursor {
	text, given := q.one(name)
	if !given {
		return nil
	}
	c, err := protocol.ParseCursor(text)
	if err != nil {
		q.refuse(name, "cursor_parsing", "%v", err)
		return nil
	}
	return &c
}

// withoutData says whether opaque entries are to come without their bytes.
func (q *query) withoutData() bool {
	text, given := q.one(data)
	if given && text != "none" {
		q.refuse(data, "value_error", "takes only none, not %.40q", text)
	}
	return given
}
