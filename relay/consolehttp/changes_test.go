package consolehttp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// patience is how long anything may take; only what hangs does.
const patience = time.Minute

func heard(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatalf("nothing is heard of %s", what)
	}
}

// counted counts who follows the changes of a relay.
type counted struct {
	console.Relay
	following *atomic.Int32
}

func (c counted) Changes() (<-chan struct{}, func()) {
	changed, stop := c.Relay.Changes()
	c.following.Add(1)
	return changed, func() { stop(); c.following.Add(-1) }
}

// Whoever follows hears of what is written, also of what came before it was
// there, and leaves nothing behind when it stops.
func TestChanges(t *testing.T) {
	r, url := start(t)
	following := new(atomic.Int32)
	r.ShowOwner(counted{r.Console(), following})
	c := client(t, r, url)
	changed, stop := c.Changes()
	heard(t, changed, "the beginning")
	for range 3 {
		write(t, url, "notes", "one")
		heard(t, changed, "a write")
	}
	stop()
	for end := time.Now().Add(patience); following.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d still follow", following.Load())
		}
	}
}

// There is an end to how many follow, and room again when one leaves.
func TestChangesBounded(t *testing.T) {
	r, url := start(t)
	follow := func() (*http.Response, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/admin/changes", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+r.OwnerToken())
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		return response, cancel
	}
	var last context.CancelFunc
	for n := range 16 {
		response, cancel := follow()
		defer response.Body.Close()
		defer cancel()
		if last = cancel; response.StatusCode != http.StatusOK {
			t.Fatalf("follower %d is answered %s", n, response.Status)
		}
	}
	response, cancel := follow()
	response.Body.Close()
	cancel()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many is answered %s", response.Status)
	}
	last()
	for status := 0; status != http.StatusOK; {
		response, cancel := follow()
		status = response.StatusCode
		response.Body.Close()
		cancel()
	}
}

// A relay that stops does not wait for those who follow it. They hear of it, and
// of its coming back in another place with another token.
func TestChangesFollowRestart(t *testing.T) {
	dir := t.TempDir()
	var place atomic.Pointer[[2]string]
	begin := func() (end func()) {
		r, err := relay.Open(t.Context(), dir, relay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- r.Serve(l) }()
		place.Store(&[2]string{"http://" + l.Addr().String(), r.OwnerToken()})
		return func() {
			if err := errors.Join(r.Shutdown(context.Background()), <-served); err != nil {
				t.Error(err)
			}
		}
	}
	end := begin()
	c := consolehttp.NewClient(func() (string, string, error) { p := place.Load(); return p[0], p[1], nil })
	defer c.Close()
	changed, stop := c.Changes()
	defer stop()
	heard(t, changed, "the beginning")

	end()
	heard(t, changed, "the end")
	_, err := c.Overview(t.Context())
	if gone, ok := errors.AsType[*consolehttp.UnreachableError](err); !ok || gone.URL != place.Load()[0] {
		t.Errorf("a relay that has stopped: %v", err)
	}
	end = begin()
	heard(t, changed, "the relay's return")
	if _, err := c.Overview(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	end()
}

// A relay that cannot be found is said to be so in the words of whoever looks.
func TestNotFound(t *testing.T) {
	lost := errors.New("it does not run")
	c := consolehttp.NewClient(func() (string, string, error) { return "", "", lost })
	defer c.Close()
	if _, err := c.Overview(t.Context()); !errors.Is(err, lost) {
		t.Error(err)
	}
}
