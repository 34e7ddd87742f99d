package reflexhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// eventType is a type with a schema; a list leaves the schema out.
type eventType struct {
	Name      string          `json:"name"`
	ChangedAt time.Time       `json:"changed_at"`
	Schema    json.RawMessage `json:"schema,omitempty"`
}

const doorSchema = `{"type":"object","required":["door"],"properties":{"type":true,"door":{"enum":["front","back"]},"open":{"type":"boolean"}},"additionalProperties":false}`

// Only the owner says what events of a type have to be like; whoever publishes
// others is told each mistake and where it is, and nothing of that is appended.
func TestTypes(t *testing.T) {
	h := start(t)
	owner := with("Authorization", "Bearer "+h.OwnerToken())
	put := func(name, schema string) answer {
		t.Helper()
		return h.do(t, http.MethodPut, "/reflex/v1/types/"+name, owner, strings.NewReader(schema))
	}
	list := func() (names []string) {
		t.Helper()
		for _, e := range decode[[]eventType](t, h.do(t, http.MethodGet, "/reflex/v1/types", nil, nil).body) {
			if e.ChangedAt.IsZero() || e.Schema != nil {
				t.Errorf("%+v", e)
			}
			names = append(names, e.Name)
		}
		return names
	}
	if a := h.do(t, http.MethodGet, "/reflex/v1/types", nil, nil); string(a.body) != "[]" {
		t.Errorf("%s", a.body)
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		a := h.do(t, method, "/reflex/v1/types/door", asJSON, strings.NewReader(doorSchema))
		if r := a.rejection(t); r.Type != "forbidden" {
			t.Errorf("%s by anybody: %s", method, a.body)
		}
	}
	a := put("door", doorSchema)
	if got := decode[eventType](t, a.body); a.status != http.StatusOK || got.Name != "door" || string(got.Schema) != doorSchema {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := put("a%2Fb", `{}`); a.status != http.StatusOK {
		t.Errorf("%s", a.body)
	}
	if diff := cmp.Diff([]string{"a/b", "door"}, list()); diff != "" {
		t.Error(diff)
	}
	if got := decode[eventType](t, h.do(t, http.MethodGet, "/reflex/v1/types/door", nil, nil).body); string(got.Schema) != doorSchema {
		t.Errorf("%+v", got)
	}

	h.publish(t, "house", `{"type":"door","door":"front","open":true}`)
	for _, test := range []struct {
		what string
		ask  func() rejection
		loc  []string
	}{
		{"bare", func() rejection { return h.post(t, "house", `{"type":"door","door":1}`).rejection(t) }, []string{"door"}},
		{"wrapped", func() rejection { return h.post(t, "house", `{"event":{"type":"door","door":1}}`).rejection(t) }, []string{"event", "door"}},
		{"many", func() rejection {
			return h.post(t, "house", `{"events":[{"event":{"type":"other"}},{"event":{"type":"door","door":"front","open":1}}]}`).rejection(t)
		}, []string{"events", "1", "event", "open"}},
		{"a command", func() rejection {
			got, _ := h.command(t, "house", publishFrame("c1", `{"type":"door","door":1}`))
			return *got.Rejection
		}, []string{"command", "event", "door"}},
	} {
		r := test.ask()
		if r.Type != "validation_failed" || !cmp.Equal(r.Errors[0].Loc, test.loc) || r.Errors[0].Msg == "" || r.Errors[0].Type == "" {
			t.Errorf("%s: %+v", test.what, r)
		}
	}
	if list, _ := h.page(t, "house", ""); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	// Another space is another house.
	if a := h.do(t, http.MethodPost, eventsOf("house"), with("Hearth-Space", "other"), strings.NewReader(`{"type":"door"}`)); a.status != http.StatusOK {
		t.Errorf("%s", a.body)
	}

	a = h.do(t, http.MethodDelete, "/reflex/v1/types/door", owner, nil)
	if a.status != http.StatusOK || string(a.body) != `{"name":"door"}` {
		t.Errorf("%d %s", a.status, a.body)
	}
	h.publish(t, "house", `{"type":"door"}`)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		a := h.do(t, method, "/reflex/v1/types/door", owner, nil)
		if r := a.rejection(t); r.Type != "not_found" || r.Entity != "event type" || r.ID != "door" {
			t.Errorf("%s: %s", method, a.body)
		}
	}
	if diff := cmp.Diff([]string{"a/b"}, list()); diff != "" {
		t.Error(diff)
	}
}

// What is no schema, or too much of one, is refused, and what was there stays.
func TestBadTypes(t *testing.T) {
	h := start(t)
	owner := with("Authorization", "Bearer "+h.OwnerToken())
	put := func(name, schema string) answer {
		t.Helper()
		return h.do(t, http.MethodPut, "/reflex/v1/types/"+name, owner, strings.NewReader(schema))
	}
	if a := put("door", doorSchema); a.status != http.StatusOK {
		t.Fatalf("%s", a.body)
	}
	for _, test := range []struct{ name, schema, reason string }{
		{"door", ``, "validation_failed"},
		{"door", `{`, "validation_failed"},
		{"door", `true`, "validation_failed"},
		{"door", `{"type":"objekt"}`, "validation_failed"},
		{"door", `{"$ref":"https://schemas.example/door.json"}`, "validation_failed"},
		{"door", `{"$ref":"file:///etc/passwd"}`, "validation_failed"},
		{"door", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, "validation_failed"},
		{"door", `{"properties":{"a":{},"a":{}}}`, "validation_failed"},
		{"door", `{"description":"` + strings.Repeat("x", 64<<10) + `"}`, "too_large"},
		{"tick", `{}`, "forbidden"},
		{"%07", `{}`, "validation_failed"},
		{strings.Repeat("x", 129), `{}`, "validation_failed"},
	} {
		a := put(test.name, test.schema)
		if r := a.rejection(t); r.Type != test.reason {
			t.Errorf("%.100s as %.80s: %.300s", test.schema, test.name, a.body)
		}
	}
	if a := h.do(t, http.MethodPut, "/reflex/v1/types/door", http.Header{"Authorization": owner["Authorization"]}, strings.NewReader(`{}`)); a.rejection(t).Type != "validation_failed" {
		t.Errorf("without a media type: %s", a.body)
	}
	if got := decode[eventType](t, h.do(t, http.MethodGet, "/reflex/v1/types/door", nil, nil).body); string(got.Schema) != doorSchema {
		t.Errorf("%+v", got)
	}
}

// Schemas hold after a restart, and a stream with many types stays quick to
// publish to: each is looked at only for its own events.
func TestTypesLast(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, options)
	owner := with("Authorization", "Bearer "+h.OwnerToken())
	for i := range 50 {
		a := h.do(t, http.MethodPut, fmt.Sprintf("/reflex/v1/types/t%d", i), owner, strings.NewReader(fmt.Sprintf(`{"required":["n%d"]}`, i)))
		if a.status != http.StatusOK {
			t.Fatalf("%s", a.body)
		}
	}
	h.stop()
	h = open(t, dir, options)
	if r := h.post(t, "a", `{"type":"t7","n8":1}`).rejection(t); r.Type != "validation_failed" {
		t.Errorf("%+v", r)
	}
	h.publish(t, "a", `{"type":"t7","n7":1}`)
	h.publish(t, "a", `{"type":"t50"}`)
}
