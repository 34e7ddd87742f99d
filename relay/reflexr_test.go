package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay"
	"hearth/relay/console"
)

// publish publishes events through HTTP, one of each type.
func (h *home) publish(t *testing.T, stream string, types ...string) {
	t.Helper()
	var events []string
	for _, name := range types {
		events = append(events, fmt.Sprintf(`{"event":{"type":%q}}`, name))
	}
	response, err := h.client.Post(h.url+"/reflex/v1/streams/"+stream+"/events", "application/json",
		strings.NewReader(`{"events":[`+strings.Join(events, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("publishing: status %d", response.StatusCode)
	}
}

// eventsAfter reads the types of the events behind a cursor, and what the relay says
// of the cursor.
func (h *home) eventsAfter(t *testing.T, stream, cursor string) (types []string, reset string) {
	t.Helper()
	target := h.url + "/reflex/v1/streams/" + stream + "/events?resume_cursor=" + cursor
	response, err := h.client.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var page []struct{ Event struct{ Type string } }
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", target, response.StatusCode, err)
	}
	for _, e := range page {
		types = append(types, e.Event.Type)
	}
	return types, response.Header.Get("Hearth-Reset")
}

// After a restore a reader of events who proves its history is told when it has
// read what is no more, and gets what there is from the start; whose history is
// still there goes on as if nothing had been. A command that the backup knows is
// not run again, and one that it does not is.
func TestEventsAfterRestore(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	for _, stream := range []string{"same", "back", "diverged"} {
		h.publish(t, stream, "one", "two")
	}
	h.commanded(t, "same", "known", true)
	old := h.backUp(t)
	same := h.cursor(t, "same")
	for _, stream := range []string{"back", "diverged", "gone"} {
		h.publish(t, stream, "lost")
	}
	h.commanded(t, "back", "lost", true)
	back, diverged, gone := h.cursor(t, "back"), h.cursor(t, "diverged"), h.cursor(t, "gone")
	h.stop(t)
	restore(t, relay.Restore{File: old, Force: true}, dir)

	h = open(t, dir)
	h.commanded(t, "same", "known", false)
	h.publish(t, "same", "new")
	h.publish(t, "diverged", "new", "newer")
	for _, test := range []struct {
		stream, cursor string
		types          []string
		reset          string
	}{
		{"same", same, []string{"new"}, ""},
		{"back", back, []string{"one", "two"}, "cursor_ahead"},
		{"diverged", diverged, []string{"one", "two", "new", "newer"}, "cursor_diverged"},
		{"gone", gone, nil, "cursor_ahead"},
	} {
		types, reset := h.eventsAfter(t, test.stream, test.cursor)
		if diff := cmp.Diff(test.types, types); diff != "" || reset != test.reset {
			t.Errorf("%s: reset %q, want %q %s", test.stream, reset, test.reset, diff)
		}
	}
	h.commanded(t, "back", "lost", true)
	h.publish(t, "gone", "another")
	if _, reset := h.eventsAfter(t, "gone", gone); reset != "stream_replaced" {
		t.Errorf("another stream under the name: reset %q", reset)
	}
}

// commanded gives a command that publishes, and checks whether that adds an event.
func (h *home) commanded(t *testing.T, stream, id string, adds bool) {
	t.Helper()
	before := h.head(t, stream)
	response, err := h.client.Post(h.url+"/reflex/v1/streams/"+stream+"/commands", "application/json",
		strings.NewReader(fmt.Sprintf(`{"command_id":%q,"command":{"type":"publish","event":{"type":"commanded"}}}`, id)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the command %s: status %d", id, response.StatusCode)
	}
	if added := h.head(t, stream) > before; added != adds {
		t.Errorf("the command %s adds an event: %t, want %t", id, added, adds)
	}
}

// head returns a stream's last position.
func (h *home) head(t *testing.T, stream string) uint64 {
	t.Helper()
	s, err := h.Console().Stream(t.Context(), console.StreamRef{Space: "default", Name: stream})
	if err != nil {
		t.Fatal(err)
	}
	return s.Head
}

// What is done with events shows in the figures, and in what the window shows of
// devices and of the last hour.
func TestEventsAreCounted(t *testing.T) {
	h := open(t, t.TempDir())
	h.publish(t, "house", "one", "two")
	h.commanded(t, "house", "c1", true)
	if _, reset := h.eventsAfter(t, "house", "0."+strings.Repeat("0", 32)+"."+strings.Repeat("0", 64)); reset == "" {
		t.Error("there is no such cursor")
	}
	refused, err := h.client.Get(h.url + "/reflex/v1/streams/house/events?limit=all")
	if err != nil {
		t.Fatal(err)
	}
	if err := refused.Body.Close(); err != nil || refused.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("status %d, %v", refused.StatusCode, err)
	}
	response, err := h.client.Get(h.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, want := range []string{
		"hearth_events_published_total 3", "hearth_event_duplicates_total 0", "hearth_events_read_total 3",
		`hearth_commands_total{result="ok"} 1`, `hearth_commands_total{result="forbidden"} 0`,
		`hearth_refusals_total{code="invalid_state"} 0`, `hearth_refusals_total{code="validation_failed"} 1`, "hearth_live_sockets 0",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no %s", want)
		}
	}
	a, err := h.Console().Activity(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if m := a.Minutes[len(a.Minutes)-1]; m.Writes != 2 || m.Entries != 3 || m.Refused != 1 {
		t.Errorf("the minute is %+v", m)
	}
	if len(a.Devices) != 1 || a.Devices[0].Client != "127.0.0.1" || a.Devices[0].Writes != 2 {
		t.Errorf("the devices are %+v", a.Devices)
	}
}

// Who waits for a stream through v1 hears of events as of entries, and reads on from
// where it stands.
func TestEventsWakeWaits(t *testing.T) {
	h := open(t, t.TempDir())
	h.publish(t, "house", "one")
	f := &follower{stream: "house"}
	f.rest(t, h.client, h.url)
	waited := make(chan headsMessage, 1)
	go func() {
		var heads headsMessage
		status, err := ask(h.client, http.MethodGet, fmt.Sprintf("%s/v1/wait?timeout=60&watch=house:%d.%x.%x", h.url, f.seq, f.identity, f.link), nil, &heads)
		if err != nil || status != http.StatusOK {
			t.Errorf("waiting: status %d, %v", status, err)
		}
		waited <- heads
	}()
	for waiting := 0; waiting == 0; {
		o, err := h.Console().Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting = o.Waiting
	}
	h.publish(t, "house", "two", "three")
	if heads := <-waited; len(heads.Heads) != 1 || heads.Heads[0].Head != 3 {
		t.Errorf("the wait was told %+v", heads)
	}
	if rest := f.rest(t, h.client, h.url); len(rest) != 2 || !rest[1].EndsBatch || rest[0].EndsBatch {
		t.Errorf("%d entries follow: %+v", len(rest), rest)
	}
}
