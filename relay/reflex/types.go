package reflex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"hearth/relay/store"
)

// EventType is a type of events that have to be as its schema says.
type EventType struct {
	Name      string          `json:"name"`
	ChangedAt time.Time       `json:"changed_at"`
	Schema    json.RawMessage `json:"schema"` // JSON Schema, draft 2020-12
}

// Types lists the types that have a schema in the caller's space, in the order of
// their names.
func (s *Service) Types(ctx context.Context, c Caller) ([]EventType, error) {
	list, err := s.store.Types(ctx, c.Space)
	if err != nil {
		return nil, err
	}
	types := make([]EventType, len(list))
	for i, t := range list {
		types[i] = EventType{Name: t.Name, ChangedAt: t.ChangedAt, Schema: t.Schema}
	}
	return types, nil
}

// Type returns one of them, or a *store.UnknownTypeError.
func (s *Service) Type(ctx context.Context, c Caller, name string) (EventType, error) {
	types, err := s.Types(ctx, c)
	if err != nil {
		return EventType{}, err
	}
	for _, t := range types {
		if t.Name == name {
			return t, nil
		}
	}
	return EventType{}, &store.UnknownTypeError{Space: c.Space, Name: name}
}

// PutType gives a type of events a schema, which holds for what is published from
// then on; nothing that is there changes. Only the owner may. The errors are
// *Rejection and those of the store.
func (s *Service) PutType(ctx context.Context, c Caller, name string, schema []byte) error {
	if err := mayChange(c); err != nil {
		return err
	}
	if err := checkType(name); err != nil {
		return err
	}
	if _, err := newSchema(schema); err != nil {
		return err
	}
	defer s.types.changed(c.Space)
	return s.store.PutType(ctx, store.Type{Space: c.Space, Name: name, Schema: schema})
}

// DropType takes the schema from a type of events. Only the owner may. The errors
// are *Rejection and those of the store.
func (s *Service) DropType(ctx context.Context, c Caller, name string) error {
	if err := mayChange(c); err != nil {
		return err
	}
	defer s.types.changed(c.Space)
	return s.store.DropType(ctx, c.Space, name)
}

// mayChange refuses a caller who is not the owner.
func mayChange(c Caller) error {
	if c.Owner {
		return nil
	}
	return &Rejection{Type: Forbidden, Message: "only the owner of the relay changes what events have to be like"}
}

// checkType refuses a name that no publisher's events can have.
func checkType(name string) error {
	switch {
	case Owned(name):
		return &Rejection{
			Type:    Forbidden,
			Message: fmt.Sprintf("events of the type %q are published by the relay alone: they need no schema", name),
		}
	case !validType(name):
		return invalid("", fieldError(
			fmt.Sprintf("a type has 1 to %d bytes of UTF-8 without control characters", MaxTypeName), badValue, "name"))
	}
	return nil
}

// types keeps the schemas of the spaces in which somebody publishes, compiled.
type types struct {
	store Store

	mu     sync.Mutex
	spaces map[string]map[string]*schema
	change uint64 // how many times something was changed
}

// changed forgets the schemas of a space.
func (t *types) changed(space string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.spaces, space)
	t.change++
}

// of returns the schemas of a space by type.
func (t *types) of(ctx context.Context, space string) (map[string]*schema, error) {
	t.mu.Lock()
	known, ok := t.spaces[space]
	change := t.change
	t.mu.Unlock()
	if ok {
		return known, nil
	}
	list, err := t.store.Types(ctx, space)
	if err != nil {
		return nil, err
	}
	known = make(map[string]*schema, len(list))
	for _, typ := range list {
		if known[typ.Name], err = newSchema(typ.Schema); err != nil {
			return nil, fmt.Errorf("the schema of the type %q: %w", typ.Name, errors.New(err.Error())) // it was taken once: this is not the publisher's to mend
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.change == change { // or else what was read may be old already
		t.spaces[space] = known
	}
	return known, nil
}

// check checks events of types that have a schema. The error is a *Rejection, or
// the store's.
func (t *types) check(ctx context.Context, space string, p Publication) error {
	known, err := t.of(ctx, space)
	if err != nil || len(known) == 0 {
		return err
	}
	var errs []FieldError
	for i, e := range p.Events {
		if s, ok := known[e.Event.Type]; ok && len(errs) < maxErrors {
			errs = append(errs, s.check(e.Event.JSON, p.loc(i))...)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return invalid("", errs[:min(len(errs), maxErrors)]...)
}
