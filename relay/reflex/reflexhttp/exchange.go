package reflexhttp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/reflex"
)

// exchange is a request with its answer, and what is known of it for the records.
type exchange struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request
	visitor access.Visitor

	route  *route
	lost   error  // why there is no route
	action Action // what the client does
	stream string // the stream's name in the path, good or bad
	name   string // the other name in the path

	// wrap puts a rejection into the message that its reader expects; nil where
	// that is the one of all of REST.
	wrap func(*reflex.Rejection) any

	begun bool // whether an answer is under way
}

// serve finds out who serves the request and lets him. The error is a refusal.
func (x *exchange) serve() error {
	if _, ok := access.FromContext(x.r.Context()); !ok {
		return errNoVisitor
	}
	if x.lost != nil {
		return x.lost
	}
	serve := x.route.service(x.r.Method).serve
	if serve == nil {
		x.w.Header().Set("Allow", x.route.allow())
		return &reflex.Rejection{
			Type:    reflex.MethodNotAllowed,
			Message: fmt.Sprintf("%.20q is not served here, only %s", x.r.Method, x.route.allow()),
		}
	}
	return serve(x)
}

// send answers with a message in JSON, given in pieces. The error says that the
// client did not take it.
func (x *exchange) send(status int, pieces ...[]byte) error {
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	x.head(status, size)
	if x.r.Method == http.MethodHead {
		return nil
	}
	return guard.Send(x.w, pieces...)
}

// exposed are the headers of answers that pages of allowed origins may read
// (Fetch, section 3.3.6); to others browsers show no answer at all.
const exposed = "Link, Hearth-Cursor, Hearth-Reset, Retry-After"

// head begins an answer with a body of size bytes.
func (x *exchange) head(status, size int) {
	x.begun = true
	header := x.w.Header()
	if header.Get("Access-Control-Allow-Origin") != "" {
		header.Set("Access-Control-Expose-Headers", exposed)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(size))
	x.w.WriteHeader(status)
}

// answer sends a message. The error says that it could not be encoded.
func (x *exchange) answer(status int, message any) error {
	body, err := encode(message)
	if err != nil {
		return err
	}
	// Whether the client takes it makes no difference any more.
	_ = x.send(status, body)
	return nil
}

// refuse answers with a rejection, unless there is nobody any more to answer.
func (x *exchange) refuse(why error) {
	ctx := x.r.Context()
	if cause := ctx.Err(); cause != nil && errors.Is(why, cause) {
		return
	}
	x.reject(x.record(why))
}

// Detail is the message of a refusal, the same for all of REST but the results
// of commands.
type Detail struct {
	Detail *reflex.Rejection `json:"detail"`
}

// reject answers with a rejection that is on record.
func (x *exchange) reject(r *reflex.Rejection) {
	header := x.w.Header()
	if r.Type == reflex.Unauthorized {
		header.Set("WWW-Authenticate", access.Challenge)
	}
	if r.Retry > 0 {
		header.Set("Retry-After", strconv.Itoa(r.Retry))
	}
	var message any = Detail{r}
	if x.wrap != nil {
		message = x.wrap(r)
	}
	_ = x.answer(r.Type.Status(), message) // rejections encode
}

// record puts a refusal on record and returns what the client is told.
func (x *exchange) record(why error) *reflex.Rejection {
	r := reflex.Reject(why)
	x.handler.options.Observer.Refused(x.r.Context(), Refusal{
		Visitor: x.visitor, Action: x.action, Stream: x.stream, Rejection: r, Err: why,
	})
	return r
}

// rescue answers a request during which something panicked. Deferred.
func (x *exchange) rescue() {
	value := recover()
	if value == nil {
		return
	}
	if value == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
		panic(value)
	}
	why := guard.Panicked(value)
	if !x.begun {
		x.refuse(why)
		return
	}
	// Half an answer is out: what is left is to break it off visibly.
	_ = x.record(why)
	panic(http.ErrAbortHandler)
}
