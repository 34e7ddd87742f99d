package reflex

import (
	"context"
	"encoding/json"
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

// maxSpaces is of how many spaces the schemas are kept at the most: of more than a
// relay has, but names cost a client nothing.
const maxSpaces = 1000

// types keeps the schemas of the spaces in which somebody publishes.
type types struct {
	store Store

	mu     sync.Mutex
	spaces map[string]map[string]*typed
	change uint64 // how many times something was changed

	large sync.Mutex // held while an event is checked that is
}

const (
	// largeChecked is from how many bytes on events are checked one at a time:
	// taken apart they need some thirty times the memory.
	largeChecked = 64 << 10

	// maxChecked is the largest event of a type that has a schema, in bytes.
	maxChecked = 2 << 20
)

// typed is a type with its schema, which is compiled once it is needed.
type typed struct {
	text []byte

	once   sync.Once
	schema *schema
	err    error
}

func (t *typed) compiled() (*schema, error) {
	t.once.Do(func() { t.schema, t.err = newSchema(t.text) })
	return t.schema, t.err
}

// changed forgets the schemas of a space.
func (t *types) changed(space string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.spaces, space)
	t.change++
}

// of returns the schemas of a space by type.
func (t *types) of(ctx context.Context, space string) (map[string]*typed, error) {
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
	known = make(map[string]*typed, len(list))
	for _, typ := range list {
		known[typ.Name] = &typed{text: typ.Schema}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.change == change { // or else what was read may be old already
		if len(t.spaces) >= maxSpaces {
			clear(t.spaces)
		}
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
	left := maxSteps // which all of them may take, beside one for each of their bytes
	for i, e := range p.Events {
		typ, ok := known[e.Event.Type]
		if !ok || len(errs) >= maxErrors {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := typ.compiled()
		if err != nil { // it was taken once, so this is not the publisher's to mend
			return fmt.Errorf("the schema of the type %q is none any more: %s", e.Event.Type, err.Error())
		}
		if len(e.Event.JSON) > maxChecked {
			return &Rejection{
				Type: TooLarge, Limit: maxChecked,
				Message: fmt.Sprintf("an event of a type that has a schema has at most %d bytes, not %d", maxChecked, len(e.Event.JSON)),
			}
		}
		found, steps := t.checkOne(s, e.Event.JSON, p.loc(i))
		errs = append(errs, found...)
		if left += len(e.Event.JSON) - steps; left < 0 {
			errs = append(errs, fieldError(errTooMany.Error(), badValue, p.loc(i)...))
			break
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return invalid("", errs[:min(len(errs), maxErrors)]...)
}

// checkOne checks an event against its schema, and says how many steps that took.
func (t *types) checkOne(s *schema, event []byte, loc []string) (errs []FieldError, steps int) {
	if len(event) > largeChecked {
		t.large.Lock()
		defer t.large.Unlock()
	}
	return s.check(event, loc)
}
