package streamhttp_test

import (
	"bytes"
	"maps"
	"net/http"
	"testing"
)

// A client that sends the largest bodies little by little, as many as it likes,
// holds a part of the room for those: others' come through meanwhile.
func TestTricklingBodies(t *testing.T) {
	r := start(t)
	r.open.Store(true)
	for range 8 {
		c := r.dial(t)
		c.say(t, postHead+"Content-Length: 16777216\r\n\r\n\xa2\x00")
	}
	elsewhere := maps.Clone(cborHeader)
	elsewhere.Set("X-Forwarded-For", "198.51.100.7")
	body := encode(t, batch{Epoch: 1, Entries: [][]byte{data(8 << 20)}})
	if a := r.do(t, http.MethodPost, path("films"), elsewhere, bytes.NewReader(body)); a.status != http.StatusOK {
		t.Errorf("status %d", a.status)
	}
}

// A client that takes large pages slowly, as many as it likes, keeps nobody else
// from large pages.
func TestSlowReaders(t *testing.T) {
	r := start(t)
	r.open.Store(true)
	r.write(t, "films", batch{Epoch: 1, Entries: [][]byte{data(15 << 20)}})
	for range 8 {
		c := r.dial(t)
		c.say(t, "GET "+path("films")+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	elsewhere := http.Header{"X-Forwarded-For": {"198.51.100.7"}}
	if a := r.do(t, http.MethodGet, path("films"), elsewhere, nil); a.status != http.StatusOK || len(a.body) < 15<<20 {
		t.Errorf("status %d, %d bytes", a.status, len(a.body))
	}
}
