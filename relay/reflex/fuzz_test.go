package reflex_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// generic reads JSON as another reader would, numbers as they are written.
func generic(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("accepted is %q: %v", text, err)
	}
	return v
}

// sameEvent checks that an event says what another reader finds in the body, in the
// form in which it is kept.
func sameEvent(t *testing.T, e reflex.Event, found any) {
	t.Helper()
	// Not with go-cmp, which takes twice as long with each level of lists.
	if !reflect.DeepEqual(found, generic(t, e.JSON)) {
		t.Errorf("the event is %s, of %v", e.JSON, found)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.JSON); err != nil || !bytes.Equal(compact.Bytes(), e.JSON) {
		t.Errorf("the event has blanks: %s", e.JSON)
	}
	if !bytes.HasPrefix(e.JSON, []byte(`{"type":"`)) || found.(map[string]any)["type"] != e.Type {
		t.Errorf("the event of the type %q begins otherwise: %.100s", e.Type, e.JSON)
	}
	var read reflex.Event
	if err := json.Unmarshal(e.JSON, &read); err != nil || read.Type != e.Type {
		t.Errorf("the event %s reads as one of the type %q, %v", e.JSON, read.Type, err)
	}
}

// refusal checks that an error is a refusal that says where and what.
func refusal(t *testing.T, err error) {
	t.Helper()
	r, ok := errors.AsType[*reflex.Rejection](err)
	if !ok || r.Message == "" || r.Type == reflex.ValidationFailed && len(r.Errors) == 0 {
		t.Fatalf("refused with %#v", err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// bodies are where fuzzing begins.
var bodies = []string{
	small, many(3, small),
	` { "n" : [ 1e400 , -0.0 , 12345678901234567890.10 ] , "type" : "x" , "s" : "\u00e4\"\\\/" } `,
	`{"event":{"\u0074ype":"a\"b"},"id":"\u0061"}`,
	`{"events":[{"event":{"type":"x"},"id":""},{"id":null,"event":{"a":{},"type":"y","b":[]}}],"correlation_id":"c"}`,
	`{"type":7,"event":{"type":"x"}}`, `{"type":"x","type":"y"}`, `[]`, "{\"type\":\"\xff\"}", nested(64), nested(66),
	wanted("7", small), ` { "command" : { "event" : { "a" : 1 , "type" : "x" } , "type" : "publish" , "id" : "b" } , "command_id" : "\u0037" } `,
	`{"protocol":"reflexr.v1","types":["a"],"resume_after_seq":41,"from_head":false,"key":"k"}`,
}

func FuzzDecodePublication(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := reflex.DecodePublication(bytes.Clone(body))
		if err != nil {
			refusal(t, err)
			return
		}
		found := generic(t, body).(map[string]any)
		events, several := found["events"].([]any)
		switch {
		case found["type"] != nil:
			events = []any{map[string]any{"event": found}}
		case !several:
			events = []any{found}
		}
		if len(events) != len(p.Events) {
			t.Fatalf("%d events of %d", len(p.Events), len(events))
		}
		for i, e := range p.Events {
			in := events[i].(map[string]any)
			sameEvent(t, e.Event, in["event"])
			if id, _ := in["id"].(string); id != e.ID {
				t.Errorf("the id %q of %q", e.ID, id)
			}
		}
	})
}

func FuzzDecodeFrame(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		frame, err := reflex.DecodeFrame(bytes.Clone(body))
		if err != nil {
			refusal(t, err)
			return
		}
		found := generic(t, body).(map[string]any)
		command := found["command"].(map[string]any)
		got := frame.Command.(reflex.PublishCommand)
		sameEvent(t, got.Event, command["event"])
		id, _ := command["id"].(string)
		chain, _ := command["correlation_id"].(string)
		if frame.CommandID != found["command_id"] || got.ID != id || got.CorrelationID != chain {
			t.Errorf("%+v of %s", frame, body)
		}
	})
}

func FuzzDecodeHello(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		hello, err := reflex.DecodeHello(bytes.Clone(body))
		if err != nil {
			refusal(t, err)
			return
		}
		text, err := json.Marshal(hello)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reflex.DecodeHello(text)
		if diff := cmp.Diff(hello, again); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	})
}
