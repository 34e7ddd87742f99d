package reflexhttp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"hearth/relay"
	"hearth/relay/reflex"
)

// schemaSet are the schemas that a relay serves, by the names of their files.
type schemaSet map[string]*jsonschema.Schema

func (h *home) schemas(t testing.TB) schemaSet {
	t.Helper()
	set := make(schemaSet)
	list := decode[[]struct{ File, Title string }](t, h.do(t, http.MethodGet, "/reflex/v1/schemas", nil, nil).body)
	for _, s := range list {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		document := parseJSON(t, h.do(t, http.MethodGet, "/reflex/v1/schemas/"+s.File, nil, nil).body)
		closeSchemas(document.(map[string]any)["$defs"])
		if err := c.AddResource(s.File, document); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(s.File)
		if err != nil {
			t.Fatal(err)
		}
		set[s.File] = compiled
	}
	return set
}

// check holds a message of the relay against a schema, and sees that it would not
// do without any of its members but the optional ones.
func (s schemaSet) check(t testing.TB, file string, message []byte, optional ...string) {
	t.Helper()
	schema := s[file]
	if schema == nil {
		t.Fatalf("there is no %s", file)
	}
	if err := schema.Validate(parseJSON(t, message)); err != nil {
		t.Errorf("%.400s: %v", message, err)
	}
	object, ok := parseJSON(t, message).(map[string]any)
	if !ok {
		return
	}
	for name := range object {
		without := maps.Clone(object)
		delete(without, name)
		if may := slices.Contains(optional, name); (schema.Validate(without) == nil) != may {
			t.Errorf("%.400s: whether %s takes it without %s: %t", message, file, name, !may)
		}
	}
}

// optional are the members of frames that are not always there, by type.
var optional = map[string][]string{
	"welcome": {"reason", "cursor"}, "event": {"cursor"}, "replay_complete": {"cursor"}, "error": {"command_id"},
}

// frames checks the next frames, which have to be of these types, and returns them.
func (s schemaSet) frames(t testing.TB, c *live, types ...string) (frames [][]byte) {
	t.Helper()
	for _, want := range types {
		frame := c.next(t)
		if have := typeOf(t, frame); have != want {
			t.Fatalf("a frame of the type %s, not %s: %.400s", have, want, frame)
		}
		s.check(t, want+".json", frame, optional[want]...)
		s.check(t, "server_frame.json", frame, optional[want]...)
		frames = append(frames, frame)
	}
	return frames
}

// TestSchemasHoldForFrames: every kind of frame that a relay sends is as the
// schemas say that it serves, with nothing more and nothing less.
func TestSchemasHoldForFrames(t *testing.T) {
	h := start(t)
	s := h.schemas(t)
	h.publishMany(t, "kitchen", 3)

	c := h.dialLive(t, liveOf("kitchen"), nil)
	c.hello(t, "")
	s.frames(t, c, "welcome", "event", "event", "event", "replay_complete")
	h.publishMany(t, "kitchen", 1)
	s.frames(t, c, "event")
	c.say(t, `{"type":"command","command_id":"1","command":{"type":"publish","event":{"type":"tick"}}}`)
	s.frames(t, c, "command_result") // a refusal
	c.say(t, `{"type":"command","command_id":"2","command":{"type":"publish","event":{"type":7}}}`)
	s.frames(t, c, "command_result") // one with errors
	c.say(t, `{"type":"ping"}`)
	s.frames(t, c, "error")
	c.say(t, `{"type":"command","command_id":"3","command":{"type":"publish","event":{"type":"count"}}}`)
	first, second := c.next(t), c.next(t) // the result and the event, whichever is first
	for _, frame := range [][]byte{first, second} {
		s.check(t, typeOf(t, frame)+".json", frame, optional[typeOf(t, frame)]...)
	}

	c = h.dialLive(t, liveOf("kitchen"), nil)
	c.hello(t, `"resume_after_seq":1000,"types":[]`)
	s.frames(t, c, "welcome", "replay_complete") // with a reset
	c = h.dialLive(t, liveOf("nothing"), nil)
	c.hello(t, "")
	s.frames(t, c, "welcome", "replay_complete") // without a cursor
}

