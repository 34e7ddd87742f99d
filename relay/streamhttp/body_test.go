package streamhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const postHead = "POST /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\n"

// A body counts by its bytes, not by how it is sent: in chunks it may be just as
// long, and is refused just the same when it is longer.
func TestChunkedBodies(t *testing.T) {
	r := start(t)
	small := encode(t, batch{Epoch: 1, Entries: [][]byte{[]byte("a")}})
	c := r.dial(t)
	c.say(t, postHead+"Transfer-Encoding: chunked\r\n\r\n")
	for _, b := range small {
		c.say(t, "1\r\n"+string([]byte{b})+"\r\n") // byte for byte
	}
	c.say(t, "0\r\n\r\n")
	if a := c.hear(t, http.MethodPost); a.status != http.StatusOK {
		t.Errorf("status %d", a.status)
	}
	// The head of a long byte string is four bytes longer than that of "a".
	full := encode(t, batch{Epoch: 1, Entries: [][]byte{data(16<<20 - len(small) - 3)}})
	if len(full) != 16<<20 {
		t.Fatalf("the body has %d bytes", len(full))
	}
	for _, tt := range []struct {
		size int
		want int
	}{
		{len(full), http.StatusOK},
		{16<<20 + 1, http.StatusRequestEntityTooLarge},
	} {
		body := append(bytes.Clone(full), make([]byte, tt.size-len(full))...)
		a := r.do(t, http.MethodPost, path("notes"), cborHeader, struct{ io.Reader }{bytes.NewReader(body)})
		if a.status != tt.want {
			t.Errorf("%d bytes: status %d, want %d", tt.size, a.status, tt.want)
		}
		if a.status == http.StatusRequestEntityTooLarge {
			if p := a.problem(t); p.Limit == nil || *p.Limit != 16<<20 {
				t.Errorf("%+v", p)
			}
		}
	}
	c = r.dial(t)
	c.say(t, postHead+"Transfer-Encoding: chunked\r\n\r\nxyz\r\n")
	if p := c.hear(t, http.MethodPost).problem(t); p.Code != "bad_request" {
		t.Errorf("a malformed chunk: %+v", p)
	}
}

// A client that asks first is told to go on only if its body will be read.
func TestExpectContinue(t *testing.T) {
	r := start(t)
	body := string(encode(t, batch{Epoch: 1, Entries: [][]byte{[]byte("a")}}))
	c := r.dial(t)
	c.say(t, postHead+"Expect: 100-continue\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n")
	line, err := c.in.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := c.in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	c.say(t, body)
	if a := c.hear(t, http.MethodPost); a.status != http.StatusOK {
		t.Errorf("status %d", a.status)
	}
	for want, head := range map[int]string{
		http.StatusRequestEntityTooLarge: postHead + "Content-Length: 16777217\r\n",
		http.StatusUnsupportedMediaType:  "POST /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n",
		http.StatusForbidden:             strings.Replace(postHead, "localhost", "evil.example", 1) + "Content-Length: 5\r\n",
	} {
		c := r.dial(t)
		c.say(t, head+"Expect: 100-continue\r\n\r\n")
		if a := c.hear(t, http.MethodPost); a.status != want {
			t.Errorf("status %d, want %d without any 100 before", a.status, want)
		}
	}
}

// A body that breaks off is refused and recorded, and nothing of it is written.
func TestBodyBreaksOff(t *testing.T) {
	r := start(t)
	c := r.dial(t)
	c.say(t, postHead+"Content-Length: 100\r\n\r\n\xa2\x00\x01")
	tcp, ok := c.Conn.(*net.TCPConn)
	if !ok {
		t.Fatal("not a TCP connection")
	}
	if err := tcp.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if p := c.hear(t, http.MethodPost).problem(t); p.Code != "bad_request" {
		t.Errorf("%+v", p)
	}
	if recorded := r.records.takeRefusals(); len(recorded) != 1 || !errors.Is(recorded[0].Err, io.ErrUnexpectedEOF) {
		t.Errorf("recorded %+v", recorded)
	}
}

// inMemory is a listener whose connections are pipes, so that a test can let
// minutes pass in no time.
type inMemory struct {
	conns chan net.Conn
	ended context.Context
	end   context.CancelFunc
}

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended.Done():
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error {
	l.end()
	return nil
}

func (l *inMemory) Addr() net.Addr { return loopback{} }

type loopback struct{}

func (loopback) Network() string { return "tcp" }
func (loopback) String() string  { return "127.0.0.1:2451" }

// local is an end of a pipe that looks like a connection from this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return loopback{} }

// bubble is a relay in a time of its own.
type bubble struct {
	*relay
	t        *testing.T
	listener *inMemory
}

// inBubble runs a test on a relay in a bubble.
func inBubble(t *testing.T, test func(b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		b := &bubble{newRelay(t, nil), t, &inMemory{make(chan net.Conn), ctx, end}}
		server := &http.Server{Handler: b.handler, ReadHeaderTimeout: time.Minute}
		served := make(chan error)
		go func() { served <- server.Serve(b.listener) }()
		defer func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
			if err := b.store.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(b)
	})
}

