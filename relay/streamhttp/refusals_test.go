package streamhttp_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/streamhttp"
)

// refused is a request that is refused, and how.
type refused struct {
	name   string
	method string
	target string
	header http.Header
	body   []byte
	want   problem // without message
	action streamhttp.Action
}

// check sends the request and checks that it is refused with the right status,
// code and fields, and recorded as what the client was told.
func (tt refused) check(t *testing.T, r *relay) {
	t.Helper()
	a := r.do(t, tt.method, tt.target, tt.header, bytes.NewReader(tt.body))
	if a.status < 400 {
		t.Fatalf("status %d", a.status)
	}
	got := a.problem(t)
	recorded := r.records.takeRefusals()
	if len(recorded) != 1 {
		t.Fatalf("%d records", len(recorded))
	}
	rec := recorded[0]
	if rec.Status != a.status || string(rec.Problem.Code) != got.Code || rec.Problem.Message != got.Message ||
		rec.Action != tt.action || rec.Err == nil || !rec.Visitor.Remote.IsValid() {
		t.Errorf("recorded as %+v", rec)
	}
	got.Message = ""
	if diff := cmp.Diff(tt.want, got); diff != "" {
		t.Error(diff)
	}
	if allow, want := a.header.Get("Allow"), got.Code == "method_not_allowed"; (allow != "") != want {
		t.Errorf("Allow: %q", allow)
	}
	if challenge, want := a.header.Get("Www-Authenticate"), got.Code == "unauthorized"; (challenge == `Bearer realm="hearth"`) != want {
		t.Errorf("WWW-Authenticate: %q", challenge)
	}
}

// Paths that are not served, methods, names, queries and cursors: every refusal
// of the table that looking can bring about.
func TestRefusedReads(t *testing.T) {
	r := start(t)
	w := r.write(t, "notes", batch{Epoch: 3, Entries: [][]byte{[]byte("a"), []byte("b")}})
	p := r.read(t, "notes", "")
	id, link := w.Stream, p.Entries[1].Hash
	other := bytes.Repeat([]byte{7}, 16)
	good := encode(t, batch{Epoch: 3, Entries: [][]byte{[]byte("c")}})
	for _, tt := range []refused{
		// Paths and methods.
		{"unknown path", "GET", "/v2/wait", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"root", "GET", "/", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"upper case", "GET", "/V1/wait", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"slash behind", "GET", "/v1/wait/?watch=notes", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"slash behind entries", "GET", path("notes") + "/", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"stream alone", "GET", "/v1/streams/notes", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"no metrics", "GET", "/metrics", nil, nil, problem{Code: "not_found"}, streamhttp.Other},
		{"delete", "DELETE", path("notes"), nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"put", "PUT", path("notes"), cborHeader, good, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"options", "OPTIONS", path("notes"), nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"trace", "TRACE", "/health", nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"invented", "BREW", "/v1/wait", nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"post to wait", "POST", "/v1/wait", nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"post to health", "POST", "/health", nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},
		{"post to limits", "POST", "/v1/limits", nil, nil, problem{Code: "method_not_allowed"}, streamhttp.Other},

		// Names.
		{"upper case name", "GET", path("Notes"), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"empty name", "GET", path(""), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"long name", "GET", path(strings.Repeat("a", 65)), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"dot first", "GET", path(".notes"), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"the relay's own", "GET", path("_relay"), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"slash in name", "GET", path("a%2Fb"), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"blank in name", "POST", path("a%20b"), cborHeader, good, problem{Code: "bad_request"}, streamhttp.Write},
		{"escaped twice", "GET", path("note%2573"), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"not UTF-8", "GET", path("%FF"), nil, nil, problem{Code: "bad_request"}, streamhttp.Other},
		{"not UTF-8 elsewhere", "GET", "/%C3", nil, nil, problem{Code: "bad_request"}, streamhttp.Other},

		// Queries of a read.
		{"unknown parameter", "GET", path("notes") + "?x=1", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"parameter of wait", "GET", path("notes") + "?watch=a", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"empty parameter name", "GET", path("notes") + "?=1", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"semicolon", "GET", path("notes") + "?limit=1;x=2", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"bad escape", "GET", path("notes") + "?limit=%zz", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit 0", "GET", path("notes") + "?limit=0", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit 10001", "GET", path("notes") + "?limit=10001", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit -1", "GET", path("notes") + "?limit=-1", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit 2^64", "GET", path("notes") + "?limit=18446744073709551616", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit empty", "GET", path("notes") + "?limit=", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit bare", "GET", path("notes") + "?limit", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit blank", "GET", path("notes") + "?limit=+5", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit two plus", "GET", path("notes") + "?limit=%2B%2B5", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"limit twice", "GET", path("notes") + "?limit=5&limit=5", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after twice", "GET", path("notes") + "?after=" + p.after() + "&after=" + p.after(), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after empty", "GET", path("notes") + "?after=", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after number", "GET", path("notes") + "?after=2", nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after with zero", "GET", path("notes") + "?after=0" + p.after(), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after in capitals", "GET", path("notes") + "?after=" + strings.ToUpper(p.after()), nil, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"after 2^64", "GET", path("notes") + "?after=1844674407370955161" + "6" + p.after()[1:], nil, nil, problem{Code: "bad_request"}, streamhttp.Read},

		// Cursors.
		{"no stream", "GET", path("none"), nil, nil, problem{Code: "stream_not_found"}, streamhttp.Read},
		{"cursor of no stream", "GET", path("none") + "?after=" + p.after(), nil, nil, problem{Code: "stream_not_found"}, streamhttp.Read},
		{"another stream", "GET", path("notes") + "?after=" + cursor(2, other, link), nil, nil, problem{Code: "stream_replaced"}, streamhttp.Read},
		{"another stream ahead", "GET", path("notes") + "?after=" + cursor(9, other, link), nil, nil, problem{Code: "stream_replaced"}, streamhttp.Read},
		{"ahead", "GET", path("notes") + "?after=" + cursor(3, id, link), nil, nil, problem{Code: "cursor_ahead", Head: new(uint64(2))}, streamhttp.Read},
		{"far ahead", "GET", path("notes") + "?after=" + cursor(1<<64-1, id, link), nil, nil, problem{Code: "cursor_ahead", Head: new(uint64(2))}, streamhttp.Read},
		{"diverged", "GET", path("notes") + "?after=" + cursor(1, id, link), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},
		{"diverged at the head", "GET", path("notes") + "?after=" + cursor(2, id, p.Entries[0].Hash), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},
		{"diverged at 0", "GET", path("notes") + "?after=" + cursor(0, id, link), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, r) })
	}
}

// A refusal of a read is recorded with where the reader stood.
func TestRefusalTellsPosition(t *testing.T) {
	r := start(t)
	w := r.writeEntries(t, "notes", "a")
	r.do(t, http.MethodGet, path("notes")+"?after="+cursor(120, w.Stream, data(32)), nil, nil)
	recorded := r.records.takeRefusals()
	if len(recorded) != 1 || recorded[0].Position != 120 || recorded[0].Stream != "notes" || *recorded[0].Problem.Head != 1 {
		t.Errorf("recorded %+v", recorded)
	}
}
