package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Every error that others may hand over has its code and fields, also wrapped;
// what only the owner of the relay can mend tells strangers nothing of it.
func TestProblems(t *testing.T) {
	ref := store.Ref{Space: "default", Name: "notes"}
	const secret = "/home/someone/hearth.db"
	for _, tt := range []struct {
		err  error
		want protocol.Problem // without message
	}{
		{&store.NotFoundError{Ref: ref}, protocol.Problem{Code: protocol.StreamNotFound}},
		{&store.ReplacedError{Ref: ref}, protocol.Problem{Code: protocol.StreamReplaced}},
		{&store.AheadError{Ref: ref, Seq: 9, Head: 7}, protocol.Problem{Code: protocol.CursorAhead, Head: new(uint64(7))}},
		{&store.DivergedError{Ref: ref}, protocol.Problem{Code: protocol.CursorDiverged}},
		{&store.EpochBehindError{Ref: ref, Epoch: 7}, protocol.Problem{Code: protocol.EpochBehind, Epoch: new(uint32(7))}},
		{&store.OutOfPlaceError{Ref: ref, Head: 7}, protocol.Problem{Code: protocol.OutOfPlace, Head: new(uint64(7))}},
		{&store.WrongKindError{Ref: ref, Kind: store.Events}, protocol.Problem{Code: protocol.WrongKind}},
		{&store.DamagedError{Ref: ref, Reason: secret}, protocol.Problem{Code: protocol.Internal}},
		{&store.FullError{Err: errors.New(secret)}, protocol.Problem{Code: protocol.StorageFull}},
		{store.ErrClosed, protocol.Problem{Code: protocol.Busy, Retry: new(uint64(busyRetry))}},
		{guard.ErrBusy, protocol.Problem{Code: protocol.Busy, Retry: new(uint64(busyRetry))}},
		{&guard.TooLargeError{Limit: 7}, protocol.Problem{Code: protocol.TooLarge, Limit: new(uint64(7))}},
		{&guard.BodyError{Err: errors.New(secret)}, protocol.Problem{Code: protocol.BadRequest}},
		{&guard.RefusedError{Code: guard.HostRefused, Message: "no"}, protocol.Problem{Code: protocol.HostRefused}},
		{&guard.RefusedError{Code: guard.OriginRefused, Message: "no"}, protocol.Problem{Code: protocol.OriginRefused}},
		{&guard.RefusedError{Code: guard.Forbidden, Message: "no"}, protocol.Problem{Code: protocol.Forbidden}},
		{&access.UnauthorizedError{Reason: "no"}, protocol.Problem{Code: protocol.Unauthorized}},
		{&access.ForbiddenError{Reason: "no"}, protocol.Problem{Code: protocol.Forbidden}},
		{&protocol.NameError{Text: "A"}, protocol.Problem{Code: protocol.BadRequest}},
		{&protocol.DecodeError{Reason: "no"}, protocol.Problem{Code: protocol.BadRequest}},
		{errors.New(secret), protocol.Problem{Code: protocol.Internal}},
		{context.DeadlineExceeded, protocol.Problem{Code: protocol.Internal}},
		{&guard.PanicError{Value: secret}, protocol.Problem{Code: protocol.Internal}},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("on the way: %w", tt.err)} {
			got := problem(err)
			if got.Message == "" || strings.Contains(got.Message, secret) {
				t.Errorf("%T: message %q", tt.err, got.Message)
			}
			got.Message = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%T: %s", tt.err, diff)
			}
		}
	}
}
