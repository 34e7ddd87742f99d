package streamhttp_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// FuzzHandler holds the handler to one of two answers, whatever is asked: what
// the path serves, or a problem in CBOR. It never panics.
func FuzzHandler(f *testing.F) {
	for _, seed := range []struct {
		method, target, mediaType string
		body                      []byte
	}{
		{"GET", "/health", "", nil},
		{"GET", "/v1/limits", "", nil},
		{"GET", "/v1/streams/notes/entries?limit=1", "", nil},
		{"HEAD", "/v1/streams/notes/entries?after=2.11c3cd7e971ccb544d78c74ae8d814ba." +
			"19cdc65a0a991e8d40e19813aad37514cf0a734663686eb4433285f7d49190ed", "", nil},
		{"GET", "/v1/wait?watch=notes&watch=a%3Ab&timeout=1", "", nil},
		{"POST", "/v1/streams/notes/entries", "application/cbor", []byte("\xa2\x00\x01\x01\x82\x40\x41a")},
		{"POST", "/v1/streams/notes/entries", "application/cbor", []byte("\xbf\x20\xd8\x18\x9f\xff\x00\x01\x01\x80\xff")},
		{"POST", "/v1/streams/a%2Fb/entries", "text/plain; x", nil},
		{"OPTIONS", "*", "", nil},
		{"GET", "//v1/wait", "", nil},
		{"GET", "/%ff?%zz", "", nil},
	} {
		f.Add(seed.method, seed.target, seed.mediaType, seed.body)
	}
	r := newRelay(f, nil)
	f.Cleanup(func() {
		if err := r.store.Close(); err != nil {
			f.Error(err)
		}
	})
	r.hub.Close() // so that waits do not last
	f.Fuzz(func(t *testing.T, method, target, mediaType string, body []byte) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return // net/http does not hand such a request over
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		req.Method, req.URL, req.RequestURI = method, u, target
		req.Host, req.RemoteAddr = "localhost", "127.0.0.1:5000"
		req.Header.Set("Content-Type", mediaType)
		w := httptest.NewRecorder()
		r.handler.ServeHTTP(w, req)
		a := answer{w.Code, w.Header(), w.Body.Bytes()}
		if a.check(t, method); a.status == http.StatusInternalServerError {
			t.Errorf("%+v", a.problem(t))
		}
		if method != http.MethodHead && a.status == http.StatusOK && u.Path != "/health" {
			decode[any](t, a.body)
		}
	})
}
