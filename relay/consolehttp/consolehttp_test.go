package consolehttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a relay behind a real socket and returns it with its URL.
func start(t *testing.T) (*relay.Relay, string) {
	t.Helper()
	r, err := relay.Open(t.Context(), t.TempDir(), relay.Options{Name: "Test", Version: "v0"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := errors.Join(r.Shutdown(context.Background()), <-served); err != nil {
			t.Error(err)
		}
	})
	return r, "http://" + l.Addr().String()
}

// client returns a client with the owner's token.
func client(t *testing.T, r *relay.Relay, url string) *consolehttp.Client {
	t.Helper()
	c := consolehttp.NewClient(consolehttp.At(url, r.OwnerToken()))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// write appends a batch to a stream the way an app does.
func write(t *testing.T, url, stream string, entries ...string) {
	t.Helper()
	data := make([][]byte, len(entries))
	for i, e := range entries {
		data[i] = []byte(e)
	}
	body, err := cbor.Marshal(map[int]any{0: 0, 1: data})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/v1/streams/"+stream+"/entries", "application/cbor", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("writing answered %s", response.Status)
	}
}

// What the client tells is what the console in the relay's own process tells.
func TestSame(t *testing.T) {
	r, url := start(t)
	for i := range 3 {
		write(t, url, fmt.Sprintf("s%d", i), "one", "two")
	}
	write(t, url, "s1", "", string(bytes.Repeat([]byte{0xff, 0}, 5000)))
	if response, err := http.Get(url + "/v1/streams/none/entries"); err != nil {
		t.Fatal(err)
	} else {
		response.Body.Close()
	}

	here, there, ctx := r.Console(), client(t, r, url), t.Context()
	same(t, "Overview", func(c console.Relay) (any, error) {
		o, err := c.Overview(ctx)
		o.Started = o.Started.Round(0).UTC() // JSON keeps neither the monotonic clock nor a zone's name
		o.DiskFree, o.DiskUsed = 0, 0        // others write to this disk
		o.Checked = o.Checked.Round(0).UTC()
		return o, err
	}, here, there)
	for _, after := range []console.StreamRef{{}, {Space: "default", Name: "s0"}, {Space: "default", Name: "s2"}, {Space: "x"}} {
		for _, limit := range []int{1, 2, 1000} {
			same(t, fmt.Sprint("Streams", after, limit), func(c console.Relay) (any, error) {
				streams, err := c.Streams(ctx, after, limit)
				for i := range streams {
					streams[i].CreatedAt, streams[i].WrittenAt = streams[i].CreatedAt.UTC(), streams[i].WrittenAt.UTC()
				}
				return streams, err
			}, here, there)
		}
	}
	ref := console.StreamRef{Space: "default", Name: "s1"}
	for _, before := range []uint64{0, 1, 3, 5, 1 << 63} {
		same(t, fmt.Sprint("Entries", before), func(c console.Relay) (any, error) {
			entries, err := c.Entries(ctx, ref, before, 3)
			for i := range entries {
				entries[i].WrittenAt = entries[i].WrittenAt.UTC()
			}
			return entries, err
		}, here, there)
	}
	for position := range uint64(6) {
		same(t, fmt.Sprint("EntryData", position), func(c console.Relay) (any, error) {
			data, err := c.EntryData(ctx, ref, position)
			return string(data), err
		}, here, there)
	}
	same(t, "Refusals", func(c console.Relay) (any, error) {
		refusals, err := c.Refusals(ctx)
		for i := range refusals {
			refusals[i].First, refusals[i].Last = refusals[i].First.Round(0).UTC(), refusals[i].Last.Round(0).UTC()
		}
		return refusals, err
	}, here, there)
	for _, limit := range []int{1, 100} {
		same(t, "Epochs", func(c console.Relay) (any, error) { return c.Epochs(ctx, ref, limit) }, here, there)
	}
	for _, only := range []console.StreamRef{{}, ref, {Space: "default", Name: "none"}} {
		same(t, fmt.Sprint("Verify", only), func(c console.Relay) (any, error) {
			v, err := c.Verify(ctx, only, nil)
			v.Took = 0
			return v, err
		}, here, there)
	}
	stream, err := here.Stream(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{
		fmt.Sprintf("4.%s.%s", stream.Identity, stream.Link), fmt.Sprintf("9.%s.%s", stream.Identity, stream.Link),
		fmt.Sprintf("3.%s.%s", stream.Identity, stream.Link), fmt.Sprintf("4.%032d.%s", 0, stream.Link), "none", "",
	} {
		same(t, "Check "+cursor, func(c console.Relay) (any, error) { return c.Check(ctx, ref, cursor) }, here, there)
	}
	same(t, "Activity", func(c console.Relay) (any, error) {
		a, err := c.Activity(ctx)
		for i := range a.Minutes {
			a.Minutes[i].Start = a.Minutes[i].Start.UTC()
		}
		for i := range a.Devices {
			a.Devices[i].Seen = a.Devices[i].Seen.Round(0).UTC()
		}
		return a, err
	}, here, there)
	same(t, "no such stream", func(c console.Relay) (any, error) {
		return c.Stream(ctx, console.StreamRef{Space: "default", Name: "none"})
	}, here, there)
}

func same(t *testing.T, what string, ask func(console.Relay) (any, error), here, there console.Relay) {
	t.Helper()
	want, wantErr := ask(here)
	got, gotErr := ask(there)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s over HTTP (-here +there):\n%s", what, diff)
	}
	if (wantErr == nil) != (gotErr == nil) || errors.Is(wantErr, console.ErrNotFound) != errors.Is(gotErr, console.ErrNotFound) {
		t.Errorf("%s: here %v, there %v", what, wantErr, gotErr)
	}
}

