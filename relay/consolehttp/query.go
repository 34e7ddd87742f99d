package consolehttp

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"hearth/relay/console"
)

// query holds the parameters of a request, each of them once.
type query map[string]string

// parseQuery reads a query in which only the known parameters may stand. The
// error is a *Refusal.
func parseQuery(raw string, known []string) (query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badRequest("the query cannot be read: %v", err)
	}
	q := make(query, len(values))
	for name, v := range values {
		if !slices.Contains(known, name) {
			return nil, badRequest("there is no parameter %.40q here", name)
		}
		if len(v) > 1 {
			return nil, badRequest("the parameter %s stands there %d times", name, len(v))
		}
		q[name] = v[0]
	}
	return q, nil
}

// ref returns the stream that the parameters space and name say.
func (q query) ref() console.StreamRef {
	return console.StreamRef{Space: q["space"], Name: q["name"]}
}

// position reads a position; a missing one is 0. The error is a *Refusal.
func (q query) position(name string) (uint64, error) {
	text, ok := q[name]
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, badRequest("%s is a position, a whole number", name)
	}
	return n, nil
}

// limit reads how many elements an answer may list. The error is a *Refusal.
func (q query) limit() (int, error) {
	text, ok := q["limit"]
	if !ok {
		return defaultLimit, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n < 1 || n > maxLimit {
		return 0, badRequest("limit is a number from 1 to %d", maxLimit)
	}
	return int(n), nil
}

func badRequest(format string, args ...any) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: fmt.Sprintf(format, args...)}
}

func busy(message string) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, Code: "busy", Message: message}
}
