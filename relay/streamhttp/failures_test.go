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

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/streamhttp"
)

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
	h := streamhttp.New(streamhttp.Options{Store: r.store, Hub: &r.hub, Observer: &r.records, Bodies: r.budget, Pages: r.budget, Sending: r.sending, Closing: r.closing.Load})
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
	for target, file := range map[string]string{
		"/health":                        "health.go",
		"/v1/wait?watch=notes&timeout=0": "wait.go",
	} {
		t.Run(target, func(t *testing.T) {
			r := start(t)
			r.broken.Store(true)
			if p := r.do(t, http.MethodGet, target, nil, nil).problem(t); p.Code != "internal" || strings.Contains(p.Message, "boom") {
				t.Errorf("%+v", p)
			}
			recorded := r.records.takeRefusals()
			if len(recorded) != 1 {
				t.Fatalf("recorded %+v", recorded)
			}
			why, ok := errors.AsType[*guard.PanicError](recorded[0].Err)
			if !ok || why.Value != "boom" || !bytes.Contains(why.Stack, []byte(file)) {
				t.Errorf("the cause is %v", recorded[0].Err)
			}
		})
	}
}

// Where something panics while a page is read, here for want of a store, its room
// comes back.
func TestPanicGivesRoomBack(t *testing.T) {
	r := newRelay(t, nil)
	defer r.store.Close()
	const size = 32 << 20
	pages := guard.NewBudget(size)
	h := streamhttp.New(streamhttp.Options{Hub: &r.hub, Observer: &r.records, Bodies: r.budget, Pages: pages, Sending: r.sending, Closing: r.closing.Load})
	w := httptest.NewRecorder()
	q := httptest.NewRequest(http.MethodGet, path("notes"), http.NoBody)
	h.ServeHTTP(w, q.WithContext(access.NewContext(q.Context(), access.Visitor{Space: access.DefaultSpace})))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d", w.Code)
	}
	room, ok := pages.TryReserve(size)
	if !ok {
		t.Fatal("a part of the room is gone")
	}
	room.Release()
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
