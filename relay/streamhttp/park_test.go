package streamhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/streamhttp"
)

// A connection on which a wait was answered serves what comes next, be it sent
// before the answer or after it, another wait too; and answers come in the order
// of the requests.
func TestWaitKeepsConnection(t *testing.T) {
	r := start(t)
	c := r.dial(t)
	for i := range 5 {
		name := fmt.Sprint("s", i)
		wait := "GET /v1/wait?timeout=60&watch=" + name + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
		const next = "GET /v1/limits HTTP/1.1\r\nHost: localhost\r\n\r\n"
		switch i {
		case 1:
			c.say(t, wait+next) // at once
		case 2:
			c.say(t, wait)
			eventually(t, "it waits", func() bool { return r.hub.Topics() == 1 })
			c.say(t, next[:1])
			c.say(t, next[1:])
		default:
			c.say(t, wait)
		}
		eventually(t, "it waits", func() bool { return r.hub.Topics() == 1 })
		w := r.writeEntries(t, name, "1")
		a := c.hear(t, http.MethodGet)
		if diff := cmp.Diff([]head{{name, w.Stream, 1}}, decode[heads](t, a.body).Heads); diff != "" {
			t.Error(diff)
		}
		if _, err := http.ParseTime(a.header.Get("Date")); err != nil {
			t.Error(err)
		}
		if i > 2 {
			c.say(t, next)
		}
		if i > 0 {
			decode[limits](t, c.hear(t, http.MethodGet).body)
		}
	}
	if n := r.records.waiting.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// A wait that must not go on afterwards, or whose answer has no body, is held and
// answered all the same.
func TestWaitOtherwise(t *testing.T) {
	r := start(t)
	for i, tt := range []struct{ method, version, header string }{
		{http.MethodGet, "1.0", ""},
		{http.MethodGet, "1.1", "Connection: close\r\n"},
		{http.MethodHead, "1.1", ""},
	} {
		name := fmt.Sprint("s", i)
		c := r.dial(t)
		c.say(t, fmt.Sprintf("%s /v1/wait?timeout=60&watch=%s HTTP/%s\r\nHost: localhost\r\n%s\r\n", tt.method, name, tt.version, tt.header))
		eventually(t, "it waits", func() bool { return r.hub.Topics() == 1 })
		r.writeEntries(t, name, "1")
		if a := c.hear(t, tt.method); a.status != http.StatusOK {
			t.Errorf("%+v: status %d", tt, a.status)
		}
	}
}

// past sends a wait in which nothing happens until its time is up.
func past(t *testing.T, r *relay) *conn {
	t.Helper()
	c := r.dial(t)
	c.say(t, "GET /v1/wait?watch=never&timeout=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return c
}

// When the relay stops, who waits is answered, and connections end on which waits
// were answered before.
func TestCloseEndsWaits(t *testing.T) {
	r := start(t)
	waiting, resting := r.held(t, "watch=b"), past(t, r)
	resting.hear(t, http.MethodGet)
	r.closing.Store(true)
	r.hub.Close()
	r.streams.Close(t.Context())
	if a := waiting.hear(t, http.MethodGet); len(decode[heads](t, a.body).Heads) != 0 {
		t.Errorf("told %x", a.body)
	}
	if rest, err := io.ReadAll(resting); len(rest) > 0 || err != nil {
		t.Errorf("the connection ends with %q, %v", rest, err)
	}
}

// A mistake that comes up while a wait is answered costs its connection and
// nothing else, and is on record.
func TestWaitPanics(t *testing.T) {
	r := start(t)
	r.failing.Store(true)
	if answer, err := io.ReadAll(past(t, r)); len(answer) > 0 || err != nil {
		t.Errorf("answered with %q, %v", answer, err)
	}
	eventually(t, "it is on record", func() bool {
		recorded := r.records.takeRefusals()
		return len(recorded) == 1 && recorded[0].Action == streamhttp.Wait
	})
	r.failing.Store(false)
	if n := r.records.waiting.Load(); n != 0 || r.hub.Topics() != 0 {
		t.Errorf("%d wait, for %d streams", n, r.hub.Topics())
	}
	past(t, r).hear(t, http.MethodGet)
}
