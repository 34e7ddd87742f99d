package streamhttp

import (
	"errors"
	"net/http"
	"strconv"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// exchange is a request with its answer, and what is known of it for the records.
type exchange struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request
	visitor access.Visitor

	route    *route
	lost     error  // why there is no route
	action   Action // what the client does
	stream   string // the name in the path, good or bad
	position uint64 // that of the cursor in the query

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
	handle := x.route.handle(x.r.Method)
	if handle == nil {
		x.w.Header().Set("Allow", x.route.allow())
		return errorf(protocol.MethodNotAllowed, "%.20q is not served here, only %s", x.r.Method, x.route.allow())
	}
	return handle(x)
}

// ref returns the stream that the path names. The error is a
// *protocol.NameError.
func (x *exchange) ref() (store.Ref, error) {
	name, err := protocol.ParseName(x.stream)
	return store.Ref{Space: x.visitor.Space, Name: string(name)}, err
}

// send answers with a message in CBOR, given in pieces. The error says that the
// client did not take it.
func (x *exchange) send(status int, pieces ...[]byte) error {
	return x.answer(status, protocol.MediaType, pieces...)
}

func (x *exchange) answer(status int, mediaType string, pieces ...[]byte) error {
	x.begun = true
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	header := x.w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(size))
	x.w.WriteHeader(status)
	if x.r.Method == http.MethodHead {
		return nil
	}
	return guard.Send(x.w, pieces...)
}

// refuse answers with a problem, unless there is nobody any more to answer.
func (x *exchange) refuse(why error) {
	ctx := x.r.Context()
	if cause := ctx.Err(); cause != nil && errors.Is(why, cause) {
		return
	}
	p := x.record(why)
	header := x.w.Header()
	if p.Code == protocol.Unauthorized {
		header.Set("WWW-Authenticate", access.Challenge)
	}
	if p.Retry != nil {
		header.Set("Retry-After", strconv.FormatUint(*p.Retry, 10))
	}
	// Whether the client takes it makes no difference any more.
	_ = x.send(p.Code.Status(), protocol.Encode(p))
}

// record puts a refusal on record and returns what the client is told.
func (x *exchange) record(why error) protocol.Problem {
	p := problem(why)
	x.handler.options.Observer.Refused(x.r.Context(), Refusal{
		Visitor:  x.visitor,
		Action:   x.action,
		Stream:   x.stream,
		Position: x.position,
		Problem:  p,
		Status:   p.Code.Status(),
		Err:      why,
	})
	return p
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
	x.record(why)
	panic(http.ErrAbortHandler)
}
