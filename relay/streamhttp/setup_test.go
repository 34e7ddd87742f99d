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
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"go.uber.org/goleak"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
	"hearth/relay/streamhttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The messages, as another implementation would declare them.
type (
	batch struct {
		Epoch   uint64   `cbor:"0,keyasint"`
		Entries [][]byte `cbor:"1,keyasint"`
		Stream  []byte   `cbor:"2,keyasint,omitempty"`
		First   uint64   `cbor:"3,keyasint,omitempty"`
	}
	written struct {
		Stream   []byte `cbor:"0,keyasint"`
		Epoch    uint64 `cbor:"1,keyasint"`
		First    uint64 `cbor:"2,keyasint"`
		Last     uint64 `cbor:"3,keyasint"`
		Repeated bool   `cbor:"4,keyasint"`
	}
	page struct {
		Stream  []byte  `cbor:"0,keyasint"`
		Epoch   uint64  `cbor:"1,keyasint"`
		Head    uint64  `cbor:"2,keyasint"`
		Entries []entry `cbor:"3,keyasint"`
	}
	entry struct {
		Seq       uint64 `cbor:"0,keyasint"`
		Epoch     uint64 `cbor:"1,keyasint"`
		Hash      []byte `cbor:"2,keyasint"`
		Data      []byte `cbor:"3,keyasint"`
		EndsBatch bool   `cbor:"4,keyasint"`
	}
	heads struct {
		Heads []head `cbor:"0,keyasint"`
	}
	head struct {
		Stream string `cbor:"0,keyasint"`
		ID     []byte `cbor:"1,keyasint"`
		Head   uint64 `cbor:"2,keyasint"`
	}
	limits struct {
		Write          bool    `cbor:"0,keyasint"`
		Body           uint64  `cbor:"1,keyasint"`
		Entry          uint64  `cbor:"2,keyasint"`
		Quota          *uint64 `cbor:"3,keyasint"`
		Used           *uint64 `cbor:"4,keyasint"`
		Rate           *uint64 `cbor:"5,keyasint"`
		PageEntries    uint64  `cbor:"6,keyasint"`
		PageEntriesMax uint64  `cbor:"7,keyasint"`
		PageBytes      uint64  `cbor:"8,keyasint"`
		WaitMax        uint64  `cbor:"9,keyasint"`
		Watches        uint64  `cbor:"10,keyasint"`
	}
	problem struct {
		Code    string  `cbor:"0,keyasint"`
		Message string  `cbor:"1,keyasint"`
		Head    *uint64 `cbor:"2,keyasint"`
		Epoch   *uint64 `cbor:"3,keyasint"`
		Limit   *uint64 `cbor:"4,keyasint"`
		Retry   *uint64 `cbor:"5,keyasint"`
	}
)

// strict takes only what the contract allows in an answer.
var strict = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxArrayElements:  1 << 20,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

func decode[M any](t testing.TB, body []byte) M {
	t.Helper()
	var m M
	if err := strict.Unmarshal(body, &m); err != nil {
		t.Fatalf("%T: %v in %.60x", m, err, body)
	}
	return m
}

func encode(t testing.TB, message any) []byte {
	t.Helper()
	b, err := cbor.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// records keeps what an observer hears.
type records struct {
	mu       sync.Mutex
	refusals []streamhttp.Refusal
	wrote    []store.Written
	pages    int
	waited   []int
	waiting  atomic.Int64
}

func (r *records) Wrote(_ context.Context, _ access.Visitor, _ store.Ref, w store.Written, _ int, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote = append(r.wrote, w)
}

func (r *records) Read(context.Context, access.Visitor, store.Ref, store.Page, int, time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages++
}

func (r *records) Waiting(delta int) { r.waiting.Add(int64(delta)) }

func (r *records) Waited(_ context.Context, _ access.Visitor, _, differ int, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited = append(r.waited, differ)
}

func (r *records) Refused(_ context.Context, refusal streamhttp.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusals = append(r.refusals, refusal)
}

// takeRefusals returns the refusals since the last call.
func (r *records) takeRefusals() []streamhttp.Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.refusals
	r.refusals = nil
	return taken
}

// relay is all that a request passes, on a real store, behind a real socket
// unless a test serves it otherwise.
type relay struct {
	store   *sqlite.Store
	hub     notify.Hub
	records records
	open    atomic.Bool // the door
	closing atomic.Bool
	broken  atomic.Bool // whether asking for the relay's health or for heads panics
	failing atomic.Bool // whether asking whether it stops panics
	budget  *guard.Budget
	sending *guard.Lanes
	streams *streamhttp.Handler
	handler http.Handler

	addr   string
	client *http.Client
}

// fragile is a store in which a mistake can come up.
type fragile struct {
	*sqlite.Store
	broken *atomic.Bool
}

func (f fragile) Heads(ctx context.Context, space string, names []string) ([]store.State, error) {
	if f.broken.Load() {
		panic("boom")
	}
	return f.Store.Heads(ctx, space, names)
}

// ownerToken is the owner's token of every relay in these tests.
var ownerToken = access.NewOwnerToken()

