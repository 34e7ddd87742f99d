package reflex

import (
	"errors"
	"fmt"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// retryAfter is after how many seconds to come again when there was no room, or
// when the relay was stopping: about as long as room takes to come free, or a
// relay to start anew.
const retryAfter = 5

// Reject returns what a client is told of an error. What is not listed here is
// nothing that a client could have caused or could mend.
func Reject(err error) *Rejection {
	for _, row := range table {
		if r, ok := row(err); ok {
			if r.Message == "" {
				r.Message = err.Error()
			}
			return &r
		}
	}
	return &Rejection{Type: Internal, Message: "something failed on the relay's side: its log says what"}
}

// table holds every error that has a reason of its own. The message is the
// error's, if none is given.
var table = []func(error) (Rejection, bool){
	row(func(r *Rejection) Rejection { return *r }),
	row(func(e *protocol.NameError) Rejection { return *invalid("", fieldError(e.Error(), badValue)) }),
	row(func(e *store.NotFoundError) Rejection {
		switch {
		case e.ID != "":
			return Rejection{Type: NotFound, Entity: "event", ID: e.ID}
		case e.Seq > 0:
			return Rejection{Type: NotFound, Entity: "event", ID: fmt.Sprint(e.Seq)}
		}
		return Rejection{Type: NotFound, Entity: "stream", ID: e.Name}
	}),
	row(func(e *store.UnknownChainError) Rejection {
		return Rejection{Type: NotFound, Entity: "chain", ID: e.ID}
	}),
	row(func(e *store.UnknownTypeError) Rejection {
		return Rejection{Type: NotFound, Entity: "event type", ID: e.Name}
	}),
	row(func(e *store.NotFirstError) Rejection {
		return *invalid("", fieldError(e.Error(), badValue, "correlation_id"))
	}),
	plain[*store.WrongKindError](InvalidState),
	plain[*store.TooManyTypesError](InvalidState),
	plain[*store.ReplacedError](InvalidState),
	plain[*store.AheadError](InvalidState),
	plain[*store.DivergedError](InvalidState),
	row(func(*store.DamagedError) Rejection {
		return Rejection{
			Type:    Internal,
			Message: "this stream is damaged on the relay: its owner has to restore it, the relay's log says more",
		}
	}),
	row(func(*store.FullError) Rejection {
		return Rejection{
			Type:    StorageFull,
			Message: "the relay has no room left on its disk: its owner has to free some",
		}
	}),
	busy(store.ErrClosed, "the relay is stopping"),
	busy(guard.ErrBusy, ""),
	row(func(e *guard.TooLargeError) Rejection { return Rejection{Type: TooLarge, Limit: e.Limit} }),
	row(func(*guard.BodyError) Rejection {
		return *invalid("", fieldError("the body did not arrive whole, or not in time", badValue))
	}),
	plain[*guard.RefusedError](Forbidden),
	plain[*access.UnauthorizedError](Unauthorized),
	plain[*access.ForbiddenError](Forbidden),
}

// row is the entry of a type of errors.
func row[E error](fill func(E) Rejection) func(error) (Rejection, bool) {
	return func(err error) (r Rejection, ok bool) {
		e, ok := errors.AsType[E](err)
		if ok {
			r = fill(e)
		}
		return r, ok
	}
}

// plain is the entry of a type of errors whose reason says it all.
func plain[E error](reason RejectionType) func(error) (Rejection, bool) {
	return row(func(E) Rejection { return Rejection{Type: reason} })
}

// busy is the entry of an error that passes.
func busy(target error, message string) func(error) (Rejection, bool) {
	return func(err error) (Rejection, bool) {
		return Rejection{Type: Busy, Message: message, Retry: retryAfter}, errors.Is(err, target)
	}
}

// invalid returns a rejection for what is wrong with what was sent. Without a
// message it has that of the first place.
func invalid(message string, errs ...FieldError) *Rejection {
	if message == "" && len(errs) > 0 {
		message = errs[0].Error()
	}
	return &Rejection{Type: ValidationFailed, Message: message, Errors: errs}
}

// fieldError returns what is wrong with the place to which loc leads.
func fieldError(msg, kind string, loc ...string) FieldError {
	if loc == nil {
		loc = []string{} // which is a list too
	}
	return FieldError{Loc: loc, Msg: msg, Type: kind}
}
