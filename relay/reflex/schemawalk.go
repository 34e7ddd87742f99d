package reflex

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// walk goes through all parts of a compiled schema.
type walk struct {
	meter *meter
	seen  map[*jsonschema.Schema]bool // false: on the way to where the walk is
	later []*jsonschema.Schema        // those that are applied farther inside an event
}

// meterAll makes all parts of a schema count their steps. The error says that one
// leads to itself without going on into the event, or to another schema.
func (m *meter) meterAll(s *jsonschema.Schema) error {
	w := &walk{meter: m, seen: make(map[*jsonschema.Schema]bool), later: []*jsonschema.Schema{s}}
	for len(w.later) > 0 {
		last := len(w.later) - 1
		next := w.later[last]
		w.later = w.later[:last]
		if err := w.walk(next); err != nil {
			return err
		}
	}
	return nil
}

// walk goes through the parts that are applied to one place of an event.
func (w *walk) walk(s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	if done, ok := w.seen[s]; ok {
		if !done {
			return fmt.Errorf("%s leads back to itself", strings.TrimPrefix(s.Location, schemaURL))
		}
		return nil
	}
	if !strings.HasPrefix(s.Location, schemaURL) {
		return errRemote
	}
	w.seen[s] = false
	for _, part := range inPlace(s) {
		if err := w.walk(part); err != nil {
			return err
		}
	}
	w.seen[s] = true
	w.meter.count(s)
	w.later = append(w.later, inside(s)...)
	return nil
}

// inPlace returns the parts of a schema that are applied to the same value as it
// is.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.DependentSchemas)))
	parts = append(parts, s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		parts = append(parts, s.DynamicRef.Ref)
	}
	return parts
}

// inside returns the parts of a schema that are applied to what is inside a value.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(
		s.PrefixItems, slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)))
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		parts = append(parts, more)
	}
	return append(parts, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema)
}
