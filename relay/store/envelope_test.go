package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// origin is a stream, an actor and no causation.
const origin = `"stream_id":"orders","actor":{"kind":"user","id":"local","name":"}\"{"},"causation":null`

func envelope(seq uint64, id string, ts time.Time, origin, chain, event string) []byte {
	return AppendEnvelope(nil, seq, AppendID(nil, id), AppendTime(nil, ts), []byte(origin), AppendID(nil, chain), []byte(event))
}

// An envelope has one form, and everything that was put into it can be read from it.
func TestEnvelope(t *testing.T) {
	ts := time.Date(2026, 11, 30, 11, 2, 48, 123456789, time.FixedZone("", 3600))
	for _, c := range []struct {
		name string
		data []byte
		text string
		want Envelope
	}{
		{
			name: "plain",
			data: envelope(12, "evt_1", ts, origin, "evt_0", `{"type":"order.paid","total":1e400}`),
			text: `{"seq":12,"id":"evt_1","ts":"2026-11-30T10:02:48.123456Z",` + origin +
				`,"correlation_id":"evt_0","event":{"type":"order.paid","total":1e400}}`,
			want: Envelope{
				Seq: 12, ID: "evt_1", TS: ts.Truncate(time.Microsecond).UTC(),
				StreamID: []byte(`"orders"`), Actor: []byte(`{"kind":"user","id":"local","name":"}\"{"}`),
				Causation: []byte("null"), CorrelationID: []byte(`"evt_0"`),
				Event: []byte(`{"type":"order.paid","total":1e400}`), Type: []byte(`"order.paid"`),
			},
		},
		{
			name: "whole seconds, a cause, an id to be escaped",
			data: envelope(1, "\"\\\n☃", ts.Truncate(time.Second),
				`"stream_id":"a","actor":{"kind":"agent"},"causation":{"firing_id":"f","run_id":"f","depth":1}`, "c", `{"type":"\\\""}`),
			text: `{"seq":1,"id":"\"\\\n☃","ts":"2026-11-30T10:02:48Z","stream_id":"a","actor":{"kind":"agent"},` +
				`"causation":{"firing_id":"f","run_id":"f","depth":1},"correlation_id":"c","event":{"type":"\\\""}}`,
			want: Envelope{
				Seq: 1, ID: "\"\\\n☃", TS: ts.Truncate(time.Second).UTC(), StreamID: []byte(`"a"`), Actor: []byte(`{"kind":"agent"}`),
				Causation:     []byte(`{"firing_id":"f","run_id":"f","depth":1}`),
				CorrelationID: []byte(`"c"`), Event: []byte(`{"type":"\\\""}`), Type: []byte(`"\\\""`),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if string(c.data) != c.text {
				t.Errorf("the envelope is\n%s, not\n%s", c.data, c.text)
			}
			got, err := ReadEnvelope(c.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Envelope{})); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the id and the fields are, the envelope is JSON, and is read as it was
// written.
func TestEnvelopeAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		id, chain, text := rapid.String().Draw(rt, "id"), rapid.String().Draw(rt, "chain"), rapid.String().Draw(rt, "text")
		event := append(AppendID([]byte(`{"type":`), text), '}')
		ts := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(rt, "ts")).UTC()
		data := envelope(7, id, ts, origin, chain, string(event))
		e, err := ReadEnvelope(data)
		if err != nil || !json.Valid(data) {
			rt.Fatalf("%s is no envelope: %v", data, err)
		}
		typ, err := Text(e.Type)
		if err != nil || e.ID != id || !e.TS.Equal(ts) || typ != text || string(e.Event) != string(event) {
			rt.Fatalf("%s was read as %+v", data, e)
		}
	})
}

// What differs from that one form in any way is no envelope, wherever it ends.
func TestEnvelopeMalformed(t *testing.T) {
	good := string(envelope(12, "evt_1", time.Unix(1, 1000), origin, "evt_0", `{"type":"a"}`))
	bad := []string{
		strings.Replace(good, `"seq":12`, `"seq":012`, 1),
		strings.Replace(good, `"seq":12`, `"seq":-1`, 1),
		strings.Replace(good, `"seq":12`, `"seq":99999999999999999999`, 1),
		strings.Replace(good, `"seq":12`, `"seq": 12`, 1),
		strings.Replace(good, `"evt_1"`, `"\x"`, 1),
		strings.Replace(good, `"evt_1"`, `1`, 1),
		strings.Replace(good, `.000001Z`, `.000000Z`, 1),
		strings.Replace(good, `.000001Z`, `.1Z`, 1),
		strings.Replace(good, `Z"`, `+00:00"`, 1),
		strings.Replace(good, `"causation":null`, `"causation":nil`, 1),
		strings.Replace(good, `"causation":null,`, ``, 1),
		strings.Replace(good, `"actor":{`, `"actor":[`, 1),
		strings.Replace(good, `{"type":"a"}`, `{"a":1,"type":"a"}`, 1),
		strings.Replace(good, `{"type":"a"}`, `{"type":1}`, 1),
		good + " ",
	}
	for at := range len(good) {
		bad = append(bad, good[:at])
	}
	for _, text := range bad {
		if e, err := ReadEnvelope([]byte(text)); err == nil {
			t.Errorf("%s was read as %+v", text, e)
		}
	}
}

func BenchmarkReadEnvelope(b *testing.B) {
	data := envelope(12, "evt_1", time.Unix(1, 1000), origin, "evt_0", `{"type":"service.error","service":"auth"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadEnvelope(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendEnvelope(b *testing.B) {
	id, ts, from, event := []byte(`"evt_1"`), []byte("2026-11-30T10:02:48.123456Z"), []byte(origin), []byte(`{"type":"a"}`)
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendEnvelope(dst[:0], 12, id, ts, from, id, event)
	}
}

// What comes from elsewhere and is taken for an envelope is just what the writer
// would have rendered from its parts, and JSON.
func FuzzCheckEnvelope(f *testing.F) {
	f.Add(envelope(12, "evt_1", time.Unix(1, 1000), origin, "evt_0", `{"type":"a"}`))
	f.Add(envelope(1, "\"\\\n☃", time.Unix(1, 0), origin, "é", `{"type":"\\\"","n":[1e400,{"a":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := CheckEnvelope(data)
		if err != nil {
			return
		}
		from := `"stream_id":` + string(e.StreamID) + `,"actor":` + string(e.Actor) + `,"causation":` + string(e.Causation)
		again := AppendEnvelope(nil, e.Seq, e.rawID, AppendTime(nil, e.TS), []byte(from), e.CorrelationID, e.Event)
		if string(again) != string(data) || !json.Valid(data) || !json.Valid(e.Event) || !json.Valid(e.Actor) || !ValidID(e.ID) {
			t.Errorf("%q was taken for an envelope", data)
		}
	})
}