// Everything that is not a known path with known parameters, from the owner, is
// refused in JSON and never cached.
func TestRefusals(t *testing.T) {
	r, url := start(t)
	r.ShowOwner(surrounded{r.Console(), &surroundings{}})
	write(t, url, "notes", "one")
	owner := "Bearer " + r.OwnerToken()
	tests := []struct {
		name   string
		method string
		path   string
		auth   string
		status int
		code   string
		header map[string]string
	}{
		{
			name: "no token", path: "/admin/overview",
			status: 401, code: "unauthorized", header: map[string]string{"WWW-Authenticate": `Bearer realm="hearth"`},
		},
		{name: "no token, no such path", path: "/admin/nothing", status: 401, code: "unauthorized"},
		{name: "no such path", path: "/admin/nothing", auth: owner, status: 404, code: "not_found"},
		{name: "slash at the end", path: "/admin/overview/", auth: owner, status: 404, code: "not_found"},
		{name: "escaped path", path: "/admin/over%76iew", auth: owner, status: 404, code: "not_found"},
		{
			name: "wrong method", method: http.MethodPost, path: "/admin/overview", auth: owner,
			status: 405, code: "method_not_allowed", header: map[string]string{"Allow": "GET, HEAD"},
		},
		{
			name: "only posted", path: "/admin/change", auth: owner,
			status: 405, code: "method_not_allowed", header: map[string]string{"Allow": "POST"},
		},
		{name: "change without a type", method: http.MethodPost, path: "/admin/change", auth: owner, status: 400, code: "bad_request"},
		{name: "no cursor", path: "/admin/check?space=default&name=notes&cursor=1", auth: owner, status: 400, code: "bad_request"},
		{name: "unknown parameter", path: "/admin/overview?x=1", auth: owner, status: 400, code: "bad_request"},
		{name: "parameter of another path", path: "/admin/stream?limit=1", auth: owner, status: 400, code: "bad_request"},
		{name: "repeated parameter", path: "/admin/streams?limit=1&limit=2", auth: owner, status: 400, code: "bad_request"},
		{name: "query that is none", path: "/admin/streams?limit=%zz", auth: owner, status: 400, code: "bad_request"},
		{name: "limit 0", path: "/admin/streams?limit=0", auth: owner, status: 400, code: "bad_request"},
		{name: "limit too large", path: "/admin/streams?limit=1001", auth: owner, status: 400, code: "bad_request"},
		{name: "limit that is no number", path: "/admin/entries?space=default&name=notes&limit=many", auth: owner, status: 400, code: "bad_request"},
		{name: "position below zero", path: "/admin/entries?space=default&name=notes&before=-1", auth: owner, status: 400, code: "bad_request"},
		{name: "position that is no number", path: "/admin/entry?space=default&name=notes&position=", auth: owner, status: 400, code: "bad_request"},
		{name: "no such stream", path: "/admin/stream?space=default&name=none", auth: owner, status: 404, code: "not_found"},
		{name: "stream without a name", path: "/admin/stream", auth: owner, status: 404, code: "not_found"},
		{name: "no such entry", path: "/admin/entry?space=default&name=notes&position=2", auth: owner, status: 404, code: "not_found"},
		{name: "entry without a position", path: "/admin/entry?space=default&name=notes", auth: owner, status: 404, code: "not_found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, body := ask(t, test.method, url+test.path, test.auth)
			if response.StatusCode != test.status {
				t.Errorf("status %d, not %d", response.StatusCode, test.status)
			}
			var refusal consolehttp.Refusal
			if err := json.Unmarshal(body, &refusal); err != nil {
				t.Fatalf("%v in %q", err, body)
			}
			if refusal.Code != test.code || refusal.Message == "" {
				t.Errorf("got %+v, not the code %s", refusal, test.code)
			}
			for name, want := range test.header {
				if got := response.Header.Get(name); got != want {
					t.Errorf("%s: %q, not %q", name, got, want)
				}
			}
			if got := response.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control: %q", got)
			}
		})
	}
}

