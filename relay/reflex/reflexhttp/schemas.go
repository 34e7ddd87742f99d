package reflexhttp

import (
	"fmt"
	"net/http"

	"hearth/relay/reflex"
	"hearth/relay/reflex/schemas"
)

// schemas answers with the list of JSON Schemas.
func (x *exchange) schemas() error { return x.answer(http.StatusOK, schemas.List()) }

// schemaFile answers with one of them.
func (x *exchange) schemaFile() error {
	text, ok := schemas.Read(x.name)
	if !ok {
		return &reflex.Rejection{
			Type: reflex.NotFound, Entity: "schema", ID: fmt.Sprintf("%.80s", x.name),
			Message: "there is no such schema; " + Prefix + "/schemas lists them",
		}
	}
	_ = x.send(http.StatusOK, text) // whether the client takes it makes no difference any more
	return nil
}
