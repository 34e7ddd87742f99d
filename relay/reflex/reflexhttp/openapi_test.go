package reflexhttp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/fxamacker/cbor/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// parseJSON reads JSON as validators want it.
func parseJSON(t testing.TB, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return value
}

// close refuses members that are not named, so that nothing is sent of which the
// schemas do not tell. Events alone have members of their publishers' own.
func closeSchemas(definitions any) {
	for name, schema := range definitions.(map[string]any) {
		schema := schema.(map[string]any)
		if schema["properties"] != nil && name != "Event" {
			schema["additionalProperties"] = false
		}
	}
}

// openAPI is the OpenAPI document of a relay, as another implementation reads it.
type openAPI struct {
	document map[string]any
	compiler *jsonschema.Compiler
	answered map[string]bool // operations with the status, as "GET /types 200"
}

func (h *home) openAPI(t testing.TB) *openAPI {
	t.Helper()
	document := parseJSON(t, h.do(t, http.MethodGet, "/reflex/v1/openapi.json", nil, nil).body).(map[string]any)
	closeSchemas(document["components"].(map[string]any)["schemas"])
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	return &openAPI{document, compiler, make(map[string]bool)}
}

// The schemas in the document are sound.
func TestOpenAPISchemasAreSound(t *testing.T) {
	o := start(t).openAPI(t)
	for name := range o.document["components"].(map[string]any)["schemas"].(map[string]any) {
		if _, err := o.compiler.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
}

// Who checks documents of OpenAPI against its specification takes the one that a
// relay serves for one, and not one that says nothing of itself.
func TestOpenAPIJudged(t *testing.T) {
	python := os.Getenv("HEARTH_PYTHON")
	if python == "" {
		t.Skip("HEARTH_PYTHON does not name a Python with the package openapi-spec-validator; make test does")
	}
	judge := func(document []byte) (string, error) {
		c := exec.CommandContext(t.Context(), python, "-m", "openapi_spec_validator", "--schema", "3.1", "--validation-errors", "all", "-")
		c.Stdin = bytes.NewReader(document)
		said, err := c.CombinedOutput()
		return string(said), err
	}
	served := start(t).do(t, http.MethodGet, "/reflex/v1/openapi.json", nil, nil).body
	if said, err := judge(served); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	document := parseJSON(t, served).(map[string]any)
	delete(document, "info")
	nameless, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := judge(nameless); err == nil || !strings.Contains(said, "'info' is a required property") {
		t.Errorf("%v: %s", err, said)
	}
}

// at returns what is at a place of the document, and which place that is once
// references are followed.
func (o *openAPI) at(place ...string) (value map[string]any, at []string) {
	value = o.document
	for _, name := range place {
		value, _ = value[name].(map[string]any)
	}
	if ref, ok := value["$ref"].(string); ok {
		return o.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return value, place
}

// check holds an answer against what the document says of it.
func (o *openAPI) check(t testing.TB, method, path string, a answer) {
	t.Helper()
	status := strconv.Itoa(a.status)
	response, place := o.at("paths", path, strings.ToLower(method), "responses", status)
	if response == nil {
		t.Errorf("%s %s: the document knows no status %s: %.200s", method, path, status, a.body)
		return
	}
	o.answered[method+" "+path+" "+status] = true
	headers, _ := response["headers"].(map[string]any)
	for name, header := range headers {
		if required, _ := header.(map[string]any)["required"].(bool); required && a.header.Get(name) == "" {
			t.Errorf("%s %s %s: no header %s", method, path, status, name)
		}
	}
	for _, name := range []string{"Link", "Hearth-Cursor", "Hearth-Reset", "Retry-After", "Www-Authenticate"} {
		told := slices.ContainsFunc(slices.Collect(maps.Keys(headers)), func(known string) bool { return strings.EqualFold(known, name) })
		if a.header.Get(name) != "" && !told {
			t.Errorf("%s %s %s: the document knows no header %s", method, path, status, name)
		}
	}
	content, _ := response["content"].(map[string]any)
	if media := a.header.Get("Content-Type"); len(content) > 0 && content[media] == nil {
		t.Errorf("%s %s %s: a body of the type %q", method, path, status, media)
		return
	} else if len(content) == 0 {
		return
	}
	place = append(slices.Clone(place), "content", "application/json", "schema")
	for i, name := range place {
		place[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	schema, err := o.compiler.Compile("openapi.json#/" + strings.Join(place, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(parseJSON(t, a.body)); err != nil {
		t.Errorf("%s %s %s: %v\n%.400s", method, path, status, err, a.body)
	}
}

// TestOpenAPI calls every operation, so that it is done and so that it is refused,
// and holds the answers against the document that the same relay serves: their
// status, headers and bodies.
func TestOpenAPI(t *testing.T) {
	h := start(t)
	document := h.openAPI(t)
	owner := with("Authorization", "Bearer "+h.OwnerToken())
	entry, err := cbor.Marshal(map[int]any{0: 1, 1: [][]byte{[]byte("opaque")}})
	if err != nil {
		t.Fatal(err)
	}
	v1, err := h.client.Post("http://"+h.address+"/v1/streams/notes/entries", "application/cbor", bytes.NewReader(entry))
	if err != nil || v1.StatusCode != http.StatusOK {
		t.Fatal(v1, err)
	}
	v1.Body.Close()

	const (
		commands, events, live    = "/streams/{stream_id}/commands", "/streams/{stream_id}/events", "/streams/{stream_id}/live"
		types, schemas, eventType = "/types/{name}", "/schemas/{name}", "/types"
		someCursor                = "1.00112233445566778899aabbccddeeff.000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	)
	for _, call := range []struct {
		method, path string
		value, query string // of the path's parameter, if it has one
		header       http.Header
		body         string
		status       int
	}{
		{"POST", events, "kitchen", "", asJSON, `{"event":{"type":"kettle.on","watts":2000},"id":"a"}`, 200},
		{"POST", events, "kitchen", "", asJSON, `{"event":{"type":"kettle.on"},"id":"a"}`, 200},
		{"POST", events, "kitchen", "", asJSON, `{"events":[{"event":{"type":"kettle.off"}},{"event":{"type":"kettle.on"}}],"correlation_id":"a"}`, 200},
		{"POST", events, "kitchen", "", asJSON, `{"type":"kettle.off"}`, 200},
		{"POST", events, "kitchen", "", asJSON, `{"event":{"type":7}}`, 422},
		{"POST", events, "kitchen", "", nil, `{"type":"kettle.off"}`, 422},
		{"POST", events, "Kitchen", "", asJSON, `{"type":"kettle.off"}`, 422},
		{"POST", events, "kitchen", "", asJSON, `{"type":"tick"}`, 403},
		{"POST", events, "kitchen", "", asJSON, `{"events":[{"event":{"type":"x"}}],"correlation_id":"none"}`, 404},
		{"POST", events, "kitchen", "", asJSON, strings.Repeat(" ", 17<<20), 413},
		{"POST", events, "kitchen", "", with("Authorization", "Bearer wrong"), `{"type":"kettle.off"}`, 401},
		{"POST", events, "kitchen", "", with("Origin", "https://elsewhere.example"), `{"type":"kettle.off"}`, 403},
		{"POST", events, "notes", "", asJSON, `{"type":"kettle.off"}`, 409},

		{"POST", commands, "kitchen", "", asJSON, `{"command_id":"1","command":{"type":"publish","event":{"type":"kettle.on"}}}`, 200},
		{"POST", commands, "kitchen", "", asJSON, `{"command_id":"2","command":{"type":"publish","event":{"type":"tick"}}}`, 403},
		{"POST", commands, "kitchen", "", asJSON, `{"command_id":"3","command":{"type":"publish","event":{"type":"x"},"correlation_id":"none"}}`, 404},
		{"POST", commands, "kitchen", "", asJSON, `{"command_id":"4","command":{"type":"publish"}}`, 422},
		{"POST", commands, "kitchen", "", asJSON, `{`, 422},
		{"POST", commands, "notes", "", asJSON, `{"command_id":"5","command":{"type":"publish","event":{"type":"x"}}}`, 409},
		{"POST", commands, "kitchen", "", asJSON, strings.Repeat(" ", 17<<20), 413},
		{"POST", commands, "kitchen", "", with("Authorization", "Bearer wrong"), `{}`, 401},
		{"POST", commands, "kitchen", "", with("Origin", "https://elsewhere.example"), `{}`, 403},

		{"GET", events, "kitchen", "", nil, "", 200},
		{"GET", events, "kitchen", "?limit=2&after_seq=1&before_seq=100&type=kettle.on&type=kettle.off", nil, "", 200},
		{"GET", events, "kitchen", "?last=1", nil, "", 200},
		{"GET", events, "kitchen", "?resume_cursor=" + someCursor, nil, "", 200},
		{"GET", events, "notes", "", nil, "", 200},
		{"GET", events, "notes", "?data=none", nil, "", 200},
		{"GET", events, "_relay", "", nil, "", 200},
		{"GET", events, "nothing", "", nil, "", 200},
		{"GET", events, "kitchen", "?limit=many", nil, "", 422},
		{"GET", events, "kitchen", "?limit=1&last=1", nil, "", 422},
		{"GET", events, "kitchen", "", http.Header{"Authorization": {"Bearer wrong"}}, "", 401},

		{"GET", live, "kitchen", "", nil, "", 422}, // without an upgrade

		{"PUT", types, "kettle.on", "", owner, `{"type":"object","properties":{"watts":{"type":"integer"}}}`, 200},
		{"PUT", types, "kettle.on", "", owner, `{"type":"nothing"}`, 422},
		{"PUT", types, "kettle.on", "", asJSON, `{}`, 403},
		{"PUT", types, "kettle.on", "", owner, strings.Repeat(" ", 65<<10), 413},
		{"POST", events, "kitchen", "", asJSON, `{"type":"kettle.on","watts":"many"}`, 422},
		{"GET", eventType, "", "", nil, "", 200},
		{"GET", types, "kettle.on", "", nil, "", 200},
		{"GET", types, "kettle.off", "", nil, "", 404},
		{"DELETE", types, "kettle.on", "", nil, "", 403},
		{"DELETE", types, "kettle.on", "", owner, "", 200},
		{"DELETE", types, "kettle.on", "", owner, "", 404},

		{"GET", "/schemas", "", "", nil, "", 200},
		{"GET", schemas, "hello.json", "", nil, "", 200},
		{"GET", schemas, "none.json", "", nil, "", 404},
		{"GET", "/openapi.json", "", "", nil, "", 200},
	} {
		target := strings.NewReplacer("{stream_id}", call.value, "{name}", call.value).Replace("/reflex/v1"+call.path) + call.query
		a := h.do(t, call.method, target, call.header, strings.NewReader(call.body))
		if a.status != call.status {
			t.Errorf("%s %s %.80s: status %d, want %d: %.200s", call.method, target, call.body, a.status, call.status, a.body)
		}
		document.check(t, call.method, call.path, a)
	}
	socket, shaken, err := websocket.Dial(t.Context(), "ws://"+h.address+"/reflex/v1/streams/kitchen/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	document.check(t, "GET", live, answer{status: shaken.StatusCode, header: shaken.Header})
	_ = socket.CloseNow()

	for path, methods := range document.document["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			for status := range operation.(map[string]any)["responses"].(map[string]any) {
				if done := strings.ToUpper(method) + " " + path + " " + status; status < "300" && !document.answered[done] {
					t.Errorf("%s: nothing was answered so", done)
				}
			}
		}
	}
}
