package streamhttp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/streamhttp"
)

// Every refusal that a request can bring about has its status, code and fields,
// and is recorded as what the client was told.
func TestRefusals(t *testing.T) {
	r := start(t)
	w := r.write(t, "notes", batch{Epoch: 3, Entries: [][]byte{[]byte("a"), []byte("b")}})
	p := r.read(t, "notes", "")
	id, link := w.Stream, p.Entries[1].Hash
	other := bytes.Repeat([]byte{7}, 16)
	if _, err := r.store.Append(t.Context(), store.Append{
		Ref: store.Ref{Space: "default", Name: "events"}, Kind: store.Events,
		Batch: protocol.Batch{Entries: protocol.NewEntries([]byte("{}"))},
	}); err != nil {
		t.Fatal(err)
	}
	r.records.takeRefusals()

	good := encode(t, batch{Epoch: 3, Entries: [][]byte{[]byte("c")}})
	u := func(n uint64) *uint64 { return &n }
	many := func(n int) string {
		var q strings.Builder
		for i := range n {
			fmt.Fprintf(&q, "&watch=s%d", i)
		}
		return q.String()[1:]
	}
	from := func(header http.Header) http.Header {
		header = header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Set("X-Forwarded-For", "198.51.100.7")
		return header
	}

	for _, tt := range []struct {
		name   string
		method string
		target string
		header http.Header
		body   []byte
		want   problem // without message
		action streamhttp.Action
	}{
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
		{"ahead", "GET", path("notes") + "?after=" + cursor(3, id, link), nil, nil, problem{Code: "cursor_ahead", Head: u(2)}, streamhttp.Read},
		{"far ahead", "GET", path("notes") + "?after=" + cursor(1<<64-1, id, link), nil, nil, problem{Code: "cursor_ahead", Head: u(2)}, streamhttp.Read},
		{"diverged", "GET", path("notes") + "?after=" + cursor(1, id, link), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},
		{"diverged at the head", "GET", path("notes") + "?after=" + cursor(2, id, p.Entries[0].Hash), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},
		{"diverged at 0", "GET", path("notes") + "?after=" + cursor(0, id, link), nil, nil, problem{Code: "cursor_diverged"}, streamhttp.Read},

		// Batches.
		{"no type", "POST", path("notes"), nil, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"JSON", "POST", path("notes"), http.Header{"Content-Type": {"application/json"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"malformed type", "POST", path("notes"), http.Header{"Content-Type": {"application/cbor/x"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"second type", "POST", path("notes"), http.Header{"Content-Type": {"text/plain", "application/cbor"}}, good, problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"type before length", "POST", path("notes"), nil, data(16<<20 + 1), problem{Code: "unsupported_media_type"}, streamhttp.Write},
		{"too large", "POST", path("notes"), cborHeader, data(16<<20 + 1), problem{Code: "too_large", Limit: u(16 << 20)}, streamhttp.Write},
		{"no body", "POST", path("notes"), cborHeader, nil, problem{Code: "bad_request"}, streamhttp.Write},
		{"not CBOR", "POST", path("notes"), cborHeader, []byte("hello"), problem{Code: "bad_request"}, streamhttp.Write},
		{"bytes behind", "POST", path("notes"), cborHeader, append(bytes.Clone(good), 0), problem{Code: "bad_request"}, streamhttp.Write},
		{"empty batch", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{}}), problem{Code: "bad_request"}, streamhttp.Write},
		{"epoch of 33 bits", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 1 << 32, Entries: [][]byte{{1}}}), problem{Code: "bad_request"}, streamhttp.Write},
		{"short identity", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: id[:15]}), problem{Code: "bad_request"}, streamhttp.Write},
		{"epoch behind", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 2, Entries: [][]byte{{1}}}), problem{Code: "epoch_behind", Epoch: u(3)}, streamhttp.Write},
		{"into another", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: other}), problem{Code: "stream_replaced"}, streamhttp.Write},
		{"into none", "POST", path("none"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, Stream: id}), problem{Code: "stream_not_found"}, streamhttp.Write},
		{"out of place", "POST", path("notes"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, First: 2}), problem{Code: "out_of_place", Head: u(2)}, streamhttp.Write},
		{"out of place in none", "POST", path("none"), cborHeader, encode(t, batch{Epoch: 3, Entries: [][]byte{{1}}, First: 2}), problem{Code: "out_of_place", Head: u(0)}, streamhttp.Write},
		{"entries for events", "POST", path("events"), cborHeader, good, problem{Code: "wrong_kind"}, streamhttp.Write},

		// Waits.
		{"watch missing", "GET", "/v1/wait", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch empty", "GET", "/v1/wait?watch=", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch bad name", "GET", "/v1/wait?watch=Notes", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch bad cursor", "GET", "/v1/wait?watch=notes:2", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch no cursor", "GET", "/v1/wait?watch=notes:", nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"watch twice", "GET", "/v1/wait?watch=notes&watch=notes:" + p.after(), nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
		{"65 watches", "GET", "/v1/wait?" + many(65), nil, nil, problem{Code: "bad_request"}, streamhttp.Wait},
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
		{"from elsewhere", "GET", path("notes"), from(nil), nil, problem{Code: "forbidden"}, streamhttp.Read},
		{"health from elsewhere", "GET", "/health", from(nil), nil, problem{Code: "forbidden"}, streamhttp.Other},
		{"unknown key", "GET", path("notes"), http.Header{"Authorization": {"Bearer efema_1"}}, nil, problem{Code: "unauthorized"}, streamhttp.Read},
		{"owner from elsewhere", "GET", path("notes"), from(http.Header{"Authorization": {"Bearer " + ownerToken}}), nil, problem{Code: "unauthorized"}, streamhttp.Read},
		{"bad space", "GET", path("notes"), http.Header{"Hearth-Space": {"a b"}}, nil, problem{Code: "bad_request"}, streamhttp.Read},
		{"other space", "GET", path("notes"), http.Header{"Hearth-Space": {"family"}}, nil, problem{Code: "stream_not_found"}, streamhttp.Read},
	} {
		t.Run(tt.name, func(t *testing.T) {
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
		})
	}
	if got := r.read(t, "notes", ""); got.Head != 2 {
		t.Errorf("the stream ends at %d: something was half applied", got.Head)
	}
	if a := r.do(t, http.MethodGet, path("none"), nil, nil); a.status != http.StatusNotFound {
		t.Errorf("status %d: a refused batch made a stream", a.status)
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

// HEAD is told of a refusal as GET is, but for the body.
func TestHeadRefused(t *testing.T) {
	r := start(t)
	a := r.do(t, http.MethodHead, path("none"), nil, nil)
	if a.status != http.StatusNotFound || a.header.Get("Content-Length") == "0" {
		t.Errorf("status %d, headers %v", a.status, a.header)
	}
}

// A relay that stops says so, in a way that tells clients to come again.
func TestClosing(t *testing.T) {
	r := start(t)
	if a := r.do(t, http.MethodGet, "/health", nil, nil); a.status != http.StatusOK || string(a.body) != "ok\n" ||
		!strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		t.Errorf("health: %d %q", a.status, a.body)
	}
	r.closing.Store(true)
	if err := r.store.Close(); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() answer{
		"health": func() answer { return r.do(t, http.MethodGet, "/health", nil, nil) },
		"write":  func() answer { return r.post(t, "notes", batch{Entries: [][]byte{{1}}}) },
		"read":   func() answer { return r.do(t, http.MethodGet, path("notes"), nil, nil) },
		"wait":   func() answer { return r.do(t, http.MethodGet, "/v1/wait?watch=notes", nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			a := ask()
			if p := a.problem(t); p.Code != "busy" || p.Retry == nil || a.header.Get("Retry-After") != fmt.Sprint(*p.Retry) {
				t.Errorf("%+v, headers %v", p, a.header)
			}
		})
	}
}