// newRelay returns a relay that is not served yet.
func newRelay(t testing.TB, metrics http.Handler) *relay {
	t.Helper()
	r := &relay{budget: guard.NewBudget(64 << 20), sending: guard.NewLanes(1<<20, 32<<20)}
	var err error
	r.store, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), sqlite.Options{Publish: r.hub.Publish})
	if err != nil {
		t.Fatal(err)
	}
	r.streams = streamhttp.New(streamhttp.Options{
		Store:    fragile{r.store, &r.broken},
		Hub:      &r.hub,
		Observer: &r.records,
		Bodies:   r.budget,
		Pages:    r.budget,
		Sending:  r.sending,
		Metrics:  metrics,
		Closing: func() bool {
			if r.broken.Load() || r.failing.Load() {
				panic("boom")
			}
			return r.closing.Load()
		},
	})
	g, err := guard.New(guard.Rules{
		Origins: []string{"https://notes.example"},
		// The tests' own machine is a proxy, so that visitors from elsewhere can
		// be had.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	})
	if err != nil {
		t.Fatal(err)
	}
	door := &access.Door{Open: r.open.Load, OwnerToken: ownerToken}
	r.handler = g.Handler(door.Handler(r.streams, r.streams.Refuse), r.streams.Refuse)
	return r
}

// start serves a relay until the test ends.
func start(t testing.TB) *relay {
	t.Helper()
	return startWith(t, nil)
}

func startWith(t testing.TB, metrics http.Handler) *relay {
	t.Helper()
	r := newRelay(t, metrics)
	server := httptest.NewUnstartedServer(r.handler)
	server.Config.DisableGeneralOptionsHandler = true
	server.Start()
	r.addr = server.Listener.Addr().String()
	r.client = server.Client()
	t.Cleanup(func() {
		r.hub.Close() // lets go of those that wait
		server.Close()
		r.streams.Close(context.Background())
		if err := r.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and checks what holds for every answer.
func (r *relay) do(t testing.TB, method, target string, header http.Header, body io.Reader) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.addr+target, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
	resp, err := r.client.Do(req)
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

// check checks what the contract and the house promise of every answer.
func (a answer) check(t testing.TB, method string) {
	t.Helper()
	for name, want := range map[string]string{
		"Cache-Control":                "no-store",
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
	if a.status >= 300 && method != http.MethodHead {
		a.problem(t)
	}
}

// problem decodes a refusal and checks that code and status belong together.
func (a answer) problem(t testing.TB) problem {
	t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/cbor" {
		t.Fatalf("status %d with Content-Type %q: %.80q", a.status, got, a.body)
	}
	p := decode[problem](t, a.body)
	if protocol.Code(p.Code).Status() != a.status || p.Message == "" {
		t.Errorf("status %d with %+v", a.status, p)
	}
	return p
}

var cborHeader = http.Header{"Content-Type": {"application/cbor"}}

func path(stream string) string { return "/v1/streams/" + stream + "/entries" }

// post sends a batch, whatever comes of it.
func (r *relay) post(t testing.TB, stream string, b batch) answer {
	t.Helper()
	return r.do(t, http.MethodPost, path(stream), cborHeader, bytes.NewReader(encode(t, b)))
}

// write writes a batch that has to be taken.
func (r *relay) write(t testing.TB, stream string, b batch) written {
	t.Helper()
	a := r.post(t, stream, b)
	if a.status != http.StatusOK {
		t.Fatalf("writing: %+v", a.problem(t))
	}
	return decode[written](t, a.body)
}

// writeEntries writes entries in epoch 1.
func (r *relay) writeEntries(t testing.TB, stream string, data ...string) written {
	t.Helper()
	entries := make([][]byte, len(data))
	for i, d := range data {
		entries[i] = []byte(d)
	}
	return r.write(t, stream, batch{Epoch: 1, Entries: entries})
}

// read reads a page that has to be there.
func (r *relay) read(t testing.TB, stream, query string) page {
	t.Helper()
	a := r.do(t, http.MethodGet, path(stream)+query, nil, nil)
	if a.status != http.StatusOK {
		t.Fatalf("reading: %+v", a.problem(t))
	}
	return decode[page](t, a.body)
}

// wait waits and returns what is told.
func (r *relay) wait(t testing.TB, query string) []head {
	t.Helper()
	a := r.do(t, http.MethodGet, "/v1/wait?"+query, nil, nil)
	if a.status != http.StatusOK {
		t.Fatalf("waiting: %+v", a.problem(t))
	}
	told := decode[heads](t, a.body).Heads
	if told == nil {
		t.Fatalf("heads without a list: %x", a.body)
	}
	return told
}

// cursor spells a cursor.
func cursor(seq uint64, stream, hash []byte) string {
	return fmt.Sprintf("%d.%x.%x", seq, stream, hash)
}

// after returns the cursor of a page's last entry.
func (p page) after() string {
	last := p.Entries[len(p.Entries)-1]
	return cursor(last.Seq, p.Stream, last.Hash)
}

// conn is a connection on which a test says just what it likes.
type conn struct {
	net.Conn
	in *bufio.Reader
}

func (r *relay) dial(t testing.TB) *conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return &conn{c, bufio.NewReader(c)}
}

func (c *conn) say(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// hear reads an answer to a request with the given method.
func (c *conn) hear(t testing.TB, method string) answer {
	t.Helper()
	resp, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return take(t, method, resp)
}

// eventually waits for something that another goroutine is about to do.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happens: %s", what)
		}
	}
}

// data returns n bytes.
func data(n int) []byte { return []byte(strings.Repeat("x", n)) }
