package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"hearth/relay/reflex"
)

// reflector makes schemas of Go types.
type reflector struct {
	from        jsonschema.Reflector
	definitions jsonschema.Definitions // of the types met so far, by their names
}

// newReflector returns one that has met no type. It reads the sources, which lie
// in the folder above that of the schemas.
func newReflector(strict bool) (*reflector, error) {
	r := &reflector{definitions: make(jsonschema.Definitions)}
	r.from = jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: !strict, Mapper: r.mapped}
	comments, err := goComments()
	r.from.CommentMap = comments
	return r, err
}

// reflect returns the schema of a type: if it has a name, a reference to its
// definition.
func (r *reflector) reflect(t reflect.Type) *jsonschema.Schema {
	schema := r.from.ReflectFromType(t)
	for name, definition := range schema.Definitions {
		if _, ok := r.definitions[name]; !ok {
			tidy(definition)
			r.definitions[name] = definition
		}
	}
	schema.Version, schema.Definitions = "", nil
	if t == reflect.TypeFor[reflex.CommandResult]() {
		r.settle(r.definitions[t.Name()])
	}
	return schema
}

// oneOf returns the schema of what is one of some types.
func (r *reflector) oneOf(types []reflect.Type) *jsonschema.Schema {
	if len(types) == 1 {
		return r.reflect(types[0])
	}
	schema := new(jsonschema.Schema)
	for _, t := range types {
		schema.OneOf = append(schema.OneOf, r.reflect(t))
	}
	return schema
}

// mapped returns the schemas of types whose JSON is not what their fields say;
// nil for all others.
func (r *reflector) mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[reflex.Event]():
		return r.refer("Event", func() *jsonschema.Schema { return eventSchema(r.comment(t)) })
	case reflect.TypeFor[reflex.Actor]():
		return r.refer("Actor", func() *jsonschema.Schema { return actorSchema(r) })
	case reflect.TypeFor[reflex.RejectionType]():
		return enumeration(reflex.RejectionTypes(), r.comment(t))
	case reflect.TypeFor[reflex.BackupFailure]():
		return enumeration(reflex.BackupFailures(), r.comment(t))
	case reflect.TypeFor[uint64]():
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	}
	return nil
}

// refer returns a reference to a definition, which is made if it is not there.
func (r *reflector) refer(name string, definition func() *jsonschema.Schema) *jsonschema.Schema {
	if _, ok := r.definitions[name]; !ok {
		r.definitions[name] = nil // as it may refer to itself
		r.definitions[name] = definition()
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// comment returns what the source says of a type.
func (r *reflector) comment(t reflect.Type) string {
	return r.from.CommentMap[t.PkgPath()+"."+t.Name()]
}

// eventSchema returns the schema of what publishers publish: whatever they like
// beside a type.
func eventSchema(comment string) *jsonschema.Schema {
	longest, shortest := uint64(reflex.MaxTypeName), uint64(1)
	properties := jsonschema.NewProperties()
	properties.Set("type", &jsonschema.Schema{
		Type: "string", MinLength: &shortest, MaxLength: &longest,
		Description: "What kind of event it is: any name but those of the relay's own events.",
	})
	return &jsonschema.Schema{Type: "object", Description: comment, Properties: properties, Required: []string{"type"}}
}

// eventOf returns the schema of what is one of some events. Their types stand
// before their members.
func (r *reflector) eventOf(events map[string]any) *jsonschema.Schema {
	schema := new(jsonschema.Schema)
	for _, eventType := range slices.Sorted(maps.Keys(events)) {
		t := reflect.TypeOf(events[eventType])
		schema.OneOf = append(schema.OneOf, r.reflect(t))
		event := r.definitions[t.Name()]
		properties := jsonschema.NewProperties()
		properties.Set("type", &jsonschema.Schema{Const: eventType})
		for p := event.Properties.Oldest(); p != nil; p = p.Next() {
			properties.Set(p.Key, p.Value)
		}
		event.Properties, event.Required = properties, slices.Insert(event.Required, 0, "type")
	}
	return schema
}

// settle says that a result has an outcome if the command was accepted, and a
// rejection otherwise.
func (r *reflector) settle(result *jsonschema.Schema) {
	outcome, _ := result.Properties.Get("outcome")
	outcome.OneOf = []*jsonschema.Schema{r.reflect(reflect.TypeFor[reflex.Published]()), {Type: "null"}}
	result.OneOf = []*jsonschema.Schema{
		either("ok", true, "rejection"),
		either("ok", false, "outcome"),
	}
}

// either returns the schema of a message that has a value in one member and
// therefore null in another.
func either(name string, value any, null string) *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set(name, &jsonschema.Schema{Const: value})
	properties.Set(null, &jsonschema.Schema{Type: "null"})
	return &jsonschema.Schema{Properties: properties}
}

// enumeration returns the schema of a text that is one of a list.
func enumeration[T ~string](values []T, comment string) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string", Description: comment}
	for _, v := range values {
		schema.Enum = append(schema.Enum, v)
	}
	return schema
}

// tidy writes a choice of one as what it is, and puts what a member is said to be
// beside the choice between it and null rather than into that.
func tidy(schema *jsonschema.Schema) {
	if schema.Properties == nil {
		return
	}
	for p := schema.Properties.Oldest(); p != nil; p = p.Next() {
		s := p.Value
		if len(s.Enum) == 1 {
			*s = jsonschema.Schema{Const: s.Enum[0]}
		}
		if len(s.OneOf) > 0 {
			s.Description, s.OneOf[0].Description = s.OneOf[0].Description, ""
		}
	}
}
