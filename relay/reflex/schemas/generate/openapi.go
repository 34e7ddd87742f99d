package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
)

// The parts of an OpenAPI document (specification 3.1.0).
type (
	openAPI struct {
		OpenAPI    string                              `json:"openapi"`
		Info       openInfo                            `json:"info"`
		Servers    []openServer                        `json:"servers"`
		Security   []map[string][]string               `json:"security"`
		Paths      map[string]map[string]openOperation `json:"paths"`
		Components openComponents                      `json:"components"`
	}
	openInfo struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Version     string `json:"version"`
	}
	openServer struct {
		URL string `json:"url"`
	}
	openOperation struct {
		ID          string                  `json:"operationId"`
		Summary     string                  `json:"summary"`
		Description string                  `json:"description,omitempty"`
		Parameters  []openParameter         `json:"parameters,omitempty"`
		Body        *openBody               `json:"requestBody,omitempty"`
		Responses   map[string]openResponse `json:"responses"`
	}
	openParameter struct {
		Name        string             `json:"name"`
		In          string             `json:"in"`
		Required    bool               `json:"required,omitempty"`
		Description string             `json:"description"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	openBody struct {
		Required bool                 `json:"required"`
		Content  map[string]openMedia `json:"content"`
	}
	openMedia struct {
		Schema *jsonschema.Schema `json:"schema"`
	}
	openResponse struct {
		Ref         string                `json:"$ref,omitempty"`
		Description string                `json:"description,omitempty"`
		Headers     map[string]openHeader `json:"headers,omitempty"`
		Content     map[string]openMedia  `json:"content,omitempty"`
	}
	openHeader struct {
		Description string             `json:"description"`
		Required    bool               `json:"required,omitempty"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	openComponents struct {
		Schemas         jsonschema.Definitions    `json:"schemas"`
		Responses       map[string]openResponse   `json:"responses"`
		SecuritySchemes map[string]map[string]any `json:"securitySchemes"`
	}
)

// mediaType is that of all bodies.
const mediaType = "application/json"

// openAPIDocument returns the OpenAPI document of all that is served.
func openAPIDocument() (openAPI, error) {
	w, err := newWriter()
	if err != nil {
		return openAPI{}, err
	}
	document := openAPI{
		OpenAPI: "3.1.0",
		Info: openInfo{
			Title: "Hearth: " + reflex.Protocol + " over REST",
			Description: "Streams of events: publish them, read them, follow them. All bodies are JSON. Paths that take GET take HEAD too. " +
				"On the relay's own machine no key is needed.",
			Version: reflex.Protocol,
		},
		Servers:  []openServer{{URL: reflexhttp.Prefix}},
		Security: []map[string][]string{{}, {"key": {}}},
		Paths:    make(map[string]map[string]openOperation),
	}
	for _, o := range reflexhttp.Operations() {
		if document.Paths[o.Path] == nil {
			document.Paths[o.Path] = make(map[string]openOperation)
		}
		document.Paths[o.Path][strings.ToLower(o.Method)] = w.operation(o)
	}
	document.Components = openComponents{
		Schemas:         w.definitions(),
		Responses:       w.refusals,
		SecuritySchemes: map[string]map[string]any{"key": {"type": "http", "scheme": "bearer", "description": "The key of a device, or the owner's token."}},
	}
	return document, nil
}

// writer writes operations, and keeps what they refer to.
type writer struct {
	sent, got *reflector // schemas of what clients send, and of what they get
	refusals  map[string]openResponse
}

func newWriter() (*writer, error) {
	sent, err := newReflector(true)
	if err != nil {
		return nil, err
	}
	got, err := newReflector(false)
	return &writer{sent, got, make(map[string]openResponse)}, err
}

// operation writes an operation.
func (w *writer) operation(o reflexhttp.Operation) openOperation {
	written := openOperation{
		ID: o.ID, Summary: o.Summary, Description: o.Description,
		Responses: map[string]openResponse{strconv.Itoa(o.Answer.Status): w.answer(o.Answer)},
	}
	for _, p := range o.Parameters {
		written.Parameters = append(written.Parameters, w.parameter(p))
	}
	if types := typesOf(o.Body...); types != nil {
		written.Body = &openBody{Required: true, Content: w.sent.content(types...)}
	}
	refused := typesOf[any](reflexhttp.Detail{})
	if o.Refused != nil {
		refused = append(refused, reflect.TypeOf(o.Refused))
	}
	for _, reason := range slices.Concat(reflexhttp.CommonRefusals(), o.Refusals) {
		status := strconv.Itoa(reason.Status())
		written.Responses[status] = openResponse{Ref: w.refusal(reason.Status(), refused)}
	}
	return written
}

// refusal returns a reference to what a refusal with a status is, in a message of one
// of some types.
func (w *writer) refusal(status int, messages []reflect.Type) string {
	name := strconv.Itoa(status)
	for _, message := range messages {
		name = message.Name() + name
	}
	var reasons []string
	for _, reason := range reflex.RejectionTypes() {
		if reason.Status() == status {
			reasons = append(reasons, string(reason))
		}
	}
	w.refusals[name] = openResponse{
		Description: "Refused: " + strings.Join(reasons, " or ") + ".",
		Content:     w.got.content(messages...),
		Headers:     w.headers(refusalHeaders[status]),
	}
	return "#/components/responses/" + name
}

// refusalHeaders are those that refusals with some statuses have.
var refusalHeaders = map[int][]reflexhttp.Header{
	http.StatusUnauthorized:       {{Name: "WWW-Authenticate", Description: "How to show a key.", Always: true}},
	http.StatusTooManyRequests:    {{Name: "Retry-After", Description: "After how many seconds to come again.", Always: true}},
	http.StatusServiceUnavailable: {{Name: "Retry-After", Description: "After how many seconds to come again.", Always: true}},
}

func (w *writer) answer(a reflexhttp.Answer) openResponse {
	response := openResponse{Description: a.Description, Headers: w.headers(a.Headers)}
	if a.Body != nil {
		response.Content = w.got.content(reflect.TypeOf(a.Body))
	}
	return response
}

func (w *writer) headers(list []reflexhttp.Header) map[string]openHeader {
	headers := make(map[string]openHeader)
	for _, h := range list {
		headers[h.Name] = openHeader{Description: h.Description, Required: h.Always, Schema: &jsonschema.Schema{Type: "string"}}
	}
	return headers
}

func (w *writer) parameter(p reflexhttp.Parameter) openParameter {
	schema := w.sent.reflect(reflect.TypeOf(p.Type))
	schema.Default = p.Default
	if schema.Type == "integer" {
		schema.Minimum = "0"
	}
	if p.Max > 0 {
		schema.Maximum = json.Number(strconv.Itoa(p.Max))
	}
	written := openParameter{Name: p.Name, In: "query", Description: p.Description, Schema: schema}
	if p.Path {
		written.In, written.Required = "path", true
	}
	return written
}

// content returns what a body is: one of some types.
func (r *reflector) content(types ...reflect.Type) map[string]openMedia {
	return map[string]openMedia{mediaType: {Schema: r.oneOf(types)}}
}

// definitions returns all schemas that were referred to. What both sides send is
// the same on both.
func (w *writer) definitions() jsonschema.Definitions {
	all := make(jsonschema.Definitions)
	maps.Copy(all, w.sent.definitions)
	maps.Copy(all, w.got.definitions)
	return all
}
