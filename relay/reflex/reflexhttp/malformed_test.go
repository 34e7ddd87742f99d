package reflexhttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// malformed are bodies of POST events with where their first mistake is and which
// it is. Each is refused, whole, with a reason.
var malformed = []struct {
	name, body string
	loc        []string
	mistake    string
}{
	// Not JSON of the strict kind.
	{"nothing", ``, []string{}, "json_invalid"},
	{"blanks", " \n", []string{}, "json_invalid"},
	{"half", `{"event":{"type":"a"`, []string{"event"}, "json_invalid"},
	{"two", `{"type":"a"} {"type":"b"}`, []string{}, "json_invalid"},
	{"a comma too many", `{"type":"a",}`, []string{}, "json_invalid"},
	{"a comment", `{"type":"a" /* b */}`, []string{}, "json_invalid"},
	{"a name without quotes", `{type:"a"}`, []string{}, "json_invalid"},
	{"single quotes", `{'type':'a'}`, []string{}, "json_invalid"},
	{"not a number", `{"type":"a","n":NaN}`, []string{"n"}, "json_invalid"},
	{"a number with leading zeros", `{"type":"a","n":007}`, []string{}, "json_invalid"},
	{"hexadecimal", `{"type":"a","n":0x10}`, []string{}, "json_invalid"},
	{"a byte order mark", "\ufeff" + `{"type":"a"}`, []string{}, "json_invalid"},
	{"invalid UTF-8", "{\"type\":\"a\",\"text\":\"\xff\"}", []string{"text"}, "json_invalid"},
	{"UTF-8 of a surrogate", "{\"type\":\"a\",\"text\":\"\xed\xa0\x80\"}", []string{"text"}, "json_invalid"},
	{"overlong UTF-8", "{\"type\":\"a\",\"text\":\"\xc0\xaf\"}", []string{"text"}, "json_invalid"},
	{"half a surrogate pair", `{"type":"a","text":"\ud800"}`, []string{"text"}, "json_invalid"},
	{"a raw control character", "{\"type\":\"a\",\"text\":\"\x01\"}", []string{"text"}, "json_invalid"},
	{"a raw NUL", "{\"type\":\"a\",\"text\":\"\x00\"}", []string{"text"}, "json_invalid"},
	{"UTF-16", "{\x00\"\x00t\x00\"\x00:\x001\x00}\x00", []string{}, "json_invalid"},
	{"the same name twice", `{"type":"a","n":1,"n":2}`, []string{"n"}, "duplicate_member"},
	{"the same name twice, spelled otherwise", `{"type":"a","n":1,"\u006e":2}`, []string{"n"}, "duplicate_member"},
	{"the same name twice, far inside", `{"type":"a","b":[{"c":{"d":1,"d":1}}]}`, []string{"b", "0", "c", "d"}, "duplicate_member"},
	{"two types", `{"event":{"type":"a","type":"b"}}`, []string{"event", "type"}, "duplicate_member"},
	{"a deep nest", `{"type":"a","b":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, nil, "too_deep"},
	{"a deeper nest", `{"type":"a","b":` + strings.Repeat(`{"c":`, 9_000) + "1" + strings.Repeat("}", 9_000) + `}`, nil, "too_deep"},
	{"a nest without end", `{"type":"a","b":` + strings.Repeat("[", 1_000_000), nil, "too_deep"},

	// Something else than a publication.
	{"a list", `[{"type":"a"}]`, []string{}, "model_type"},
	{"a string", `"a"`, []string{}, "model_type"},
	{"a number", `1`, []string{}, "model_type"},
	{"null", `null`, []string{}, "model_type"},
	{"no member", `{}`, []string{"event"}, "missing"},
	{"no event", `{"id":"e1"}`, []string{"event"}, "missing"},
	{"an unknown member beside the event", `{"event":{"type":"a"},"ID":"e1"}`, []string{"ID"}, "extra_forbidden"},
	{"a chain for one event", `{"event":{"type":"a"},"correlation_id":"c"}`, []string{"correlation_id"}, "extra_forbidden"},
	{"one event and many", `{"event":{"type":"a"},"events":[]}`, []string{"event"}, "extra_forbidden"},
	{"an id for many", `{"events":[],"id":"e1"}`, []string{"id"}, "extra_forbidden"},
	{"no list of events", `{"events":{"event":{"type":"a"}}}`, []string{"events"}, "list_type"},
	{"null for a list", `{"events":null}`, []string{"events"}, "list_type"},
	{"a bare event in a list", `{"events":[{"type":"a"}]}`, []string{"events", "0", "type"}, "extra_forbidden"},
	{"something else in a list", `{"events":[{"event":{"type":"a"}},1]}`, []string{"events", "1"}, "model_type"},
	{"a chain that is no id", `{"events":[],"correlation_id":1}`, []string{"correlation_id"}, "string_type"},

	// Something else than an event.
	{"an event that is a string", `{"event":"a"}`, []string{"event"}, "model_type"},
	{"an event that is null", `{"event":null}`, []string{"event"}, "model_type"},
	{"an event that is a list", `{"event":[]}`, []string{"event"}, "model_type"},
	{"no type", `{"event":{}}`, []string{"event", "type"}, "missing"},
	{"a type that is a number", `{"event":{"type":1}}`, []string{"event", "type"}, "string_type"},
	{"a type that is null", `{"event":{"type":null}}`, []string{"event", "type"}, "string_type"},
	{"an empty type", `{"type":""}`, []string{"type"}, "string_too_short"},
	{"a long type", `{"type":"` + strings.Repeat("a", 129) + `"}`, []string{"type"}, "string_too_long"},
	{"a control character in a type", `{"type":"a\u0007"}`, []string{"type"}, "value_error"},
	{"NUL in a type", `{"type":"a\u0000"}`, []string{"type"}, "value_error"},

	// Ids.
	{"an id that is a number", `{"event":{"type":"a"},"id":1}`, []string{"id"}, "string_type"},
	{"a long id", `{"event":{"type":"a"},"id":"` + strings.Repeat("a", 257) + `"}`, []string{"id"}, "string_too_long"},
	{"NUL in an id", `{"event":{"type":"a"},"id":"a\u0000"}`, []string{"id"}, "value_error"},
	{"a bad id among many", `{"events":[{"event":{"type":"a"},"id":"e1"},{"event":{"type":"a"},"id":2}]}`, []string{"events", "1", "id"}, "string_type"},
}

// Nothing that is malformed is taken, not even in part, and each mistake is told
// with its place.
func TestMalformedEvents(t *testing.T) {
	h := start(t)
	for _, test := range malformed {
		t.Run(test.name, func(t *testing.T) {
			a := h.post(t, "bad", test.body)
			r := a.rejection(t)
			if r.Type != "validation_failed" || len(r.Errors) == 0 {
				t.Fatalf("%.300s", a.body)
			}
			if e := r.Errors[0]; e.Type != test.mistake || test.loc != nil && !cmp.Equal(e.Loc, test.loc) {
				t.Errorf("%s at %q: %s; want %s at %q", e.Type, e.Loc, e.Msg, test.mistake, test.loc)
			}
			if len(a.body) > 64<<10 {
				t.Errorf("the answer has %d bytes", len(a.body))
			}
		})
	}
	if list, _ := h.page(t, "bad", ""); len(list) != 0 {
		t.Errorf("there are events: %+v", list)
	}
}

// A frame that is malformed gets a result as every other, with its command_id
// wherever that could be read, and is not remembered: the same id may be used for
// what was meant.
func TestMalformedCommands(t *testing.T) {
	h := start(t)
	known, none := "c1", ""
	for _, test := range []struct {
		name, frame string
		id          string // none if it cannot be read
		loc         []string
		mistake     string
	}{
		{"nothing", ``, none, []string{}, "json_invalid"},
		{"a list", `[]`, none, []string{}, "model_type"},
		{"no member", `{}`, none, []string{"command_id"}, "missing"},
		{"no id", `{"command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "missing"},
		{"an id that is a number", `{"command_id":1,"command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "string_type"},
		{"an id that is null", `{"command_id":null,"command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "string_type"},
		{"an empty id", `{"command_id":"","command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "string_too_short"},
		{"a long id", `{"command_id":"` + strings.Repeat("a", 257) + `","command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "string_too_long"},
		{"NUL in an id", `{"command_id":"a\u0000","command":{"type":"publish","event":{"type":"a"}}}`, none, []string{"command_id"}, "value_error"},
		{"no command", `{"command_id":"c1"}`, known, []string{"command"}, "missing"},
		{"a command that is a string", `{"command_id":"c1","command":"publish"}`, known, []string{"command"}, "model_type"},
		{"a command without a type", `{"command_id":"c1","command":{"event":{"type":"a"}}}`, known, []string{"command", "type"}, "missing"},
		{"a command that there is not", `{"command_id":"c1","command":{"type":"restart"}}`, known, []string{"command", "type"}, "literal_error"},
		{"another frame", `{"type":"hello","command_id":"c1","command":{"type":"publish","event":{"type":"a"}}}`, known, []string{"type"}, "literal_error"},
		{"a frame's type that is null", `{"type":null,"command_id":"c1","command":{"type":"publish","event":{"type":"a"}}}`, known, []string{"type"}, "literal_error"},
		{"an unknown member of the frame", `{"command_id":"c1","at":1,"command":{"type":"publish","event":{"type":"a"}}}`, known, []string{"at"}, "extra_forbidden"},
		{"an unknown member of the command", `{"command_id":"c1","command":{"type":"publish","event":{"type":"a"},"events":[]}}`, known, []string{"command", "events"}, "extra_forbidden"},
		{"no event", `{"command_id":"c1","command":{"type":"publish"}}`, known, []string{"command", "event"}, "missing"},
		{"an event that is a list", `{"command_id":"c1","command":{"type":"publish","event":[]}}`, known, []string{"command", "event"}, "model_type"},
		{"an event without a type", `{"command_id":"c1","command":{"type":"publish","event":{}}}`, known, []string{"command", "event", "type"}, "missing"},
		{"an id of an event that is a number", `{"command_id":"c1","command":{"type":"publish","event":{"type":"a"},"id":1}}`, known, []string{"command", "id"}, "string_type"},
		{"the same name twice in the event", `{"command_id":"c1","command":{"type":"publish","event":{"type":"a","n":1,"n":1}}}`, known, []string{"command", "event", "n"}, "duplicate_member"},
		{"invalid UTF-8 behind the id", "{\"command_id\":\"c1\",\"command\":{\"type\":\"publish\",\"event\":{\"type\":\"\xff\"}}}", known, []string{"command", "event", "type"}, "json_invalid"},
		{"half a frame", `{"command_id":"c1","command":{"type":"publ`, known, nil, "json_invalid"},
		{"a deep nest", `{"command_id":"c1","command":{"type":"publish","event":{"type":"a","b":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}}}`, known, nil, "too_deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, status := h.command(t, "bad", test.frame)
			if status != http.StatusUnprocessableEntity || got.Rejection.Type != "validation_failed" || len(got.Rejection.Errors) == 0 {
				t.Fatalf("status %d: %+v", status, got)
			}
			if e := got.Rejection.Errors[0]; e.Type != test.mistake || test.loc != nil && !cmp.Equal(e.Loc, test.loc) {
				t.Errorf("%s at %q: %s; want %s at %q", e.Type, e.Loc, e.Msg, test.mistake, test.loc)
			}
			if test.id == none && got.CommandID != nil || test.id != none && (got.CommandID == nil || *got.CommandID != test.id) {
				t.Errorf("the result is that of %v, want %q", got.CommandID, test.id)
			}
		})
	}
	if got, _ := h.command(t, "bad", publishFrame("c1", `{"type":"a"}`)); !got.OK || got.Outcome.Seq != 1 {
		t.Errorf("the id was remembered: %+v", got)
	}
}

// publishFrame is the frame of a command that publishes an event.
func publishFrame(id, event string) string {
	return fmt.Sprintf(`{"type":"command","command_id":%q,"command":{"type":"publish","event":%s}}`, id, event)
}

// What is sent has to be marked as JSON: a page elsewhere cannot do that without
// asking first.
func TestContentType(t *testing.T) {
	h := start(t)
	for _, path := range []string{eventsOf("a"), commandsOf("a")} {
		for _, mediaType := range []string{"", "text/plain", "application/cbor", "application/x-www-form-urlencoded", "application/json-seq", "json", "text/json"} {
			header := http.Header{}
			if mediaType != "" {
				header.Set("Content-Type", mediaType)
			}
			a := h.do(t, http.MethodPost, path, header, strings.NewReader(`{"type":"a"}`))
			if r := a.rejection(t); r.Type != "validation_failed" || !cmp.Equal(r.Errors[0].Loc, []string{"header", "Content-Type"}) {
				t.Errorf("%s as %q: %s", path, mediaType, a.body)
			}
		}
	}
	for _, mediaType := range []string{"application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset"} {
		a := h.do(t, http.MethodPost, eventsOf("a"), http.Header{"Content-Type": {mediaType}}, strings.NewReader(`{"type":"a"}`))
		if a.status != http.StatusOK {
			t.Errorf("%q: %s", mediaType, a.body)
		}
	}
}

// A body that is too long is refused by its announced length alone, and one that
// does not say how long it is once it is.
func TestBodyTooLarge(t *testing.T) {
	h := start(t)
	for _, path := range []string{eventsOf("a"), commandsOf("a")} {
		c := h.dial(t)
		c.say(t, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16777217\r\n\r\n")
		if r := c.hear(t).rejection(t); r.Type != "too_large" || r.Limit != 16<<20 {
			t.Errorf("%s: %+v", path, r)
		}
		body := strings.NewReader(`{"type":"a","text":"` + strings.Repeat("x", 16<<20) + `"}`)
		a := h.do(t, http.MethodPost, path, asJSON, struct{ *strings.Reader }{body})
		if r := a.rejection(t); r.Type != "too_large" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	// The largest event counts with its envelope.
	if a := h.post(t, "a", `{"type":"a","text":"`+strings.Repeat("x", 16<<20-100)+`"}`); a.rejection(t).Type != "too_large" {
		t.Errorf("an event that is too large with its envelope: %.200s", a.body)
	}
	if a := h.post(t, "a", `{"type":"a","text":"`+strings.Repeat("x", 16<<20-9<<10)+`"}`); a.status != http.StatusOK {
		t.Errorf("a large event: %.200s", a.body)
	}
	if list, _ := h.page(t, "a", ""); len(list) != 1 || len(list[0].Event) < 16<<20-9<<10 {
		t.Errorf("%d events", len(list))
	}
}

// A body that ends before it should is refused, and nothing of it is there.
func TestHalfBody(t *testing.T) {
	h := start(t)
	for _, path := range []string{eventsOf("a"), commandsOf("a")} {
		c := h.dial(t)
		c.say(t, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"+
			"c\r\n{\"type\":\"a\"}\r\nno chunk\r\n")
		if r := c.hear(t).rejection(t); r.Type != "validation_failed" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if list, _ := h.page(t, "a", ""); len(list) != 0 {
		t.Errorf("there are events: %+v", list)
	}
}
