package reflexhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// room is how much memory for bodies and pages there is in a bubble, in bytes.
const room = 64 << 20

// bubble is a relay in a time of its own, so that minutes pass in no time.
type bubble struct {
	t        *testing.T
	store    *sqlite.Store
	budget   *guard.Budget
	broken   atomic.Bool // whether reading panics
	refusals refusals
	handler  *reflexhttp.Handler
	conns    chan net.Conn
}

// refusals keeps what an observer hears of them.
type refusals struct {
	reflexhttp.Observer // nil: nothing else is heard of
	mu                  sync.Mutex
	list                []reflexhttp.Refusal
}

func (r *refusals) Refused(_ context.Context, refusal reflexhttp.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, refusal)
}

func (*refusals) Published(context.Context, access.Visitor, store.Ref, []store.Published, int, time.Duration) {
}

func (*refusals) Commanded(context.Context, access.Visitor, store.Ref, reflex.CommandResult, int, time.Duration) {
}

func (*refusals) Paged(context.Context, access.Visitor, store.Ref, reflex.Page, int, time.Duration, error) {
}

// fragile is a store in which a mistake can come up.
type fragile struct {
	*sqlite.Store
	broken *atomic.Bool
}

func (f fragile) Page(ctx context.Context, r store.Read) (store.Page, error) {
	if f.broken.Load() {
		panic("boom")
	}
	return f.Store.Page(ctx, r)
}

// newBubble returns a relay that is not served yet.
func newBubble(t *testing.T) *bubble {
	t.Helper()
	b := &bubble{t: t, budget: guard.NewBudget(room), conns: make(chan net.Conn)}
	hub := new(notify.Hub)
	var err error
	b.store, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), sqlite.Options{Publish: hub.Publish})
	if err != nil {
		t.Fatal(err)
	}
	door := access.Door{Open: func() bool { return false }}
	b.handler = reflexhttp.New(reflexhttp.Options{
		Service:  reflex.New(reflex.Options{Store: fragile{b.store, &b.broken}, Hub: hub, Pages: b.budget}),
		Observer: &b.refusals, Show: door.Show, Bodies: b.budget, Pages: b.budget, Sending: b.budget,
	})
	return b
}

// close ends it.
func (b *bubble) close() {
	b.handler.Close(context.Background())
	if err := b.store.Close(); err != nil {
		b.t.Error(err)
	}
}

// inBubble runs a test on a relay in a bubble.
func inBubble(t *testing.T, test func(b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		g, err := guard.New(guard.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		door := access.Door{Open: func() bool { return false }}
		server := &http.Server{Handler: g.Handler(door.Handler(b.handler, b.handler.Refuse), b.handler.Refuse), ReadHeaderTimeout: time.Minute}
		served := make(chan error)
		ctx, end := context.WithCancel(t.Context())
		go func() { served <- server.Serve(inMemory{b.conns, ctx, end}) }()
		defer func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
			b.close()
		}()
		test(b)
	})
}

// inMemory is a listener whose connections are pipes.
type inMemory struct {
	conns chan net.Conn
	ended context.Context
	end   context.CancelFunc
}

func (l inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended.Done():
		return nil, net.ErrClosed
	}
}

func (l inMemory) Close() error {
	l.end()
	return nil
}

func (l inMemory) Addr() net.Addr { return loopback{} }

type loopback struct{}

func (loopback) Network() string { return "tcp" }
func (loopback) String() string  { return "127.0.0.1:2451" }

// local is an end of a pipe that looks like a connection from this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return loopback{} }

func (b *bubble) dial() *conn {
	here, there := net.Pipe()
	b.t.Cleanup(func() { here.Close() })
	b.conns <- local{there}
	return &conn{here, bufio.NewReader(here)}
}

// allIsFree checks that nothing of the budget is held.
func (b *bubble) allIsFree() {
	b.t.Helper()
	all, err := b.budget.Reserve(b.t.Context(), room)
	if err != nil {
		b.t.Fatalf("memory is lost: %v", err)
	}
	all.Release()
}

// postHead begins a request that sends JSON to a path.
func postHead(path string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
}

