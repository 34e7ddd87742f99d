package streamhttp

import (
	"errors"
	"fmt"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// requestError is what this package itself has to say against a request.
type requestError struct {
	code    protocol.Code
	message string
}

func (e *requestError) Error() string { return e.message }

func errorf(code protocol.Code, format string, args ...any) error {
	return &requestError{code, fmt.Sprintf(format, args...)}
}

var errNotFound = errorf(protocol.NotFound, "the relay does not serve this path")

// busyRetry is after how many seconds to come again when there was no room, or
// when the relay was stopping: about as long as room takes to come free, or a
// relay to start anew.
const busyRetry = 5

// problem returns what a client is told of an error ("Refusals"). What is not
// listed here is nothing that a client could have caused or could mend.
func problem(err error) protocol.Problem {
	for _, row := range table {
		if p, ok := row(err); ok {
			if p.Message == "" {
				p.Message = err.Error()
			}
			return p
		}
	}
	return protocol.Problem{
		Code:    protocol.Internal,
		Message: "something failed on the relay's side: its log says what",
	}
}

// table holds every error that has a code of its own. The message is the
// error's, if none is given.
var table = []func(error) (protocol.Problem, bool){
	row(func(e *requestError) protocol.Problem { return protocol.Problem{Code: e.code} }),
	plain[*protocol.NameError](protocol.BadRequest),
	row(func(e *protocol.DecodeError) protocol.Problem {
		return protocol.Problem{Code: protocol.BadRequest, Message: "the body is not a batch: " + e.Error()}
	}),
	row(func(*guard.BodyError) protocol.Problem {
		return protocol.Problem{Code: protocol.BadRequest, Message: "the body did not arrive whole, or not in time"}
	}),
	row(func(e *guard.TooLargeError) protocol.Problem {
		return protocol.Problem{Code: protocol.TooLarge, Limit: new(uint64(e.Limit))}
	}),
	row(func(e *guard.RefusedError) protocol.Problem { return protocol.Problem{Code: protocol.Code(e.Code)} }),
	plain[*access.UnauthorizedError](protocol.Unauthorized),
	plain[*access.ForbiddenError](protocol.Forbidden),
	plain[*store.NotFoundError](protocol.StreamNotFound),
	plain[*store.ReplacedError](protocol.StreamReplaced),
	row(func(e *store.AheadError) protocol.Problem {
		return protocol.Problem{Code: protocol.CursorAhead, Head: &e.Head}
	}),
	plain[*store.DivergedError](protocol.CursorDiverged),
	row(func(e *store.EpochBehindError) protocol.Problem {
		return protocol.Problem{Code: protocol.EpochBehind, Epoch: &e.Epoch}
	}),
	row(func(e *store.OutOfPlaceError) protocol.Problem {
		return protocol.Problem{Code: protocol.OutOfPlace, Head: &e.Head}
	}),
	plain[*store.WrongKindError](protocol.WrongKind),
	row(func(*store.DamagedError) protocol.Problem {
		return protocol.Problem{
			Code:    protocol.Internal,
			Message: "this stream is damaged on the relay: its owner has to restore it, the relay's log says more",
		}
	}),
	row(func(*store.FullError) protocol.Problem {
		return protocol.Problem{
			Code:    protocol.StorageFull,
			Message: "the relay has no room left on its disk: its owner has to free some",
		}
	}),
	busy(guard.ErrBusy, ""),
	busy(store.ErrClosed, "the relay is stopping"),
}

// row is the entry of a type of errors.
func row[E error](fill func(E) protocol.Problem) func(error) (protocol.Problem, bool) {
	return func(err error) (p protocol.Problem, ok bool) {
		e, ok := errors.AsType[E](err)
		if ok {
			p = fill(e)
		}
		return p, ok
	}
}

// plain is the entry of a type of errors whose code says it all.
func plain[E error](code protocol.Code) func(error) (protocol.Problem, bool) {
	return row(func(E) protocol.Problem { return protocol.Problem{Code: code} })
}

// busy is the entry of an error that passes.
func busy(target error, message string) func(error) (protocol.Problem, bool) {
	return func(err error) (protocol.Problem, bool) {
		return protocol.Problem{Code: protocol.Busy, Message: message, Retry: new(uint64(busyRetry))}, errors.Is(err, target)
	}
}
