package reflexhttp

import (
	"context"
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
	list, err := readTypes(x, x.handler.options.Service.Types)
	if err != nil {
		return err
	}
	shown := make([]TypeInfo, len(list))
	for i, t := range list {
		shown[i] = TypeInfo{t.Name, t.ChangedAt}
	}
	return x.answerLong(shown)
}

// getType answers with one type and its schema.
func (x *exchange) getType() error {
	t, err := readTypes(x, func(ctx context.Context, c reflex.Caller) (reflex.EventType, error) {
		return x.handler.options.Service.Type(ctx, c, x.name)
	})
	if err != nil {
		return err
	}
	return x.answerLong(t)
}

// readTypes reads types in the room for reading: all schemas of the space are in
// memory meanwhile.
func readTypes[T any](x *exchange, read func(context.Context, reflex.Caller) (T, error)) (T, error) {
	ctx := x.r.Context()
	room, err := x.handler.options.Pages.Reserve(ctx, pageRoom)
	if err != nil {
		var none T
		return none, err
	}
	defer room.Release()
	return read(ctx, callerOf(x.visitor))
}

// answerLong sends a message that a slow client may take long for.
func (x *exchange) answerLong(message any) error {
	body, err := encode(message)
	if err != nil {
		return err
	}
	room, err := x.handler.options.Sending.Share(x.r).Reserve(x.r.Context(), int64(len(body)))
	if err != nil {
		return err
	}
	defer room.Release()
	_ = x.send(http.StatusOK, body) // whether the client takes it makes no difference any more
	return nil
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
