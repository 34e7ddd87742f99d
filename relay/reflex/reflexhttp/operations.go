package reflexhttp

import (
	"encoding/json"
	"net/http"

	"hearth/relay/reflex"
	"hearth/relay/reflex/schemas"
)

// The parameters that paths have.
var (
	streamParameter = Parameter{
		Name: "stream_id", Path: true, Type: "",
		Description: "The name of a stream: up to 64 lowercase letters, digits, -, _ and ., the first a letter or a digit. " +
			"Or " + reflex.RelayStream + ", on which the relay tells what happens on it.",
	}
	typeParameter = Parameter{Name: "name", Path: true, Type: "", Description: "The type of events."}
	dataParameter = Parameter{Name: "data", Type: "", Description: "With none, opaque entries come without their bytes."}
	fileParameter = Parameter{Name: "name", Path: true, Type: "", Description: "The name of the file."}
)

// pageParameters say which events a page has.
var pageParameters = []Parameter{
	streamParameter,
	{Name: "after_seq", Type: uint64(0), Description: "The position behind which to read."},
	{Name: "before_seq", Type: uint64(0), Description: "The position before which to read."},
	{
		Name: "limit", Type: 0, Max: reflex.MaxLimit, Default: reflex.DefaultLimit,
		Description: "The first so many of the events that are wanted. Beside last it is refused.",
	},
	{Name: "last", Type: 0, Max: reflex.MaxLimit, Description: "The last so many of them instead, oldest first all the same."},
	{Name: "type", Type: []string{}, Description: "Only events of this type, or of one of these."},
	{
		Name: "resume_cursor", Type: "",
		Description: "Proves which history the reader knows. Where the stream has another, the page begins at its start, " +
			"and the header Hearth-Reset says why.",
	},
	dataParameter,
}

// pageHeaders say where a page stands.
var pageHeaders = []Header{
	{Name: "Link", Description: `With rel="next": there is more, or there may be, and this is how to go on (RFC 8288).`},
	{Name: "Hearth-Cursor", Description: "Where the page ends: the last position that was looked at. Left out if there is no stream."},
	{Name: "Hearth-Reset", Description: "Why the page begins at the stream's start: " + reflex.StreamReplaced + ", " + reflex.CursorAhead + " or " + reflex.CursorDiverged + "."},
}

// Operations describes all that is served below Prefix.
func Operations() []Operation {
	return []Operation{
		{
			Method: http.MethodPost, Path: "/streams/{stream_id}/commands", ID: "command",
			Summary: "Give a command",
			Description: "A command_id that came before, over whichever way, is answered with the first result, and nothing is done again. " +
				"Refusals are results too.",
			Parameters: []Parameter{streamParameter},
			Body:       []any{reflex.CommandFrame{}},
			Answer:     Answer{Status: http.StatusOK, Description: "The result of an accepted command.", Body: reflex.CommandResult{}},
			Refusals:   publishRefusals, Refused: reflex.CommandResult{},
		},
		{
			Method: http.MethodPost, Path: "/streams/{stream_id}/events", ID: "publish",
			Summary: "Publish one event or many",
			Description: "One comes in {\"event\": …} or bare; many are appended together and in order, or not at all. " +
				"An id that is in the stream already is answered with where, and nothing is appended: so whoever sends again what " +
				"got no answer publishes it once.",
			Parameters: []Parameter{streamParameter},
			Body:       []any{reflex.NewEvent{}, reflex.Publication{}, reflex.Event{}},
			Answer:     Answer{Status: http.StatusOK, Description: "Where each event is, in order.", Body: []reflex.Published{}},
			Refusals:   publishRefusals,
		},
		{
			Method: http.MethodGet, Path: "/streams/{stream_id}/events", ID: "read",
			Summary: "Read a page of a stream",
			Description: "Oldest first. A page ends early if it becomes large, or if a long stretch has no event that is wanted: " +
				"whether there is more says the header Link alone. A stream that nobody has written to is empty.",
			Parameters: pageParameters,
			Answer:     Answer{Status: http.StatusOK, Description: "The events.", Body: []reflex.Envelope{}, Headers: pageHeaders},
		},
		{
			Method: http.MethodGet, Path: "/streams/{stream_id}/live", ID: "follow",
			Summary: "Follow a stream over a WebSocket",
			Description: "The subprotocol is " + reflex.Protocol + ". The client begins with a hello; what both may send says the schema of the frames. " +
				"Without a key that is needed the socket is closed with 4401 or 4403 once it is open.",
			Parameters: []Parameter{streamParameter, dataParameter},
			Answer:     Answer{Status: http.StatusSwitchingProtocols, Description: "The socket is open."},
		},
		{
			Method: http.MethodGet, Path: "/types", ID: "listTypes",
			Summary: "List the types of events that have a schema",
			Answer:  Answer{Status: http.StatusOK, Description: "Their names, in order.", Body: []TypeInfo{}},
		},
		{
			Method: http.MethodGet, Path: "/types/{name}", ID: "getType",
			Summary:    "Get the schema of a type",
			Parameters: []Parameter{typeParameter},
			Answer:     Answer{Status: http.StatusOK, Description: "The type with its schema.", Body: reflex.EventType{}},
			Refusals:   []reflex.RejectionType{reflex.NotFound},
		},
		{
			Method: http.MethodPut, Path: "/types/{name}", ID: "putType",
			Summary: "Give a type of events a schema",
			Description: "Only the relay's owner may. The body is a JSON Schema (2020-12) of up to 64 KiB that refers to nothing outside of it. " +
				"It holds for what is published from then on; events of a type without a schema may be anything.",
			Parameters: []Parameter{typeParameter},
			Body:       []any{map[string]any{}},
			Answer:     Answer{Status: http.StatusOK, Description: "The type with its schema.", Body: reflex.EventType{}},
			Refusals:   []reflex.RejectionType{reflex.InvalidState, reflex.TooLarge, reflex.StorageFull},
		},
		{
			Method: http.MethodDelete, Path: "/types/{name}", ID: "dropType",
			Summary:     "Take the schema from a type of events",
			Description: "Only the relay's owner may.",
			Parameters:  []Parameter{typeParameter},
			Answer:      Answer{Status: http.StatusOK, Description: "The type has no schema any more.", Body: DroppedType{}},
			Refusals:    []reflex.RejectionType{reflex.NotFound, reflex.StorageFull},
		},
		{
			Method: http.MethodGet, Path: "/schemas", ID: "listSchemas",
			Summary: "List the JSON Schemas of frames and bodies",
			Answer:  Answer{Status: http.StatusOK, Description: "Their files.", Body: []schemas.Schema{}},
		},
		{
			Method: http.MethodGet, Path: "/schemas/{name}", ID: "getSchema",
			Summary:    "Get a JSON Schema",
			Parameters: []Parameter{fileParameter},
			Answer:     Answer{Status: http.StatusOK, Description: "The schema.", Body: json.RawMessage{}},
			Refusals:   []reflex.RejectionType{reflex.NotFound},
		},
		{
			Method: http.MethodGet, Path: "/openapi.json", ID: "getOpenAPI",
			Summary: "Get this document",
			Answer:  Answer{Status: http.StatusOK, Description: "The document.", Body: map[string]any{}},
		},
	}
}

// publishRefusals are the reasons for which no event is published.
var publishRefusals = []reflex.RejectionType{
	reflex.NotFound, reflex.InvalidState, reflex.TooLarge, reflex.StorageFull,
}
