package main

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/invopop/jsonschema"

	"hearth/relay/reflex"
)

// actorKinds are the kinds of actors, with the names of their definitions.
var actorKinds = []struct{ kind, name, description string }{
	{reflex.User, "User", "A person."},
	{reflex.Agent, "Agent", "An action of a run."},
	{reflex.ExternalAgent, "ExternalAgent", "A client that acts by itself, perhaps for a person."},
	{reflex.System, "System", "A part of the relay."},
	{reflex.Source, "Source", "A device or a program that reports."},
}

// actorSchema returns the schema of actors: one of the kinds, each with the members
// that it has.
func actorSchema(r *reflector) *jsonschema.Schema {
	schema := &jsonschema.Schema{Description: "Who did something."}
	for _, k := range actorKinds {
		schema.OneOf = append(schema.OneOf, r.refer(k.name, func() *jsonschema.Schema {
			required, optional := actorMembers(k.kind)
			one := uint64(1)
			properties := jsonschema.NewProperties()
			properties.Set("kind", &jsonschema.Schema{Const: k.kind})
			for _, name := range slices.Concat(required, optional) {
				member := &jsonschema.Schema{Type: "string", MinLength: &one}
				if name == "on_behalf_of" {
					member = &jsonschema.Schema{Ref: "#/$defs/User"}
				}
				properties.Set(name, member)
			}
			return &jsonschema.Schema{
				Type: "object", Description: k.description, Properties: properties, Required: append([]string{"kind"}, required...),
			}
		}))
	}
	return schema
}

// actorMembers returns the members that actors of a kind must have beside it, and
// those that they may have. It asks the actors themselves, by rendering one with
// each selection of fields: those with others than their kind has do not render.
func actorMembers(kind string) (required, optional []string) {
	user := &reflex.Actor{Kind: reflex.User, ID: "id"}
	fill := []func(*reflex.Actor){
		func(a *reflex.Actor) { a.ID = "id" },
		func(a *reflex.Actor) { a.Rule = "rule" },
		func(a *reflex.Actor) { a.RunID = "run" },
		func(a *reflex.Actor) { a.ClientID = "client" },
		func(a *reflex.Actor) { a.Name = "name" },
		func(a *reflex.Actor) { a.OnBehalfOf = user },
	}
	rendered, having := 0, make(map[string]int)
	for selection := range 1 << len(fill) {
		actor := reflex.Actor{Kind: kind}
		for i, f := range fill {
			if selection>>i&1 == 1 {
				f(&actor)
			}
		}
		text, err := json.Marshal(actor)
		if err != nil {
			continue
		}
		var members map[string]any
		if json.Unmarshal(text, &members) != nil {
			continue
		}
		rendered++
		for name := range members {
			having[name]++
		}
	}
	delete(having, "kind")
	for _, name := range slices.Sorted(maps.Keys(having)) {
		if having[name] == rendered {
			required = append(required, name)
		} else {
			optional = append(optional, name)
		}
	}
	return required, optional
}
