package reflexhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

// Events are taken in three forms, and each answer is a list, in their order.
func TestForms(t *testing.T) {
	h := start(t)
	for _, test := range []struct {
		name, body string
		want       []published
	}{
		{"wrapped", `{"event":{"type":"a"},"id":"e1"}`, []published{{"published", 1, "e1", false}}},
		{"bare", `{"type":"a","id":"its own"}`, []published{{"published", 2, "", false}}},
		{"many", `{"events":[{"event":{"type":"a"},"id":"e3"},{"event":{"type":"b"},"id":"e4"}]}`, []published{{"published", 3, "e3", false}, {"published", 4, "e4", false}}},
		{"none", `{"events":[]}`, []published{}},
		{"with blanks", " {\n\t\"event\" : { \"type\" : \"a\" } , \"id\" : \"e5\" }\r\n", []published{{"published", 5, "e5", false}}},
		{"an empty id is none", `{"event":{"type":"a"},"id":""}`, []published{{"published", 6, "", false}}},
		{"so is null", `{"event":{"type":"a"},"id":null}`, []published{{"published", 7, "", false}}},
		{"a wrapped event called event", `{"event":{"type":"a","event":{"type":"b"}},"id":"e8"}`, []published{{"published", 8, "e8", false}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := h.publish(t, "forms", test.body)
			for i := range got {
				if i < len(test.want) && test.want[i].ID == "" {
					if got[i].ID == "" {
						t.Error("an event has no id")
					}
					got[i].ID = ""
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	list, _ := h.page(t, "forms", "")
	var types []string
	for _, e := range list {
		types = append(types, string(e.Event))
	}
	want := []string{
		`{"type":"a"}`, `{"type":"a","id":"its own"}`, `{"type":"a"}`, `{"type":"b"}`, `{"type":"a"}`,
		`{"type":"a"}`, `{"type":"a"}`, `{"type":"a","event":{"type":"b"}}`,
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
}

// An envelope has every member, in one form; what was published is in it as it was
// written, but for blanks and the place of its type.
func TestEnvelope(t *testing.T) {
	h := start(t)
	event := `{ "n": 12345678901234567890123456789.000000000000000001e+400, "zero": -0.0, "text": "\u00e9\/\u0041 é 😀 <&>",
		"nested": { "b" : [ 1, 2.50, null ], "a" : true }, "": {}, "type" : "service.\u0065rror" }`
	before := time.Now().Add(-time.Millisecond)
	sent := h.publish(t, "shapes", `{"event":`+event+`}`)
	a := h.do(t, http.MethodGet, eventsOf("shapes"), nil, nil)
	form := regexp.MustCompile(`^\[\{"seq":1,"id":"(evt_[0-9a-f]{12}_1)","ts":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z)","stream_id":"shapes",` +
		`"actor":\{"kind":"user","id":"local"\},"causation":null,"correlation_id":"(evt_[0-9a-f]{12}_1)","event":(.*)\}\]$`)
	parts := form.FindStringSubmatch(string(a.body))
	if parts == nil {
		t.Fatalf("%s", a.body)
	}
	if parts[1] != sent[0].ID || parts[3] != sent[0].ID {
		t.Errorf("%s is not %s", parts[1:4], sent[0].ID)
	}
	if ts, err := time.Parse(time.RFC3339, parts[2]); err != nil || ts.Before(before) || ts.After(time.Now()) {
		t.Errorf("ts %s, %v", parts[2], err)
	}
	want := `{"type":"service.error","n":12345678901234567890123456789.000000000000000001e+400,"zero":-0.0,"text":"\u00e9\/\u0041 é 😀 <&>",` +
		`"nested":{"b":[1,2.50,null],"a":true},"":{}}`
	if parts[4] != want {
		t.Errorf("the event is\n%s, not\n%s", parts[4], want)
	}
}

// The time of events never goes back, and positions have no gaps.
func TestOrder(t *testing.T) {
	h := start(t)
	for range 20 {
		h.publishMany(t, "order", 5)
	}
	list, _ := h.page(t, "order", "")
	if len(list) != 100 {
		t.Fatalf("%d events", len(list))
	}
	for i, e := range list {
		if e.Seq != uint64(i+1) || i > 0 && e.TS.Before(list[i-1].TS) {
			t.Errorf("at %d: %+v", i, e)
		}
	}
}

// An id is that of one event for ever: whoever comes with it again learns where
// that is, and the new body counts for nothing.
func TestIDs(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, options)
	long := strings.Repeat("é", 128)
	for _, id := range []string{"e1", " ", "☃", "a\"b\\c", "evt_000000000000_1", long, "../..", "\t"} {
		spelled, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		first := h.publish(t, "ids", fmt.Sprintf(`{"event":{"type":"first"},"id":%s}`, spelled))[0]
		again := h.publish(t, "ids", fmt.Sprintf(`{"event":{"type":"other"},"id":%s}`, spelled))[0]
		if first.Duplicate || !again.Duplicate || first.ID != id || again.ID != id || again.Seq != first.Seq {
			t.Errorf("%q: %+v, then %+v", id, first, again)
		}
	}
	drawn := h.publish(t, "ids", `{"type":"drawn"}`)[0]
	got := h.publish(t, "ids", `{"events":[{"event":{"type":"a"},"id":"new"},{"event":{"type":"b"},"id":"new"},{"event":{"type":"b"},"id":"e1"}]}`)
	if got[0].Duplicate || !got[1].Duplicate || got[1].Seq != got[0].Seq || !got[2].Duplicate || got[2].Seq != 1 {
		t.Errorf("within one body: %+v", got)
	}
	// Another stream is another matter.
	if p := h.publish(t, "others", `{"event":{"type":"a"},"id":"e1"}`)[0]; p.Duplicate || p.Seq != 1 {
		t.Errorf("%+v", p)
	}
	h.stop()
	h = open(t, dir, options)
	for id, seq := range map[string]uint64{"e1": 1, "new": got[0].Seq, drawn.ID: drawn.Seq} {
		if p := h.publish(t, "ids", fmt.Sprintf(`{"event":{"type":"a"},"id":%q}`, id))[0]; !p.Duplicate || p.Seq != seq {
			t.Errorf("after a restart: %+v, want %d", p, seq)
		}
	}
}

// All events of a body are appended, or none: one that is refused holds back those
// before it too.
func TestAllOrNone(t *testing.T) {
	h := start(t)
	a := h.post(t, "whole", `{"events":[{"event":{"type":"a"}},{"event":{"type":"tick"}},{"event":{"type":"b"}}]}`)
	if r := a.rejection(t); r.Type != "forbidden" {
		t.Errorf("%+v", r)
	}
	a = h.post(t, "whole", `{"events":[{"event":{"type":"a"}}],"correlation_id":"nowhere"}`)
	if r := a.rejection(t); r.Type != "not_found" || r.Entity != "chain" || r.ID != "nowhere" {
		t.Errorf("%+v", r)
	}
	if list, _ := h.page(t, "whole", ""); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// Events of a chain say which one began it; one that did not begin its chain
// cannot be named for it.
func TestChains(t *testing.T) {
	h := start(t)
	first := h.publish(t, "chains", `{"event":{"type":"a"},"id":"first"}`)[0]
	h.publish(t, "chains", `{"events":[{"event":{"type":"b"},"id":"second"},{"event":{"type":"b"},"id":"third"}],"correlation_id":"first"}`)
	list, _ := h.page(t, "chains", "")
	for _, e := range list {
		if e.CorrelationID != first.ID {
			t.Errorf("%+v", e)
		}
	}
	a := h.post(t, "chains", `{"events":[{"event":{"type":"c"}}],"correlation_id":"second"}`)
	if r := a.rejection(t); r.Type != "validation_failed" || !strings.Contains(r.Message, "first") || r.Errors[0].Loc[0] != "correlation_id" {
		t.Errorf("%+v", r)
	}
	got, _ := h.command(t, "chains", `{"command_id":"c","command":{"type":"publish","event":{"type":"d"},"correlation_id":"first"}}`)
	if !got.OK {
		t.Errorf("%+v", got.Rejection)
	}
	if list, _ := h.page(t, "chains", "?last=1"); list[0].CorrelationID != "first" {
		t.Errorf("%+v", list)
	}
}

// Types that only the relay publishes are refused to everybody else, as is its own
// stream; any other type is free.
func TestOwnedTypes(t *testing.T) {
	h := start(t)
	for _, name := range []string{
		"rule_fired", "rule_errored", "rule_reset", "rule_installed", "rule_archived", "run_started", "run_progressed",
		"run_retrying", "run_succeeded", "run_dead_lettered", "run_cancelled", "run_skipped", "run_requeued", "feedback_given", "tick",
	} {
		if r := h.post(t, "owned", fmt.Sprintf(`{"type":%q}`, name)).rejection(t); r.Type != "forbidden" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, name := range []string{"Tick", "tick ", "entry", "event", "ns:local.name", "ein Ereignis", "☃", strings.Repeat("x", 128)} {
		if p := h.publish(t, "free", fmt.Sprintf(`{"type":%q}`, name)); len(p) != 1 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if r := h.post(t, "_relay", `{"type":"a"}`).rejection(t); r.Type != "forbidden" {
		t.Errorf("to the relay's own stream: %+v", r)
	}
}

// A stream's name is one of v1, or _relay.
func TestStreamNames(t *testing.T) {
	h := start(t)
	for _, name := range []string{"UPPER", "_other", "-a", "a%2Fb", "a%20b", "%E2%98%83", strings.Repeat("a", 65), ".", "%00", "_relay2"} {
		for _, a := range []answer{
			h.post(t, name, `{"type":"a"}`),
			h.do(t, http.MethodGet, eventsOf(name), nil, nil),
			h.do(t, http.MethodPost, commandsOf(name), asJSON, strings.NewReader(publishFrame("c", `{"type":"a"}`))),
		} {
			if r := a.rejection(t); r.Type != "validation_failed" || !cmp.Equal(r.Errors[0].Loc, []string{"stream_id"}) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
	}
	for _, name := range []string{"a", "0", "a-b_c.d", strings.Repeat("a", 64), "%61%62"} {
		h.publish(t, name, `{"type":"a"}`)
	}
}

// A stream holds entries or events, and never both: each kind of writer is told.
func TestKinds(t *testing.T) {
	h := start(t)
	h.publish(t, "events", `{"type":"a"}`)
	status, problem := h.append(t, "events", []byte("opaque"))
	if status != http.StatusConflict || problem != "wrong_kind" {
		t.Errorf("an opaque entry for events: %d %s", status, problem)
	}
	if status, _ := h.append(t, "entries", []byte("opaque")); status != http.StatusOK {
		t.Fatal(status)
	}
	if r := h.post(t, "entries", `{"type":"a"}`).rejection(t); r.Type != "invalid_state" || !strings.Contains(r.Message, "entries") {
		t.Errorf("an event for entries: %+v", r)
	}
	for range 2 { // the second time from memory
		got, status := h.command(t, "entries", publishFrame("c1", `{"type":"a"}`))
		if status != http.StatusConflict || got.Rejection.Type != "invalid_state" {
			t.Errorf("a command for entries: %d %+v", status, got)
		}
	}
}

// append writes an entry through v1. The code is empty if it was taken.
func (h *home) append(t testing.TB, stream string, entry []byte) (status int, code string) {
	t.Helper()
	body, err := cbor.Marshal(map[int]any{0: 1, 1: [][]byte{entry}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := h.client.Post("http://"+h.address+"/v1/streams/"+stream+"/entries", "application/cbor", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer map[int]any
	if err := cbor.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		code, _ = answer[0].(string)
	}
	return resp.StatusCode, code
}
