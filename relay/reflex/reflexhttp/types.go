package reflexhttp

import (
	"net/http"
	"time"

	"hearth/relay/reflex"
)

// TypeInfo is what a list says of a type with a schema.
type TypeInfo struct {
	Name      string    `json:"name"`
	ChangedAt time.Time `json:"changed_at"`
}

// DroppedType says whose schema was taken away.
type DroppedType struct {
	Name string `json:"name"`
}

// types lists the types of events that have a schema.
func (x *exchange) types() error {
	// All schemas are read for it.
	room, err := x.handler.options.Pages.Reserve(x.r.Context(), pageRoom)
	if err != nil {
		return err
	}
	defer room.Release()
	list, err := x.handler.options.Service.Types(x.r.Context(), callerOf(x.visitor))
	if err != nil {
		return err
	}
	shown := make([]TypeInfo, len(list))
	for i, t := range list {
		shown[i] = TypeInfo{t.Name, t.ChangedAt}
	}
	return x.answer(http.StatusOK, shown)
}

// getType answers with one type and its schema.
func (x *exchange) getType() error {
	room, err := x.handler.options.Pages.Reserve(x.r.Context(), pageRoom)
	if err != nil {
		return err
	}
	defer room.Release()
	t, err := x.handler.options.Service.Type(x.r.Context(), callerOf(x.visitor), x.name)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, t)
}

// putType gives a type of events the schema that is the body.
func (x *exchange) putType() error {
	body, err := x.body(reflex.MaxSchema)
	if err != nil {
		return err
	}
	defer body.Release()
	if err := x.handler.options.Service.PutType(x.r.Context(), callerOf(x.visitor), x.name, body.Bytes); err != nil {
		return err
	}
	return x.getType()
}

// dropType takes the schema from a type of events.
func (x *exchange) dropType() error {
	if err := x.handler.options.Service.DropType(x.r.Context(), callerOf(x.visitor), x.name); err != nil {
		return err
	}
	return x.answer(http.StatusOK, DroppedType{x.name})
}
