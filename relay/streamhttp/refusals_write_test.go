package streamhttp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/streamhttp"
)

// Batches, waits, and those who are not let in: every refusal of the table that
// these can bring about, after which nothing has changed.
func TestRefusedWritesAndWaits(t *testing.T) {
	r := start(t)
	w := r.write(t, "notes", batch{Epoch: 3, Entries: [][]byte{[]byte("a"), []byte("b")}})
	p := r.read(t, "notes", "")
	id := w.Stream
	other := bytes.Repeat([]byte{7}, 16)
	if _, err := r.store.Publish(t.Context(), store.Publish{
		Ref:    store.Ref{Space: "default", Name: "events"},
		Origin: []byte(`"stream_id":"events","actor":{"kind":"user","id":"local"},"causation":null`),
		Events: []store.Event{{JSON: []byte(`{"type":"a"}`)}},
	}); err != nil {
		t.Fatal(err)
	}
	good := encode(t, batch{Epoch: 3, Entries: [][]byte{[]byte("c")}})
	var tooMany strings.Builder
	for i := range protocol.MaxWatches + 1 {
		fmt.Fprintf(&tooMany, "&watch=s%d", i)
	}
	elsewhere := func(authorization ...string) http.Header {
		return http.Header{"X-Forwarded-For": {"198.51.100.7"}, "Authorization": authorization}
	}
	for _, tt := range []refused{
		// Batches.
		{"no type", "POST", path("notes"), nil, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"JSON", "POST", path("notes"), http.Header{"Content-Type": {"application/json"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"malformed type", "POST", path("notes"), http.Header{"Content-Type": {"application/cbor/x"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"second type", "POST", path("notes"), http.Header{"Content-Type": {"text/plain", "application/cbor"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"type before length", "POST", path("notes"), nil, data(16<<20 + 1), problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"too large", "POST", path("notes"), cborHeader, data(16<<20 + 1), problem{Code: "too_large", Limit: new(uint64(16 << 20))}, streamhttp.Write},
		{"no body", "POST", path("notes"), cborHeader, nil, problem{Code: "bad_request"}, streamhttp.Write},
		{"not CBOR", "POST", path("notes"), cborHeader, []byte("hello"), problem{Code: "bad_request"}, streamhttp.Write},
		{"bytes behind", "POST", path("notes"), cborHeader, append(bytes.Clone(good), 0), problem{Code: "bad_request"}, streamhttp.Write},
		{"empty batch", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{}}), problem{Code: "bad_request"}, streamhttp.Write},
		{"epoch of 33 bits", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 1 << 32, Entries: [][]byte{{1}}}), problem{Code: "bad_request"}, streamhttp.Write},
		{"short identity", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: id[:15]}), problem{Code: "bad_request"}, streamhttp.Write},
		{"epoch behind", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 2, Entries: [][]byte{{1}}}), problem{Code: "epoch_behind", Epoch: new(uint64(3))}, streamhttp.Write},
		{"into another", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: other}), problem{Code: "stream_replaced"}, streamhttp.Write},
		{"into none", "POST", path("none"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: id}), problem{Code: "stream_not_found"}, streamhttp.Write},
		{"out of place", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, First: 2}), problem{Code: "out_of_place", Head: new(uint64(2))}, streamhttp.Write},
		{"out of place in none", "POST", path("none"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, First: 2}), problem{Code: "out_of_place", Head: new(uint64(0))}, streamhttp.Write},
		{"entries for events", "POST", path("events"), cborHeader, good, problem{Code: "wrong_kind"}, streamhttp.Write},

		// Waits.
		{"watch missing", "GET", "/v1/wait", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch empty", "GET", "/v1/wait?watch=", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch bad name", "GET", "/v1/wait?watch=Notes", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch bad cursor", "GET", "/v1/wait?watch=notes:2", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch no cursor", "GET", "/v1/wait?watch=notes:", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch twice", "GET", "/v1/wait?watch=notes&watch=notes:" + p.after(), nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"65 watches", "GET", "/v1/wait?" + tooMany.String()[1:], nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"timeout 61", "GET", "/v1/wait?watch=notes&timeout=61", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"timeout -1", "GET", "/v1/wait?watch=notes&timeout=-1", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"timeout 1.5", "GET", "/v1/wait?watch=notes&timeout=1.5", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"timeout twice", "GET", "/v1/wait?watch=notes&timeout=0&timeout=0", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"parameter of read", "GET", "/v1/wait?watch=notes&limit=1", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},

		// The guard and the door.
		{"other host", "GET", path("notes"), http.Header{"Host": {"evil.example"}}, nil, problem{Code: "host_refused"}, streamhttp.Read},
		{"other origin", "POST", path("notes"), http.Header{"Origin": {"https://evil.example"}}, good, problem{Code: "origin_refused"}, streamhttp.Write},
		{"cross site", "GET", "/health", http.Header{"Sec-Fetch-Site": {"cross-site"}}, nil, problem{Code: "origin_refused"}, streamhttp.Other},
		{"proxy", "GET", "/v1/wait?watch=notes", http.Header{"X-Forwarded-For": {"?"}}, nil, problem{Code: "forbidden"}, streamhttp.Wait},
		{"from elsewhere", "GET", path("notes"), elsewhere(), nil, problem{Code: "forbidden"}, streamhttp.Read},
		{"health from elsewhere", "GET", "/health", elsewhere(), nil, problem{Code: "forbidden"}, streamhttp.Other},
		{"unknown key", "GET", path("notes"), http.Header{"Authorization": {"Bearer efema_1"}}, nil, problem{Code: "unauthorized"}, streamhttp.Read},
		{"owner from elsewhere", "GET", path("notes"), elsewhere("Bearer " + ownerToken), nil, problem{Code: "unauthorized"}, streamhttp.Read},
		{"bad space", "GET", path("notes"), http.Header{"Hearth-Space": {"a b"}}, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"other space", "GET", path("notes"), http.Header{"Hearth-Space": {"family"}}, nil, problem{Code: "stream_not_found"}, streamhttp.Read},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, r) })
	}
	if got := r.read(t, "notes", ""); got.Head != 2 {
		t.Errorf("the stream ends at %d: something was half applied", got.Head)
	}
	if a := r.do(t, http.MethodGet, path("none"), nil, nil); a.status != http.StatusNotFound {
		t.Errorf("status %d: a refused batch made a stream", a.status)
	}
}
