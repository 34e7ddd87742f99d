package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// A connection reads answers of all lengths, small ones and those longer than it
// is ready for, one after the other, and takes any status but 200 for an error.
func TestConn(t *testing.T) {
	bodies := map[string][]byte{
		"/empty": {}, "/small": []byte("small"), "/large": bytes.Repeat([]byte("large"), 1<<20),
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			http.Error(w, "no such thing", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body))) // as all targets do
		_, _ = w.Write(body)
	}))
	defer web.Close()
	s := &server{address: strings.TrimPrefix(web.URL, "http://")}
	c, err := dial(s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, path := range []string{"/small", "/large", "/empty", "/large", "/small"} {
		body, err := c.do(s.get(path))
		if err != nil || !bytes.Equal(body, bodies[path]) {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
	if _, err := c.do(s.get("/nothing")); err == nil {
		t.Error("a refusal was taken for an answer")
	}
}
