package relay_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"hearth/relay"
	"hearth/relay/console"
)

// home is a relay that serves on a loopback address.
type home struct {
	*relay.Relay
	url    string
	client *http.Client
}

func open(t *testing.T, dir string) *home {
	t.Helper()
	r, err := relay.Open(t.Context(), dir, relay.Options{Name: "Test", Version: "1.2.3"})
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
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &home{r, "http://" + l.Addr().String(), &http.Client{Transport: transport}}
}

// append writes a batch through HTTP.
func (h *home) append(t *testing.T, stream string, epoch uint32, entries ...[]byte) (status int) {
	t.Helper()
	body, err := cbor.Marshal(batchMessage{Epoch: epoch, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	var written writtenMessage
	status, err = ask(h.client, http.MethodPost, h.url+"/v1/streams/"+stream+"/entries", body, &written)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// A data folder has one relay at a time, and is free again when that has
// stopped; what it holds is in one file then.
func TestOneRelayToAFolder(t *testing.T) {
	dir := t.TempDir()
	r, err := relay.Open(t.Context(), dir, relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Open(t.Context(), dir, relay.Options{}); !isA[*relay.InUseError](err) {
		t.Errorf("a second relay: %v", err)
	}
	id := r.ID()
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm", ".new"} {
		if _, err := os.Stat(filepath.Join(dir, "hearth.db"+suffix)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("hearth.db%s is left: %v", suffix, err)
		}
	}
	if r, err = relay.Open(t.Context(), dir, relay.Options{}); err != nil {
		t.Fatal(err)
	}
	if r.ID() != id {
		t.Error("the relay has another id after a restart")
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A folder that cannot be used is told from one that is in use.
func TestFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := relay.Open(t.Context(), dir, relay.Options{}); !isA[*relay.FolderError](err) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := relay.Look(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking where no relay has been: %v", err)
	}
}

// The data of a relay that does not run can be looked at, which leaves nothing
// beside it and keeps relays out only as long as it takes; that of one that runs
// cannot.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.append(t, "notes", 1, []byte("one"))
	if err := h.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, err := relay.Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	starting := make(chan error, 1)
	go func() {
		r, err := relay.Open(context.Background(), dir, relay.Options{})
		if err == nil {
			_, looked := relay.Look(t.Context(), dir)
			if !isA[*relay.InUseError](looked) {
				t.Errorf("looking at a relay that runs: %v", looked)
			}
			err = r.Shutdown(context.Background())
		}
		starting <- err
	}()
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-starting; err != nil {
			t.Errorf("starting behind a look: %v", err)
		}
	}()
	if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
	o, err := s.Overview(t.Context())
	if err != nil || o.ID != h.ID() || o.Entries != 1 {
		t.Errorf("overview %+v, %v", o, err)
	}
	data, err := s.EntryData(t.Context(), console.StreamRef{Space: "default", Name: "notes"}, 1)
	if err != nil || string(data) != "one" {
		t.Errorf("entry 1 is %q, %v", data, err)
	}
}

// Stalled clients do not hold up a stop: one that sends half a header, one that
// sends half a body and one that does not read its page.
func TestStopWithStalledClients(t *testing.T) {
	h := open(t, t.TempDir())
	h.append(t, "large", 1, make([]byte, 15<<20))
	address := h.url[len("http://"):]
	for _, request := range []string{
		"GET /v1/wait HTTP/1.1\r\nHos",
		"POST /v1/streams/a/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\nContent-Length: 100\r\n\r\nhalf",
		"GET /v1/streams/large/entries HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil || ctx.Err() != nil {
		t.Errorf("stopping: %v, %v", err, ctx.Err())
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// A wait goes on when the listener that it came through is closed, as when the
// relay moves to another port.
func TestWaitOutlivesItsListener(t *testing.T) {
	r, err := relay.Open(t.Context(), t.TempDir(), relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &home{Relay: r, client: &http.Client{Transport: &http.Transport{}}}
	defer h.client.CloseIdleConnections()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + l.Addr().String()
	served, answered := make(chan error, 1), make(chan headsMessage, 1)
	go func() { served <- r.Serve(l) }()
	go func() {
		var heads headsMessage
		if status, err := ask(h.client, http.MethodGet, h.url+"/v1/wait?watch=notes&timeout=60", nil, &heads); err != nil || status != http.StatusOK {
			t.Errorf("status %d, %v", status, err)
		}
		answered <- heads
	}()
	for waiting := 0; waiting == 0; {
		o, err := r.Console().Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting = o.Waiting
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	moved := make(chan error, 1)
	go func() { moved <- r.Serve(elsewhere) }()
	other := &home{Relay: r, url: "http://" + elsewhere.Addr().String(), client: &http.Client{Transport: &http.Transport{}}}
	defer other.client.CloseIdleConnections()
	if status := other.append(t, "notes", 1, []byte("x")); status != http.StatusOK {
		t.Fatal(status)
	}
	if heads := <-answered; len(heads.Heads) != 1 || heads.Heads[0].Head != 1 {
		t.Errorf("the wait was told %+v", heads)
	}
	if err := errors.Join(r.Shutdown(context.Background()), <-served, <-moved); err != nil {
		t.Error(err)
	}
}
