package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"hearth/relay"
	"hearth/relay/console"

	"github.com/google/go-cmp/cmp"
)

// reflex sends a request of reflexr.v1 as the owner, and returns its answer.
func (h *home) reflex(t *testing.T, method, path, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, h.url+"/reflex/v1/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+h.OwnerToken())
	response, err := h.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, " ", strings.TrimSpace(string(text)))
}

// eventful makes a relay with a stream of events, a type and commands, and returns
// what it answers about them, to which later ones are held.
func eventful(t *testing.T, h *home) (answers map[string]string, ask func(*home) map[string]string) {
	t.Helper()
	h.reflex(t, "PUT", "types/order.paid", `{"type":"object","required":["total"]}`)
	const events = "streams/orders/events"
	h.reflex(t, "POST", events, `{"events":[{"event":{"type":"order.placed","n":1e400},"id":"7"},{"event":{"type":"order.placed","n":2}}]}`)
	h.reflex(t, "POST", events, `{"event":{"type":"order.paid","total":3}}`)
	ask = func(h *home) map[string]string {
		answers := make(map[string]string)
		for name, request := range map[string][3]string{
			"a command":                   {"POST", "streams/orders/commands", `{"command_id":"c1","command":{"type":"publish","event":{"type":"a"}}}`},
			"a command that was rejected": {"POST", "streams/orders/commands", `{"command_id":"c2","command":{"type":"publish","event":{"type":"order.paid"}}}`},
			"a copy":                      {"POST", events, `{"event":{"type":"b"},"id":"7"}`},
			"the type":                    {"GET", "types/order.paid", ""},
		} {
			answers[name] = h.reflex(t, request[0], request[1], request[2])
		}
		answers["the events"] = h.reflex(t, "GET", events, "")
		return answers
	}
	return ask(h), ask
}

// A backup has the events with their ids, the types, and what commands came to: who
// sends one again after a restore is answered as before it.
func TestReflexBackedUp(t *testing.T) {
	h := open(t, t.TempDir())
	want, ask := eventful(t, h)
	if got := ask(h); !cmp.Equal(want, got) {
		t.Fatalf("asked again (-first +second):\n%s", cmp.Diff(want, got))
	}
	file := h.backUp(t)
	dir := t.TempDir()
	restore(t, relay.Restore{File: file}, dir)
	restored := open(t, dir)
	if diff := cmp.Diff(want, ask(restored)); diff != "" {
		t.Errorf("after the restore (-before +after):\n%s", diff)
	}
	if v, err := restored.Console().Verify(t.Context(), console.StreamRef{}, nil); err != nil || !v.Sound() {
		t.Errorf("%+v, %v", v, err)
	}
}

// A stream of events goes into an archive and comes out of it as one, under the same
// ids; what commands came to stays with the relay that they were for.
func TestReflexExported(t *testing.T) {
	from, to := open(t, t.TempDir()), open(t, t.TempDir())
	want, _ := eventful(t, from)
	file := from.exported(t, "orders")
	for _, before := range []uint64{0, 4} {
		got := to.imported(t, file)
		if diff := cmp.Diff([]console.Imported{{StreamRef: inDefault("orders"), Archived: 4, Before: before, Head: 4}}, got); diff != "" {
			t.Fatalf("imported (-want +got):\n%s", diff)
		}
	}
	if got := to.reflex(t, "GET", "streams/orders/events", ""); got != want["the events"] {
		t.Errorf("there it is %s, here %s", want["the events"], got)
	}
	if got := to.reflex(t, "POST", "streams/orders/events", `{"event":{"type":"b"},"id":"7"}`); got != want["a copy"] {
		t.Errorf("there a copy is %s, here %s", want["a copy"], got)
	}
	to.append(t, "notes", 1, []byte("one"))
	if v, err := to.Console().Verify(t.Context(), console.StreamRef{}, nil); err != nil || !v.Sound() {
		t.Errorf("%+v, %v", v, err)
	}
}
