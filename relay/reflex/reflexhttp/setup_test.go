package reflexhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hearth/relay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The messages, as another implementation would declare them.
type (
	envelope struct {
		Seq           uint64          `json:"seq"`
		ID            string          `json:"id"`
		TS            time.Time       `json:"ts"`
		StreamID      string          `json:"stream_id"`
		Actor         actor           `json:"actor"`
		Causation     *causation      `json:"causation"`
		CorrelationID string          `json:"correlation_id"`
		Event         json.RawMessage `json:"event"`
	}
	actor struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
		Name string `json:"name,omitempty"`
	}
	causation struct {
		FiringID string `json:"firing_id"`
		RunID    string `json:"run_id"`
		Depth    int    `json:"depth"`
	}
	published struct {
		Type      string `json:"type"`
		Seq       uint64 `json:"seq"`
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate"`
	}
	result struct {
		Type      string     `json:"type"`
		CommandID *string    `json:"command_id"`
		OK        bool       `json:"ok"`
		Outcome   *published `json:"outcome"`
		Rejection *rejection `json:"rejection"`
	}
	rejection struct {
		Type    string       `json:"type"`
		Message string       `json:"message"`
		Entity  string       `json:"entity,omitempty"`
		ID      string       `json:"id,omitempty"`
		Errors  []fieldError `json:"errors,omitempty"`
		Limit   int64        `json:"limit,omitempty"`
		Retry   int          `json:"retry,omitempty"`
	}
	fieldError struct {
		Loc  []string `json:"loc"`
		Msg  string   `json:"msg"`
		Type string   `json:"type"`
	}
	detail struct {
		Detail *rejection `json:"detail"`
	}
)

// statuses are those of rejections (contract, "REST", and what this relay adds).
var statuses = map[string]int{
	"not_found": 404, "invalid_state": 409, "validation_failed": 422, "depth_exceeded": 422, "forbidden": 403,
	"unsupported_protocol": 400, "unauthorized": 401, "method_not_allowed": 405, "too_large": 413,
	"rate_limited": 429, "internal": 500, "busy": 503, "storage_full": 507,
}

// decode reads a message in which nothing may be that it does not know.
func decode[M any](t testing.TB, body []byte) M {
	t.Helper()
	var m M
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%T: %v in %.200s", m, err, body)
	}
	if rest, err := io.ReadAll(d.Buffered()); err != nil || len(bytes.TrimSpace(rest)) > 0 {
		t.Fatalf("%T: %q follows, %v", m, rest, err)
	}
	return m
}

// home is a relay on a real socket.
type home struct {
	*relay.Relay
	address string
	client  *http.Client
	stop    func() // stops the relay, if it was not stopped yet
}

// open starts a relay on a folder until the test ends.
func open(t testing.TB, dir string, o relay.Options) *home {
	t.Helper()
	r, err := relay.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	transport := &http.Transport{}
	h := &home{Relay: r, address: l.Addr().String(), client: &http.Client{Transport: transport}}
	h.stop = sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

// start starts a relay on a new folder.
func start(t testing.TB) *home {
	t.Helper()
	return open(t, t.TempDir(), relay.Options{})
}

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and checks what holds for every answer.
func (h *home) do(t testing.TB, method, target string, header http.Header, body io.Reader) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.address+target, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
	resp, err := h.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return take(t, method, resp)
}

func take(t testing.TB, method string, resp *http.Response) answer {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{resp.StatusCode, resp.Header, body}
	a.check(t, method)
	return a
}

// check checks what is promised of every answer.
func (a answer) check(t testing.TB, method string) {
	t.Helper()
	for name, want := range map[string]string{
		"Cache-Control":                "no-store",
		"Content-Type":                 "application/json",
		"X-Content-Type-Options":       "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	size, err := strconv.Atoi(a.header.Get("Content-Length"))
	if err != nil || method != http.MethodHead && size != len(a.body) || method == http.MethodHead && len(a.body) > 0 {
		t.Errorf("%d bytes of body with Content-Length %q", len(a.body), a.header.Get("Content-Length"))
	}
	if method != http.MethodHead && !json.Valid(a.body) {
		t.Errorf("no JSON: %.200q", a.body)
	}
}

// rejection decodes a refusal and checks that its type and the status belong
// together.
func (a answer) rejection(t testing.TB) rejection {
	t.Helper()
	var r *rejection
	if bytes.HasPrefix(a.body, []byte(`{"detail":`)) {
		r = decode[detail](t, a.body).Detail
	} else {
		r = decode[result](t, a.body).Rejection
	}
	if r == nil {
		t.Fatalf("status %d without a rejection: %.200s", a.status, a.body)
	}
	if statuses[r.Type] != a.status || r.Message == "" {
		t.Errorf("status %d with %+v", a.status, *r)
	}
	if (r.Type == "validation_failed") != (len(r.Errors) > 0) {
		t.Errorf("a %s with the errors %v", r.Type, r.Errors)
	}
	return *r
}

// asJSON says what a body is.
var asJSON = http.Header{"Content-Type": {"application/json"}}

// with returns the headers of asJSON and more, given as name and value in turn.
func with(pairs ...string) http.Header {
	h := asJSON.Clone()
	for pair := range slices.Chunk(pairs, 2) {
		h.Set(pair[0], pair[1])
	}
	return h
}

func eventsOf(stream string) string   { return "/reflex/v1/streams/" + stream + "/events" }
func commandsOf(stream string) string { return "/reflex/v1/streams/" + stream + "/commands" }

// post sends events, whatever comes of it.
func (h *home) post(t testing.TB, stream, body string) answer {
	t.Helper()
	return h.do(t, http.MethodPost, eventsOf(stream), asJSON, strings.NewReader(body))
}

// publish sends events that have to be taken.
func (h *home) publish(t testing.TB, stream, body string) []published {
	t.Helper()
	a := h.post(t, stream, body)
	if a.status != http.StatusOK {
		t.Fatalf("publishing: %s", a.body)
	}
	return decode[[]published](t, a.body)
}

// publishMany sends n events, {"type":"count","n":1} and so on.
func (h *home) publishMany(t testing.TB, stream string, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"events":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"event":{"type":"count","n":%d}}`, i+1)
	}
	b.WriteString(`]}`)
	h.publish(t, stream, b.String())
}

// command sends a command's frame, whatever comes of it.
func (h *home) command(t testing.TB, stream, frame string) (result, int) {
	t.Helper()
	a := h.do(t, http.MethodPost, commandsOf(stream), asJSON, strings.NewReader(frame))
	r := decode[result](t, a.body)
	if r.Type != "command_result" || r.OK != (r.Rejection == nil) || r.OK != (a.status == http.StatusOK) {
		t.Errorf("status %d with %s", a.status, a.body)
	}
	return r, a.status
}

// page reads a page that has to be there.
func (h *home) page(t testing.TB, stream, query string) ([]envelope, http.Header) {
	t.Helper()
	a := h.do(t, http.MethodGet, eventsOf(stream)+query, nil, nil)
	if a.status != http.StatusOK {
		t.Fatalf("reading: %s", a.body)
	}
	return decode[[]envelope](t, a.body), a.header
}

// conn is a connection on which a test says just what it likes.
type conn struct {
	net.Conn
	in *bufio.Reader
}

func (h *home) dial(t testing.TB) *conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &conn{c, bufio.NewReader(c)}
}

func (c *conn) say(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// hear reads an answer, other than to HEAD.
func (c *conn) hear(t testing.TB) answer {
	t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return take(t, http.MethodGet, resp)
}