// A body that stops coming is given up in bounded time, with a reason, and its
// memory is free again.
func TestStalledBodies(t *testing.T) {
	for name, head := range map[string]string{
		"events":          postHead(eventsOf("a")) + "Content-Length: 16777216\r\n\r\n{\"type\":",
		"events, chunked": postHead(eventsOf("a")) + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"a command":       postHead(commandsOf("a")) + "Content-Length: 100\r\n\r\n{\"command_id\":\"c1\",",
		"a type":          strings.Replace(postHead("/reflex/v1/types/a"), "POST", "PUT", 1) + "Content-Length: 100\r\n\r\n{",
		"of a read":       "GET " + eventsOf("a") + "?limit=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nx",
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				start := time.Now()
				c := b.dial()
				c.say(b.t, head)
				if r := c.hear(b.t).rejection(b.t); r.Type != "validation_failed" {
					b.t.Errorf("%+v", r)
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

// A slow body arrives all the same, even if it takes minutes.
func TestSlowBody(t *testing.T) {
	inBubble(t, func(b *bubble) {
		body := `{"type":"slow","text":"` + strings.Repeat("x", 1<<20) + `"}`
		c := b.dial()
		c.say(b.t, postHead(eventsOf("a"))+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n")
		for rest := body; rest != ""; {
			n := min(len(rest), 192<<10)
			c.say(b.t, rest[:n])
			rest = rest[n:]
			time.Sleep(20 * time.Second)
		}
		if a := c.hear(b.t); a.status != http.StatusOK {
			b.t.Errorf("status %d", a.status)
		}
		b.allIsFree()
	})
}

// A client that takes nothing of a long answer is given up, and the answer's memory
// is free again; what it published is there.
func TestStalledReader(t *testing.T) {
	large := `{"type":"large","text":"` + strings.Repeat("x", 4<<20) + `"}`
	many := `{"events":[` + strings.Repeat(`{"event":{"type":"a"}},`, 9_999) + `{"event":{"type":"a"}}]}`
	for name, request := range map[string]string{
		"a page":     "GET " + eventsOf("a") + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"an outcome": postHead(eventsOf("b")) + "Content-Length: " + strconv.Itoa(len(many)) + "\r\n\r\n" + many,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				c := b.dial()
				c.say(b.t, postHead(eventsOf("a"))+"Content-Length: "+strconv.Itoa(len(large))+"\r\n\r\n"+large)
				if a := c.hear(b.t); a.status != http.StatusOK {
					b.t.Fatalf("status %d", a.status)
				}
				c.say(b.t, request)
				time.Sleep(time.Minute)
				if _, err := io.Copy(io.Discard, c.in); err != nil && !errors.Is(err, io.EOF) {
					b.t.Errorf("the connection: %v", err)
				}
				b.allIsFree()
				if name == "an outcome" {
					if s, err := b.store.Stream(b.t.Context(), store.Ref{Space: "default", Name: "b"}); err != nil || s.Head != 10_000 {
						b.t.Errorf("the head is %d, %v", s.Head, err)
					}
				}
			})
		})
	}
}

// Where there is no room the client is told to come again, and when; a command's
// id may be used again then.
func TestBusy(t *testing.T) {
	inBubble(t, func(b *bubble) {
		all, err := b.budget.Reserve(b.t.Context(), room)
		if err != nil {
			b.t.Fatal(err)
		}
		frame := publishFrame("c1", `{"type":"a"}`)
		command := postHead(commandsOf("a")) + "Content-Length: " + strconv.Itoa(len(frame)) + "\r\n\r\n" + frame
		for _, request := range []string{
			command, postHead(eventsOf("a")) + "Content-Length: 12\r\n\r\n{\"type\":\"a\"}",
			"GET " + eventsOf("a") + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
			"GET /reflex/v1/types HTTP/1.1\r\nHost: localhost\r\n\r\n",
		} {
			c := b.dial()
			c.say(b.t, request)
			a := c.hear(b.t)
			if r := a.rejection(b.t); r.Type != "busy" || r.Retry == 0 || a.header.Get("Retry-After") != fmt.Sprint(r.Retry) {
				b.t.Errorf("%+v, headers %v", r, a.header)
			}
		}
		all.Release()
		c := b.dial()
		c.say(b.t, command)
		if a := c.hear(b.t); a.status != http.StatusOK {
			b.t.Errorf("%s", a.body)
		}
	})
}

// A store that is closed means a relay that stops: clients are told to come again.
func TestStopping(t *testing.T) {
	h := newBubble(t)
	h.close()
	for _, request := range []struct{ method, target, body string }{
		{http.MethodGet, eventsOf("a"), ""},
		{http.MethodPost, eventsOf("a"), `{"type":"a"}`},
		{http.MethodPost, commandsOf("a"), publishFrame("c1", `{"type":"a"}`)},
		{http.MethodGet, "/reflex/v1/types", ""},
	} {
		if a := h.ask(request.method, request.target, request.body); a.rejection(t).Type != "busy" || a.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %s", request.method, request.target, a.body)
		}
	}
}

// ask puts a request to the handler as the door would.
func (b *bubble) ask(method, target, body string) answer {
	r := httptest.NewRequestWithContext(b.t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r.WithContext(access.NewContext(r.Context(), access.Visitor{Space: "default", Loopback: true})))
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}

// A mistake in the program is answered as internal, without a word of it, and
// recorded with where it happened.
func TestPanic(t *testing.T) {
	b := newBubble(t)
	defer b.close()
	b.ask(http.MethodPost, eventsOf("a"), `{"type":"a"}`)
	b.broken.Store(true)
	a := b.ask(http.MethodGet, eventsOf("a"), "")
	if r := a.rejection(t); r.Type != "internal" || strings.Contains(r.Message, "boom") {
		t.Errorf("%s", a.body)
	}
	if len(b.refusals.list) != 1 {
		t.Fatalf("recorded %+v", b.refusals.list)
	}
	why, ok := errors.AsType[*guard.PanicError](b.refusals.list[0].Err)
	if !ok || why.Value != "boom" || !bytes.Contains(why.Stack, []byte("read.go")) {
		t.Errorf("the cause is %v", b.refusals.list[0].Err)
	}
	b.allIsFree()
}

// A request that did not pass the door is not served, as nobody knows whose it is.
func TestWithoutDoor(t *testing.T) {
	b := newBubble(t)
	defer b.close()
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, eventsOf("a"), http.NoBody))
	var got detail
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusInternalServerError || got.Detail.Type != "internal" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