// A token that is not the owner's gets nothing, whatever it is.
func TestWrongToken(t *testing.T) {
	r, url := start(t)
	for _, auth := range []string{"Bearer", "Bearer ", "Bearer x", "Basic " + r.OwnerToken(), "Bearer " + r.OwnerToken() + "0"} {
		if response, _ := ask(t, "", url+"/admin/overview", auth); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q is answered %s", auth, response.Status)
		}
	}
	wrong := consolehttp.NewClient(consolehttp.At(url, "hearth_owner_00"))
	defer wrong.Close()
	_, err := wrong.Overview(t.Context())
	if refusal, ok := errors.AsType[*consolehttp.Refusal](err); ok && refusal.Status == http.StatusUnauthorized {
		return
	}
	t.Errorf("the client says %v", err)
}

// HEAD says what GET would, without the body.
func TestHead(t *testing.T) {
	r, url := start(t)
	write(t, url, "notes", "one")
	for _, path := range []string{"/admin/streams", "/admin/entry?space=default&name=notes&position=1", "/admin/refusals"} {
		get, body := ask(t, http.MethodGet, url+path, "Bearer "+r.OwnerToken())
		head, none := ask(t, http.MethodHead, url+path, "Bearer "+r.OwnerToken())
		if len(none) > 0 {
			t.Errorf("%s: HEAD has a body", path)
		}
		if head.ContentLength != int64(len(body)) || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD says %d bytes of %s, GET has %d", path, head.ContentLength, head.Header.Get("Content-Type"), len(body))
		}
	}
}

// The owner's token goes to the relay alone, not to where it redirects.
func TestNoRedirect(t *testing.T) {
	asked := make(chan *http.Request, 2)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() { server.Close(); <-served }()

	c := consolehttp.NewClient(consolehttp.At("http://"+l.Addr().String(), "token"))
	defer c.Close()
	if _, err := c.Overview(t.Context()); err == nil {
		t.Error("a redirect is taken for an answer")
	}
	if n := len(asked); n != 1 {
		t.Errorf("%d requests were made, not 1", n)
	}
}

// The lists of answers are never null, so that programs need not look.
func TestEmptyLists(t *testing.T) {
	r, url := start(t)
	for _, path := range []string{"/admin/streams", "/admin/refusals"} {
		if _, body := ask(t, "", url+path, "Bearer "+r.OwnerToken()); !slices.Equal(body, []byte("[]")) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func ask(t *testing.T, method, url, auth string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if auth != "" {
		request.Header.Set("Authorization", auth)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}
