package relay_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/reflex"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// reported is an event on its way into a stream, as a relay's own parts publish it.
type reported struct {
	actor     string // a JSON object; empty for a source
	causation string // the same; empty for none
	chain     string
	id        string
	event     string // a JSON object, the type first
}

// house is the stream that the tests of events are about.
var house = console.StreamRef{Space: "default", Name: "house"}

// publish puts events into a stream of a relay that does not run.
func publish(t *testing.T, dir string, events ...reported) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "hearth.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		origin := fmt.Sprintf(`"stream_id":%q,"actor":%s,"causation":%s`, house.Name, or(e.actor, `{"kind":"source","name":"hall"}`), or(e.causation, "null"))
		_, err := s.Publish(t.Context(), store.Publish{
			Ref: store.Ref(house), Origin: []byte(origin), Chain: e.chain, Events: []store.Event{{ID: e.id, JSON: []byte(e.event)}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// stopped looks into the data of a relay that does not run.
func stopped(t *testing.T, dir string) *relay.Stopped {
	t.Helper()
	s, err := relay.Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func positions(events []console.Event) []uint64 {
	list := []uint64{}
	for _, e := range events {
		list = append(list, e.Position)
	}
	return list
}

// Events are listed newest first with what a person needs to know of them, by type,
// by actor and by what they say, and the answer tells how far it looked.
func TestConsoleListsEvents(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir,
		reported{event: `{"type":"service.error","message":"token check failed","severity":8}`, id: "first"},
		reported{event: `{"type":"door.opened","door":"K\u00fcche"}`, actor: `{"kind":"user","id":"u1","name":"Ada"}`},
		reported{event: `{"type":"service.ok","note":"Gr\u00fc\u00dfe, \"Ada\""}`},
		reported{event: `{"type":"door.closed","door":"Küche"}`, actor: `{"kind":"external_agent","client_id":"c9"}`},
	)
	c := stopped(t, dir)
	for _, test := range []struct {
		name  string
		query console.EventQuery
		want  []uint64
		down  uint64
	}{
		{"all", console.EventQuery{Limit: 10}, []uint64{4, 3, 2, 1}, 1},
		{"the newest", console.EventQuery{Limit: 2}, []uint64{4, 3}, 3},
		{"older ones", console.EventQuery{Limit: 2, Before: 3}, []uint64{2, 1}, 1},
		{"none are older", console.EventQuery{Limit: 2, Before: 1}, []uint64{}, 1},
		{"from past the head", console.EventQuery{Limit: 1, Before: 1 << 60}, []uint64{4}, 4},
		{"two types", console.EventQuery{Limit: 10, Types: []string{"service.error", "door.closed"}}, []uint64{4, 1}, 1},
		{"a type, as far as one may look", console.EventQuery{Limit: 10, Scan: 3, Types: []string{"service.error"}}, []uint64{}, 2},
		{"the first of a type", console.EventQuery{Limit: 1, Types: []string{"service.ok"}}, []uint64{3}, 3},
		{"an actor", console.EventQuery{Limit: 10, Actor: "user:u1"}, []uint64{2}, 1},
		{"another actor", console.EventQuery{Limit: 10, Actor: "external_agent:c9"}, []uint64{4}, 1},
		{"a text in any case", console.EventQuery{Limit: 10, Text: "TOKEN Check"}, []uint64{1}, 1},
		{"a text however it is spelled", console.EventQuery{Limit: 10, Text: "küche"}, []uint64{4, 2}, 1},
		{"a text with quotes", console.EventQuery{Limit: 10, Text: `GRÜßE, "Ada"`}, []uint64{3}, 1},
		{"an id", console.EventQuery{Limit: 10, Text: "FIRST"}, []uint64{1}, 1},
		{"all of these", console.EventQuery{Limit: 10, Text: "küche", Types: []string{"door.opened"}, Actor: "user:u1"}, []uint64{2}, 1},
		{"what there is", console.EventQuery{}, []uint64{}, 1},
	} {
		list, err := c.Events(t.Context(), house, test.query)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, positions(list.Events)); diff != "" || list.Down != test.down {
			t.Errorf("%s: down to %d, not %d (-want +got):\n%s", test.name, list.Down, test.down, diff)
		}
	}
	list, err := c.Events(t.Context(), house, console.EventQuery{Before: 3, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []console.Event{
		{Type: "door.opened", Actor: console.Actor{Kind: "user", ID: "u1", Name: "Ada"}, Summary: "door Küche"},
		{Type: "service.error", Actor: console.Actor{Kind: "source", ID: "hall", Name: "hall"}, ID: "first", Summary: "token check failed · severity 8"},
	}
	for i, got := range list.Events {
		want[i].Position, want[i].At, want[i].Size = uint64(2-i), got.At, got.Size
		if want[i].ID == "" {
			want[i].ID = got.ID
		}
		if got.At.IsZero() || got.Size == 0 || got.ID == "" {
			t.Errorf("event %d: %+v", got.Position, got)
		}
	}
	if diff := cmp.Diff(want, list.Events); diff != "" {
		t.Error(diff)
	}
	seen, err := c.Events(t.Context(), house, console.EventQuery{Scan: 3})
	slices.Sort(seen.Types)
	if diff := cmp.Diff([]string{"door.closed", "door.opened", "service.ok"}, seen.Types); diff != "" || len(seen.Actors) != 3 || err != nil {
		t.Errorf("seen are %v, %v; %s", seen.Actors, err, diff)
	}
}

// A stream of entries holds no events, one that is not there none either, and the
// relay's own is known by its name.
func TestConsoleTellsWhereNoEventsAre(t *testing.T) {
	h := open(t, t.TempDir())
	h.append(t, "notes", 1, []byte("x"))
	for name, want := range map[string]error{"notes": console.ErrNoEvents, "none": console.ErrNotFound} {
		ref := console.StreamRef{Space: "default", Name: name}
		if _, err := h.Console().Events(t.Context(), ref, console.EventQuery{Limit: 1}); !errors.Is(err, want) {
			t.Errorf("events of %s: %v", name, err)
		}
		if _, err := h.Console().Chain(t.Context(), ref, 1, 1); !errors.Is(err, want) {
			t.Errorf("a chain in %s: %v", name, err)
		}
	}
	if console.RelayStream != reflex.RelayStream {
		t.Errorf("the relay's stream is %q, and %q in the window", reflex.RelayStream, console.RelayStream)
	}
}

// Of a stream with more types and actors than anyone chooses from, some are told.
func TestWhatWasSeenIsBounded(t *testing.T) {
	dir := t.TempDir()
	var events []reported
	for i := range 300 {
		events = append(events, reported{event: fmt.Sprintf(`{"type":"t%d"}`, i), actor: fmt.Sprintf(`{"kind":"source","name":"s%d"}`, i)})
	}
	publish(t, dir, events...)
	list, err := stopped(t, dir).Events(t.Context(), house, console.EventQuery{Limit: 500, Text: strings.Repeat("x", 10)})
	if err != nil || len(list.Types) != 256 || len(list.Actors) != 256 || len(list.Events) != 0 || list.Down != 1 {
		t.Errorf("%d types, %d actors, %d events down to %d, %v", len(list.Types), len(list.Actors), len(list.Events), list.Down, err)
	}
}

// What lies in a stream of events and is none, as after damage that nobody has
// noticed, is listed as that and hides nothing else.
func TestWhatIsNoEvent(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, reported{event: `{"type":"a"}`}, reported{event: `{"type":"a"}`}, reported{event: `{"type":"b"}`})
	file := filepath.Join(dir, "hearth.db")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte(`{"seq":2,`), []byte(`{"sex":2,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	c := stopped(t, dir)
	list, err := c.Events(t.Context(), house, console.EventQuery{Limit: 10})
	if diff := cmp.Diff([]uint64{3, 2, 1}, positions(list.Events)); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	if broken := list.Events[1]; broken.Broken == "" || broken.Size == 0 || broken.Type != "" {
		t.Errorf("what is no event: %+v", broken)
	}
	if list, err := c.Events(t.Context(), house, console.EventQuery{Limit: 10, Types: []string{"a", "b"}}); err != nil || len(list.Events) != 2 {
		t.Errorf("beside it are %v, %v", positions(list.Events), err)
	}
	if _, err := c.Chain(t.Context(), house, 2, 10); err == nil || errors.Is(err, console.ErrNotFound) {
		t.Errorf("its chain: %v", err)
	}
	if chain, err := c.Chain(t.Context(), house, 3, 10); err != nil || chain.From != 1 {
		t.Errorf("a chain beside it: %+v, %v", chain, err)
	}
}
