package reflexhttp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"hearth/relay"
)

// FuzzHandler holds the surface to one of two answers, whatever is asked: what the
// path serves, or a rejection in the one form, whose type and status belong
// together. It never panics, and nothing that a client sends is an internal error.
func FuzzHandler(f *testing.F) {
	for _, seed := range []struct {
		method, target, mediaType, body string
	}{
		{"GET", "v1/streams/a/events?limit=1&type=a&last=1", "", ""},
		{"HEAD", "v1/streams/a/events?after_seq=1&before_seq=9", "", ""},
		{"GET", "v1/streams/_relay/events?data=none&resume_cursor=2.11c3cd7e971ccb544d78c74ae8d814ba." +
			"19cdc65a0a991e8d40e19813aad37514cf0a734663686eb4433285f7d49190ed", "", ""},
		{"POST", "v1/streams/a/events", "application/json", `{"event":{"type":"a"},"id":"e1"}`},
		{"POST", "v1/streams/a/events", "application/json", `{"type":"a","n":1e400,"t":"\ud83d\ude00"}`},
		{"POST", "v1/streams/a/events", "application/json", `{"events":[{"event":{"type":"a"}},{"id":"e1","event":{"type":"b"}}],"correlation_id":"e1"}`},
		{"POST", "v1/streams/a/commands", "application/json", publishFrame("c1", `{"b":[{}],"type":"a"}`)},
		{"POST", "v1/streams/a/commands", "application/json", `{"command_id":"c2","command":{"type":"publish","event":{"type":"tick"}}}`},
		{"POST", "v1/streams/a/commands", "text/plain", "{\"command_id\":\"\xff"},
		{"PUT", "v1/types/a%2Fb", "application/json", `{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`},
		{"GET", "v1/types/a%2Fb", "", ""},
		{"DELETE", "v1/types/a%2Fb", "", ""},
		{"GET", "v1/streams/a%2Fb/live", "", ""},
		{"OPTIONS", "v1//streams", "", ""},
		{"GET", "%ff?%zz", "", ""},
	} {
		f.Add(seed.method, seed.target, seed.mediaType, []byte(seed.body))
	}
	r, err := relay.Open(f.Context(), f.TempDir(), relay.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, method, target, mediaType string, body []byte) {
		u, err := url.ParseRequestURI("/reflex/" + target)
		if err != nil {
			return // net/http does not hand such a request over
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		req.Method, req.URL, req.RequestURI = method, u, u.RequestURI()
		req.Host, req.RemoteAddr = "localhost", "127.0.0.1:5000"
		req.Header.Set("Content-Type", mediaType)
		req.Header.Set("Authorization", "Bearer "+r.OwnerToken())
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		a := answer{w.Code, w.Header(), w.Body.Bytes()}
		a.check(t, method)
		if a.status == http.StatusInternalServerError {
			t.Errorf("%s", a.body)
		}
		if method != http.MethodHead && a.status != http.StatusOK {
			a.rejection(t)
		}
	})
}
