package schemas_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hearth/relay/reflex"
	"hearth/relay/reflex/schemas"
)

// compile returns a schema as another implementation understands it.
func compile(t testing.TB, file string) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Read(file)
	if !ok {
		t.Fatalf("there is no %s", file)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(file, document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(file) // which holds it against the schema of schemas
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every file is a JSON Schema that says what it describes.
func TestFilesAreSchemas(t *testing.T) {
	for _, s := range schemas.List() {
		compile(t, s.File)
		if s.Title == "" || !strings.HasSuffix(s.File, ".json") {
			t.Errorf("a schema without a name: %+v", s)
		}
	}
}

// message is a kind of messages that clients send: its schema, how the relay reads
// them, and some that it takes.
type message struct {
	file  string
	frame bool // it is a frame
	read  func([]byte) error
	good  []string
}

var messages = []message{
	{
		"hello.json", true, func(body []byte) error { _, err := reflex.DecodeHello(body); return err },
		[]string{
			`{"protocol":"reflexr.v1"}`,
			`{"type":"hello","protocol":"reflexr.v1","resume_after_seq":41,"types":["door.opened","rule_fired"],"key":"k",
				"resume_cursor":"41.00112233445566778899aabbccddeeff.000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}`,
			`{"type":"hello","protocol":"reflexr.v1","types":null,"from_head":true}`,
			`{"type":"hello","protocol":"reflexr.v1","types":[]}`,
		},
	},
	{
		"command.json", true, func(body []byte) error { _, err := reflex.DecodeFrame(body); return err },
		[]string{
			`{"command_id":"cmd_7","command":{"type":"publish","event":{"type":"door.opened","n":1}}}`,
			`{"type":"command","command_id":"7","command":{"type":"publish","event":{"type":"x"},"id":"a","correlation_id":"b"}}`,
		},
	},
	{
		"publication.json", false, func(body []byte) error { _, err := reflex.DecodePublication(body); return err },
		[]string{
			`{"event":{"type":"door.opened","door":{"name":"front"}}}`,
			`{"event":{"type":"door.opened"},"id":"a"}`,
			`{"events":[{"event":{"type":"x"},"id":"a"},{"event":{"type":"y"}}],"correlation_id":"b"}`,
			`{"events":[]}`,
			`{"type":"door.opened","event":{"door":"front"},"events":7}`,
		},
	},
}

// The relay takes just those messages that their schemas take, however a good one is
// changed in one place.
func TestSchemasAgreeWithRelay(t *testing.T) {
	for _, m := range messages {
		t.Run(m.file, func(t *testing.T) {
			schema := compile(t, m.file)
			frame := compile(t, "client_frame.json")
			for _, good := range m.good {
				if err := judge(t, schema, []byte(good)); err != nil {
					t.Errorf("%s: the schema refuses it: %v", good, err)
				}
				if err := m.read([]byte(good)); err != nil {
					t.Errorf("%s: the relay refuses it: %v", good, err)
				}
				var value any
				if err := json.Unmarshal([]byte(good), &value); err != nil {
					t.Fatal(err)
				}
				for changed := range changes(value) {
					text, err := json.Marshal(changed)
					if err != nil {
						t.Fatal(err)
					}
					bySchema, byRelay := judge(t, schema, text), m.read(slices.Clone(text))
					if (bySchema == nil) != (byRelay == nil) {
						t.Errorf("%s\nby its schema: %v\nby the relay: %v", text, bySchema, byRelay)
					}
					if byFrame := judge(t, frame, text); m.frame && (byFrame == nil) != (byRelay == nil) {
						t.Errorf("%s\nby the schema of frames: %v\nby the relay: %v", text, byFrame, byRelay)
					}
				}
			}
		})
	}
}

// judge holds a message against a schema.
func judge(t testing.TB, schema *jsonschema.Schema, message []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// others are values of all kinds.
var others = []any{nil, true, false, 0, 1, -1, 1.5, "", "text", []any{}, []any{"text"}, []any{1}, map[string]any{}, map[string]any{"type": "x"}}

// changes yields a value changed in one place, in every way: a member away, one too
// many, or something else in its stead. What it yields is good until the next.
func changes(value any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, other := range others {
			if !yield(other) {
				return
			}
		}
		switch v := value.(type) {
		case map[string]any:
			for name, member := range maps.Clone(v) {
				delete(v, name)
				if !yield(v) {
					return
				}
				for v[name] = range changes(member) {
					if !yield(v) {
						return
					}
				}
				v[name] = member
			}
			for _, v["new"] = range others {
				if !yield(v) {
					return
				}
			}
			delete(v, "new")
		case []any:
			for i, element := range v {
				for v[i] = range changes(element) {
					if !yield(v) {
						return
					}
				}
				v[i] = element
			}
		}
	}
}
