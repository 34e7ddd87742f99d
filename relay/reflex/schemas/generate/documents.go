package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
)

// document is a file: the schema of one message, or of all that may come in one place.
type document struct {
	name  string
	title string

	// what are the types of which it is one; of a single one, it is that.
	what []reflect.Type

	// events are the events of which it is one instead, by their types: what stands
	// behind these.
	events map[string]any

	// strict says that members that it does not name are refused, as by the relay
	// of what it is sent. To what it sends itself, others may be added (contract,
	// "Versioning and schema").
	strict bool
}

// documents are all files. Those of frames are named by their types.
func documents() []document {
	happenings := make(map[string]any)
	for _, h := range reflex.Happenings() {
		happenings[reflex.HappeningType(h)] = h
	}
	return []document{
		{name: "client_frame", title: "A frame that a client may send", what: typesOf[any](reflex.Hello{}, reflex.CommandFrame{}), strict: true},
		{name: "hello", title: "The first frame of a live client", what: typesOf(reflex.Hello{}), strict: true},
		{name: "command", title: "A command, over WebSocket or REST", what: typesOf(reflex.CommandFrame{}), strict: true},

		{name: "server_frame", title: "A frame that the relay may send", what: typesOf[any](
			reflex.Welcome{}, reflex.EventFrame{}, reflex.ReplayComplete{}, reflex.CommandResult{}, reflex.ErrorFrame{},
		)},
		{name: "welcome", title: "The answer to a hello", what: typesOf(reflex.Welcome{})},
		{name: "event", title: "An event on its way to a live client", what: typesOf(reflex.EventFrame{})},
		{name: "replay_complete", title: "The end of the replay", what: typesOf(reflex.ReplayComplete{})},
		{name: "command_result", title: "The result of a command, over WebSocket or REST", what: typesOf(reflex.CommandResult{})},
		{name: "error", title: "The answer to a frame that is no command", what: typesOf(reflex.ErrorFrame{})},

		{name: "publication", title: "The body that publishes events", what: typesOf[any](reflex.NewEvent{}, reflex.Publication{}, reflex.Event{}), strict: true},
		{name: "published", title: "The answer to a publication", what: typesOf([]reflex.Published{})},
		{name: "page", title: "A page of a stream, oldest first", what: typesOf([]reflex.Envelope{})},
		{name: "refusal", title: "The answer to a request that is refused", what: typesOf(reflexhttp.Detail{})},

		{name: "entry_event", title: "The event as which an opaque entry shows", what: typesOf(reflex.EntryEvent{})},
		{name: "own_event", title: "An event that only the relay publishes", events: reflex.OwnEvents()},
		{name: "relay_event", title: "An event of the stream " + reflex.RelayStream, events: happenings},
	}
}

// typesOf returns the types of values.
func typesOf[T any](values ...T) (types []reflect.Type) {
	for _, v := range values {
		types = append(types, reflect.TypeOf(v))
	}
	return types
}

// generate returns all files by their paths from the folder of the schemas.
func generate() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, d := range documents() {
		schema, err := d.schema()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		if files[d.name+".json"], err = render(schema); err != nil {
			return nil, err
		}
	}
	for name, schema := range ruleDocuments() {
		schema.Version = jsonschema.Version
		text, err := render(schema)
		if err != nil {
			return nil, err
		}
		files[name+".json"] = text
	}
	document, err := openAPIDocument()
	if err != nil {
		return nil, err
	}
	text, err := render(document)
	// A document of OpenAPI keeps schemas in a place of its own.
	files[openAPIFile] = bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"#/components/schemas/`))
	return files, err
}

// openAPIFile is where the OpenAPI document goes.
const openAPIFile = "../reflexhttp/openapi.json"

// schema returns the schema of a document, with all that it refers to.
func (d document) schema() (*jsonschema.Schema, error) {
	r, err := newReflector(d.strict)
	if err != nil {
		return nil, err
	}
	var schema *jsonschema.Schema
	if d.events != nil {
		schema = r.eventOf(d.events)
	} else {
		schema = r.oneOf(d.what)
	}
	schema.Version, schema.Title, schema.Definitions = jsonschema.Version, d.title, r.definitions
	return schema, nil
}

// render returns a document as people read it: indented, and with <, > and & as they
// are.
func render(document any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(document)
	return b.Bytes(), err
}
