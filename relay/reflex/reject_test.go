package reflex_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// Each error comes to a rejection of a stable type, also where it is wrapped, and
// says no more than a client may know.
func TestReject(t *testing.T) {
	ref := store.Ref{Space: "default", Name: "notes"}
	for _, c := range []struct {
		err    error
		status int
		want   string // without the message
		says   string
	}{
		{&store.NotFoundError{Ref: ref}, 404, `{"type":"not_found","entity":"stream","id":"notes"}`, "notes"},
		{&store.NotFoundError{Ref: ref, Seq: 7}, 404, `{"type":"not_found","entity":"event","id":"7"}`, "7"},
		{&store.NotFoundError{Ref: ref, ID: "a"}, 404, `{"type":"not_found","entity":"event","id":"a"}`, "a"},
		{&store.UnknownChainError{Ref: ref, ID: "a"}, 404, `{"type":"not_found","entity":"chain","id":"a"}`, "chain"},
		{&store.UnknownTypeError{Name: "x"}, 404, `{"type":"not_found","entity":"event type","id":"x"}`, "x"},
		{&store.NotFirstError{Ref: ref, ID: "b", Chain: "a"}, 422, `{"type":"validation_failed","errors":[{"loc":["correlation_id"],"type":"value_error"}]}`, `"a"`},
		{&store.WrongKindError{Ref: ref}, 409, `{"type":"invalid_state"}`, "opaque"},
		{&store.TooManyTypesError{}, 409, `{"type":"invalid_state"}`, "1000"},
		{&store.DamagedError{Ref: ref, Seq: 9, Reason: "rust"}, 500, `{"type":"internal"}`, "restore"},
		{&store.FullError{Err: fs.ErrClosed}, 507, `{"type":"storage_full"}`, "disk"},
		{store.ErrClosed, 503, `{"type":"busy","retry":5}`, "stopping"},
		{guard.ErrBusy, 503, `{"type":"busy","retry":5}`, "again"},
		{&guard.TooLargeError{Limit: 16}, 413, `{"type":"too_large","limit":16}`, "16"},
		{&guard.BodyError{Err: fs.ErrClosed}, 422, `{"type":"validation_failed","errors":[{"loc":[],"type":"value_error"}]}`, "whole"},
		{&guard.RefusedError{Code: guard.HostRefused, Message: "elsewhere"}, 403, `{"type":"forbidden"}`, "elsewhere"},
		{&access.UnauthorizedError{Reason: "no key"}, 401, `{"type":"unauthorized"}`, "no key"},
		{&access.ForbiddenError{Reason: "not here"}, 403, `{"type":"forbidden"}`, "not here"},
		{&protocol.NameError{Text: "No"}, 422, `{"type":"validation_failed","errors":[{"loc":[],"type":"value_error"}]}`, "No"},
		{&reflex.Rejection{Type: reflex.DepthExceeded, Message: "deep", Depth: 9, Limit: 8}, 422, `{"type":"depth_exceeded","depth":9,"limit":8}`, "deep"},
		{errors.New("a secret"), 500, `{"type":"internal"}`, "log"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err)} {
			r := reflex.Reject(err)
			if !strings.Contains(r.Message, c.says) || strings.Contains(r.Message, "secret") || strings.Contains(r.Message, "rust") {
				t.Errorf("%v says %q", err, r.Message)
			}
			if got := r.Type.Status(); got != c.status {
				t.Errorf("%v has the status %d, want %d", err, got, c.status)
			}
			r.Message = ""
			for i := range r.Errors {
				r.Errors[i].Msg = ""
			}
			text, _ := json.Marshal(r)
			if got := strings.NewReplacer(`,"message":""`, "", `,"msg":""`, "").Replace(string(text)); got != c.want {
				t.Errorf("%v is told as %s, want %s", err, got, c.want)
			}
		}
	}
}

// Each reason has its status, and one that is not known is nothing that a client
// did.
func TestStatuses(t *testing.T) {
	for _, reason := range reflex.RejectionTypes() {
		if status := reason.Status(); status < 400 || status > 599 {
			t.Errorf("%s has the status %d", reason, status)
		}
	}
	if status := reflex.RejectionType("new").Status(); status != 500 {
		t.Errorf("a new reason has the status %d", status)
	}
}