// A request that did not pass the door is not served, as nobody knows whose it is.
func TestWithoutDoor(t *testing.T) {
	r := newRelay(t, nil)
	defer r.store.Close()
	h := streamhttp.New(streamhttp.Options{Store: r.store, Hub: &r.hub, Observer: &r.records, Budget: r.budget, Closing: r.closing.Load})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path("notes"), http.NoBody))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d", w.Code)
	}
	if rec := r.records.takeRefusals(); len(rec) != 1 || rec[0].Err == nil || strings.Contains(rec[0].Problem.Message, rec[0].Err.Error()) {
		t.Errorf("recorded %+v", rec)
	}
}

// A mistake in the program is answered as internal and recorded with where it
// happened.
func TestPanic(t *testing.T) {
	r := start(t)
	r.broken.Store(true)
	if p := r.do(t, http.MethodGet, "/health", nil, nil).problem(t); p.Code != "internal" || strings.Contains(p.Message, "boom") {
		t.Errorf("%+v", p)
	}
	recorded := r.records.takeRefusals()
	if len(recorded) != 1 {
		t.Fatalf("recorded %+v", recorded)
	}
	if why, ok := errors.AsType[*streamhttp.PanicError](recorded[0].Err); !ok || why.Value != "boom" || !bytes.Contains(why.Stack, []byte("health.go")) {
		t.Errorf("the cause is %v", recorded[0].Err)
	}
}

// An answer that is under way is broken off where a mistake comes up, so that
// the client does not take it for whole; http.ErrAbortHandler means what it
// means to net/http.
func TestPanicHalfWay(t *testing.T) {
	for name, tt := range map[string]struct {
		value    any
		recorded int
	}{
		"mistake": {"boom", 1},
		"abort":   {http.ErrAbortHandler, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := startWith(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusOK)
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				panic(tt.value)
			}))
			c := r.dial(t)
			c.say(t, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
			resp, err := http.ReadResponse(c.in, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v, want io.ErrUnexpectedEOF", err)
			}
			if recorded := r.records.takeRefusals(); len(recorded) != tt.recorded {
				t.Errorf("recorded %+v", recorded)
			}
		})
	}
}

// The figures are for this machine; HEAD and the headers of every answer hold
// for them as well.
func TestMetrics(t *testing.T) {
	r := startWith(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "figures\n") }))
	if a := r.do(t, http.MethodGet, "/metrics", nil, nil); a.status != http.StatusOK || string(a.body) != "figures\n" {
		t.Errorf("%d %q", a.status, a.body)
	}
	r.open.Store(true)
	a := r.do(t, http.MethodGet, "/metrics", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, nil)
	if p := a.problem(t); p.Code != "forbidden" {
		t.Errorf("%+v", p)
	}
}