func (b *bubble) dial() *conn {
	here, there := net.Pipe()
	b.t.Cleanup(func() { here.Close() })
	b.listener.conns <- local{there}
	return &conn{here, bufio.NewReader(here)}
}

// allIsFree checks that nothing of the budget is held.
func (b *bubble) allIsFree() {
	b.t.Helper()
	all, err := b.budget.Reserve(b.t.Context(), 64<<20)
	if err != nil {
		b.t.Fatalf("memory is lost: %v", err)
	}
	all.Release()
}

// A body that stops coming is given up in bounded time, whoever waits for it: its
// reader, or net/http after a refusal. Then its memory is free again.
func TestStalledBodies(t *testing.T) {
	for name, tt := range map[string]struct {
		head string
		want string
	}{
		"declared":      {postHead + "Content-Length: 16777216\r\n\r\n\xa2\x00", "bad_request"},
		"chunked":       {postHead + "Transfer-Encoding: chunked\r\n\r\n1\r\n\xa2\r\n", "bad_request"},
		"refused":       {"POST /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nx", "unsupported_media_type"},
		"refused early": {strings.Replace(postHead, "localhost", "evil.example", 1) + "Content-Length: 5\r\n\r\nx", "host_refused"},
		"of a read":     {"GET /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nx", "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				start := time.Now()
				c := b.dial()
				c.say(b.t, tt.head)
				if p := c.hear(b.t, http.MethodPost).problem(b.t); p.Code != tt.want {
					b.t.Errorf("%+v, want %s", p, tt.want)
				}
				if _, err := c.in.ReadByte(); !errors.Is(err, io.EOF) {
					b.t.Errorf("the connection is still of use: %v", err)
				}
				if took := time.Since(start); took > time.Minute {
					b.t.Errorf("given up after %v", took)
				}
				b.allIsFree()
			})
		})
	}
}

// A slow body arrives all the same, even if it takes minutes, and a wait on the
// same connection afterwards lasts as long as it should.
func TestSlowBody(t *testing.T) {
	inBubble(t, func(b *bubble) {
		body := encode(b.t, batch{Epoch: 1, Entries: [][]byte{data(4 << 20)}})
		c := b.dial()
		c.say(b.t, postHead+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n")
		start := time.Now()
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 256<<10)
			c.say(b.t, string(rest[:n]))
			rest = rest[n:]
			time.Sleep(20 * time.Second)
		}
		if a := c.hear(b.t, http.MethodPost); a.status != http.StatusOK {
			b.t.Errorf("after %v: status %d", time.Since(start), a.status)
		}
		start = time.Now()
		c.say(b.t, "GET /v1/wait?watch=none&timeout=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if a := c.hear(b.t, http.MethodGet); a.status != http.StatusOK || time.Since(start) != time.Minute {
			b.t.Errorf("after %v: status %d", time.Since(start), a.status)
		}
	})
}

// A reader that takes nothing of its page is given up, and the page's memory is
// free again.
func TestStalledReader(t *testing.T) {
	inBubble(t, func(b *bubble) {
		c := b.dial()
		body := encode(b.t, batch{Epoch: 1, Entries: [][]byte{data(4 << 20)}})
		c.say(b.t, postHead+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+string(body))
		if a := c.hear(b.t, http.MethodPost); a.status != http.StatusOK {
			b.t.Fatalf("status %d", a.status)
		}
		c.say(b.t, "GET /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\n\r\n")
		time.Sleep(time.Minute)
		if _, err := io.Copy(io.Discard, c.in); err != nil && !errors.Is(err, io.EOF) {
			b.t.Errorf("the connection: %v", err)
		}
		b.allIsFree()
	})
}

// Where there is no room for a body it waits unread; then the client is told to
// come again.
func TestBusy(t *testing.T) {
	inBubble(t, func(b *bubble) {
		all, err := b.budget.Reserve(b.t.Context(), 64<<20)
		if err != nil {
			b.t.Fatal(err)
		}
		body := string(encode(b.t, batch{Epoch: 1, Entries: [][]byte{[]byte("a")}}))
		for _, request := range []string{
			postHead + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body,
			"GET /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\n\r\n",
		} {
			c := b.dial()
			c.say(b.t, request)
			a := c.hear(b.t, http.MethodPost)
			if p := a.problem(b.t); p.Code != "busy" || p.Retry == nil || a.header.Get("Retry-After") != fmt.Sprint(*p.Retry) {
				b.t.Errorf("%+v, headers %v", p, a.header)
			}
		}
		c := b.dial()
		c.say(b.t, postHead+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
		synctest.Wait()
		all.Release()
		if a := c.hear(b.t, http.MethodPost); a.status != http.StatusOK {
			b.t.Errorf("status %d once there is room", a.status)
		}
	})
}
