package reflexhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// The frames, as another implementation would declare them.
type (
	welcome struct {
		Type     string `json:"type"`
		Protocol string `json:"protocol"`
		StreamID string `json:"stream_id"`
		HeadSeq  uint64 `json:"head_seq"`
		Reset    bool   `json:"reset"`
		Reason   string `json:"reason,omitempty"`
		Cursor   string `json:"cursor,omitempty"`
	}
	eventFrame struct {
		Type string `json:"type"`
		envelope
		Cursor string `json:"cursor,omitempty"`
	}
	replayComplete struct {
		Type    string `json:"type"`
		UpToSeq uint64 `json:"up_to_seq"`
		Cursor  string `json:"cursor,omitempty"`
	}
	errorFrame struct {
		Type      string `json:"type"`
		Message   string `json:"message"`
		CommandID string `json:"command_id,omitempty"`
	}
)

func liveOf(stream string) string { return "/reflex/v1/streams/" + stream + "/live" }

// live is a client that follows a stream.
type live struct {
	*websocket.Conn
	welcome welcome
}

// dialLive opens a socket, on which nothing is said yet.
func (h *home) dialLive(t testing.TB, target string, header http.Header) *live {
	t.Helper()
	c, resp, err := websocket.Dial(t.Context(), "ws://"+h.address+target, &websocket.DialOptions{
		HTTPClient: h.client, HTTPHeader: header, Subprotocols: []string{"reflexr.v1"},
	})
	if err != nil {
		t.Fatalf("%v: %+v", err, resp)
	}
	c.SetReadLimit(-1)
	t.Cleanup(func() { _ = c.CloseNow() })
	return &live{Conn: c}
}

// follow follows a stream with a hello, given without its protocol.
func (h *home) follow(t testing.TB, target, hello string) *live {
	t.Helper()
	c := h.dialLive(t, target, nil)
	c.hello(t, hello)
	c.welcome = hear[welcome](t, c)
	if c.welcome.Type != "welcome" || c.welcome.Protocol != "reflexr.v1" || c.welcome.Reset != (c.welcome.Reason != "") {
		t.Errorf("welcomed with %+v", c.welcome)
	}
	return c
}

// hello says a hello, given without its protocol.
func (c *live) hello(t testing.TB, members string) {
	t.Helper()
	if members != "" {
		members = "," + members
	}
	c.say(t, `{"type":"hello","protocol":"reflexr.v1"`+members+`}`)
}

func (c *live) say(t testing.TB, message string) {
	t.Helper()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

// next reads the next frame.
func (c *live) next(t testing.TB) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kind, message, err := c.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if kind != websocket.MessageText {
		t.Fatalf("a frame of the kind %v", kind)
	}
	return message
}

// hear reads a frame that has to be of a type.
func hear[M any](t testing.TB, c *live) M {
	t.Helper()
	return decode[M](t, c.next(t))
}

// typeOf returns the type of a frame.
func typeOf(t testing.TB, frame []byte) string {
	t.Helper()
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(frame, &head); err != nil {
		t.Fatalf("%v: %.200s", err, frame)
	}
	return head.Type
}

// events reads so many events, which have to follow a position.
func (c *live) events(t testing.TB, after uint64, n int) (list []eventFrame) {
	t.Helper()
	for i := range n {
		e := hear[eventFrame](t, c)
		if e.Type != "event" || e.Seq != after+uint64(i)+1 {
			t.Fatalf("a frame %q at %d, want an event at %d", e.Type, e.Seq, after+uint64(i)+1)
		}
		list = append(list, e)
	}
	return list
}

// complete reads that the replay is over.
func (c *live) complete(t testing.TB) replayComplete {
	t.Helper()
	r := hear[replayComplete](t, c)
	if r.Type != "replay_complete" {
		t.Fatalf("a frame %+v, want the end of the replay", r)
	}
	return r
}

// closed reads until the socket is closed, and returns how.
func (c *live) closed(t testing.TB) websocket.CloseError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, _, err := c.Read(ctx)
		if how, ok := errors.AsType[websocket.CloseError](err); ok {
			return how
		}
		if err != nil {
			t.Fatalf("the connection broke: %v", err)
		}
	}
}

// count is an event that counts.
func count(n int) string { return fmt.Sprintf(`{"type":"count","n":%d}`, n) }
