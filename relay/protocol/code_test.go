package protocol_test

import (
	"net/http"
	"slices"
	"testing"

	"hearth/relay/protocol"
)

// Every code has its status: the contract's, and those that were added to it.
func TestCodeStatus(t *testing.T) {
	want := map[protocol.Code]int{
		"bad_request": 400, "stream_not_found": 404, "not_found": 404, "method_not_allowed": 405,
		"stream_replaced": 409, "cursor_ahead": 409, "cursor_diverged": 409, "epoch_behind": 409, "too_large": 413,
		"unsupported_media_type": 415, "internal": 500,

		"unauthorized": 401, "forbidden": 403, "host_refused": 403, "origin_refused": 403, "https_required": 403,
		"wrong_kind": 409, "out_of_place": 409, "rate_limited": 429, "busy": 503, "storage_full": 507,
		"quota_exceeded": 507,
	}
	for code, status := range want {
		if got := code.Status(); got != status {
			t.Errorf("Status of %s = %d, want %d", code, got, status)
		}
	}
	codes := protocol.Codes()
	if len(codes) != len(want) || !slices.IsSorted(codes) {
		t.Errorf("Codes = %q, want the %d of them sorted", codes, len(want))
	}
	if got := protocol.Code("unheard_of").Status(); got != http.StatusInternalServerError {
		t.Errorf("Status of an unknown code = %d, want 500", got)
	}
	for _, v := range readVectors(t).Problem {
		if !slices.Contains(codes, protocol.Code(v.Code)) {
			t.Errorf("the known relay's code %q is missing", v.Code)
		}
	}
}