// TestSchemasHoldForEntries: what opaque entries show as is as its schema says.
func TestSchemasHoldForEntries(t *testing.T) {
	h := start(t)
	s := h.schemas(t)
	batch, err := cbor.Marshal(map[int]any{0: 1, 1: [][]byte{[]byte("opaque")}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := h.client.Post("http://"+h.address+"/v1/streams/notes/entries", "application/cbor", bytes.NewReader(batch))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	for _, query := range []string{"", "?data=none"} {
		page := h.do(t, http.MethodGet, eventsOf("notes")+query, nil, nil).body
		s.check(t, "page.json", page)
		s.check(t, "entry_event.json", decode[[]envelope](t, page)[0].Event, "data")
		c := h.dialLive(t, liveOf("notes")+query, nil)
		c.hello(t, "")
		event := s.frames(t, c, "welcome", "event")[1]
		s.check(t, "entry_event.json", decode[eventFrame](t, event).Event, "data")
	}
}

// TestSchemasHoldForHappenings: what the relay tells on its own stream is as the
// schema says.
func TestSchemasHoldForHappenings(t *testing.T) {
	h := open(t, t.TempDir(), relay.Options{Happenings: []reflex.HappeningKind{
		reflex.StreamsCreated, reflex.StreamsMoved, reflex.Refusals, reflex.Backups, reflex.Checks,
	}})
	s := h.schemas(t)
	c := h.dialLive(t, liveOf("_relay"), nil)
	c.hello(t, "")
	s.frames(t, c, "welcome", "replay_complete")
	told := func(want string) {
		t.Helper()
		event := decode[eventFrame](t, s.frames(t, c, "event")[0]).Event
		s.check(t, "relay_event.json", event)
		if have := typeOf(t, event); have != want {
			t.Fatalf("%s is told, not %s", have, want)
		}
	}
	h.publishMany(t, "kitchen", 3)
	told("stream_created")
	h.publishMany(t, "kitchen", 3)
	told("stream_moved")
	h.post(t, "kitchen", `{"type":"tick"}`)
	told("device_refused")
	for _, happening := range reflex.Happenings() { // those that take longer to come about
		text, err := reflex.HappeningJSON(happening)
		if err != nil {
			t.Fatal(err)
		}
		if h, failed := happening.(reflex.BackupFailed); failed {
			h.Reason = reflex.FolderMissing
			text, err = reflex.HappeningJSON(h)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, "relay_event.json", text)
	}
}

// TestSchemasHoldForBodies: what REST answers is as the schemas say.
func TestSchemasHoldForBodies(t *testing.T) {
	h := start(t)
	s := h.schemas(t)
	s.check(t, "published.json", h.post(t, "kitchen", `{"events":[{"event":{"type":"x"}},{"event":{"type":"y"},"id":"a"}]}`).body)
	s.check(t, "page.json", h.do(t, http.MethodGet, eventsOf("kitchen"), nil, nil).body)
	s.check(t, "refusal.json", h.post(t, "kitchen", `{"type":7}`).body)
	for _, frame := range []string{`{"command_id":"1","command":{"type":"publish","event":{"type":"x"}}}`, `{"command_id":"2"}`, `[]`} {
		s.check(t, "command_result.json", h.do(t, http.MethodPost, commandsOf("kitchen"), asJSON, strings.NewReader(frame)).body)
	}
}

// TestSchemasOfOwnEvents: the events of rules, runs and schedules have the fields
// of the contract, all of them but those that it calls optional.
func TestSchemasOfOwnEvents(t *testing.T) {
	s := start(t).schemas(t)
	for text, optional := range map[string][]string{
		`{"type":"rule_fired","rule":"r","scope":{"service":"auth"},"firing_id":"f","matched":[1,2]}`:                        nil,
		`{"type":"rule_errored","rule":"r","seq":7,"error":"no such field"}`:                                                 nil,
		`{"type":"run_started","run_id":"f","rule":"r","scope":{},"attempt":1}`:                                              nil,
		`{"type":"run_progressed","run_id":"f","step":"fetch"}`:                                                              nil,
		`{"type":"run_retrying","run_id":"f","attempt":1,"error":"timeout","next_attempt_at":"2026-11-30T11:02:48.123456Z"}`: nil,
		`{"type":"run_succeeded","run_id":"f","output":{"any":["thing"]}}`:                                                   {"output"},
		`{"type":"run_dead_lettered","run_id":"f","attempts":5,"error":"timeout"}`:                                           nil,
		`{"type":"run_cancelled","run_id":"f","reason":"no longer wanted"}`:                                                  {"reason"},
		`{"type":"run_skipped","run_id":"f","reason":null}`:                                                                  {"reason"},
		`{"type":"tick","schedule":"nightly","at":"2026-11-30T03:00:00Z"}`:                                                   nil,
	} {
		s.check(t, "own_event.json", []byte(text), optional...)
	}
	for _, actor := range []string{
		`{"kind":"user","id":"owner"}`, `{"kind":"user","id":"u","name":"Ann"}`, `{"kind":"agent","rule":"r","run_id":"f","name":"notify"}`,
		`{"kind":"external_agent","client_id":"c"}`, `{"kind":"external_agent","client_id":"c","on_behalf_of":{"kind":"user","id":"u"}}`,
		`{"kind":"system","name":"relay"}`, `{"kind":"source","name":"sensor"}`,
	} {
		envelope := `[{"seq":1,"id":"a","ts":"2026-11-30T11:02:48Z","stream_id":"kitchen","actor":` + actor +
			`,"causation":{"firing_id":"f","run_id":"f","depth":1},"correlation_id":"a","event":{"type":"x"}}]`
		s.check(t, "page.json", []byte(envelope))
		broken := strings.Replace(envelope, `"kind":"`, `"kind":"other_`, 1)
		if s["page.json"].Validate(parseJSON(t, []byte(broken))) == nil {
			t.Errorf("%s: taken", broken)
		}
	}
	var unknown json.RawMessage = []byte(`{"type":"rule_exploded"}`)
	if s["own_event.json"].Validate(parseJSON(t, unknown)) == nil {
		t.Errorf("%s: taken", unknown)
	}
}
