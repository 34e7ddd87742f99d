package main

import (
	"encoding/json"
	"strconv"

	"github.com/invopop/jsonschema"

	"hearth/relay/reflex/rules"
)

// ruleDocuments are the files of what is read by rules itself rather than into Go
// types: their bounds are the ones that it holds to. What a regular expression or
// CEL is, and how many filters a rule has, no schema can say.
func ruleDocuments() map[string]*jsonschema.Schema {
	return map[string]*jsonschema.Schema{
		"rule":     ruleSchema(),
		"schedule": scheduleSchema(),
	}
}

func ruleSchema() *jsonschema.Schema {
	schema := shape("What is done when something happens in a stream.", "name", "when", "then")(
		property{"name", nameSchema("What the rule is called.")},
		property{"description", withDefault("", textSchema("What it is for.", 0, rules.MaxDescription))},
		property{"streams", streamsSchema("At which streams it looks; null is the one through which it was given.")},
		property{"when", whenSchema()},
		property{"scope", shape("What tells scopes apart: each has a state of its own.", "fields")(
			property{"fields", listOf("Fields of the event; one that is missing is an error.", textSchema("", 0, rules.MaxField), 0, rules.MaxFields)},
		)},
		property{"then", shape("What is done.", "action")(
			property{"action", nameSchema("The name of the action.")},
			property{"params", withDefault(map[string]any{}, &jsonschema.Schema{Type: "object", Description: "Its parameters."})},
		)},
		property{"retry", shape("How often a run is tried, and how long it waits in between.")(
			property{"max_attempts", withDefault(5, integer("", rules.MaxAttempts))},
			property{"backoff", withDefault("PT1S", durationSchema("Behind the first attempt."))},
			property{"multiplier", withDefault(2, &jsonschema.Schema{
				Type: "number", Minimum: "1", Maximum: json.Number(strconv.Itoa(rules.MaxMultiplier)), Description: "By how much it grows each time.",
			})},
			property{"max_backoff", withDefault("PT5M", durationSchema("At most."))},
		)},
		property{"ordering", choice("How runs of a scope follow each other: one after the other, or as they come.", rules.OrderScope, rules.OrderNone)},
		property{"on_dead_letter", choice("What becomes of the later runs of a scope when one is a dead letter.", rules.Continue, rules.Block)},
		property{"start", choice("From where on it looks at a stream that is there already.", rules.StartNow, rules.StartBeginning)},
		property{"timeout", orNull(durationSchema("Of an attempt."))},
		property{"enabled", withDefault(true, &jsonschema.Schema{Type: "boolean"})},
	)
	schema.Title = "A rule"
	schema.Definitions = jsonschema.Definitions{
		"Filter": filterSchema(), "Pattern": patternSchema(), "Duration": durationDefinition(),
	}
	return schema
}

func whenSchema() *jsonschema.Schema {
	return shape("What an event has to pass, in this order.", "filter")(
		property{"filter", refer("Filter")},
		property{"dedupe", orNull(shape("Drops an event whose key was seen a short while before.", "key", "within")(
			property{"key", listOf("Fields; one that is missing counts as null.", textSchema("", 0, rules.MaxField), 1, rules.MaxFields)},
			property{"within", durationSchema("")},
		))},
		property{"pattern", refer("Pattern")},
		property{"throttle", orNull(shape("Drops what fires more often.", "at_most", "per")(
			property{"at_most", integer("", rules.MaxMembers)},
			property{"per", durationSchema("")},
		))},
	)
}

func filterSchema() *jsonschema.Schema {
	filters := listOf("", refer("Filter"), 1, rules.MaxFilters)
	return &jsonschema.Schema{
		Description: "Which events are looked at.",
		OneOf: []*jsonschema.Schema{
			kind("on", "Those of some types.", "types")(
				property{"types", listOf("", textSchema("", 0, rules.MaxType), 1, rules.MaxTypes)},
			),
			whereSchema(),
			kind("all", "What all of several filters pass.", "of")(property{"of", filters}),
			kind("any", "What any of several filters passes.", "of")(property{"of", filters}),
			kind("not", "What a filter does not pass.", "filter")(property{"filter", refer("Filter")}),
			kind("cel", "Those for which an expression of the Common Expression Language is true; it knows event, type and ts.", "expression")(
				property{"expression", textSchema("", 0, rules.MaxExpression)},
			),
		},
	}
}

func whereSchema() *jsonschema.Schema {
	field := textSchema("A field of the event; dots lead into objects.", 0, rules.MaxField)
	field.Pattern = rules.FieldPattern
	where := kind("where", "Those with a field that is as it says.", "field", "op")(
		property{"field", field},
		property{"op", &jsonschema.Schema{Type: "string", Enum: anything(rules.Ops())}},
		property{"value", &jsonschema.Schema{Description: "What the field is compared with."}},
	)
	for _, p := range []property{
		{"in", listOf("", jsonschema.TrueSchema, 0, rules.MaxMembers)},
		{"exists", &jsonschema.Schema{Type: "boolean"}},
		{"matches", textSchema("A regular expression as RE2 has it.", 0, rules.MaxExpression)},
	} {
		where.AllOf = append(where.AllOf, &jsonschema.Schema{
			If:   having(&jsonschema.Schema{Required: []string{"op"}}, property{"op", &jsonschema.Schema{Const: p.name}}),
			Then: having(&jsonschema.Schema{Required: []string{"value"}}, property{"value", p.schema}),
		})
	}
	return where
}

func patternSchema() *jsonschema.Schema {
	within := property{"within", durationSchema("")}
	return &jsonschema.Schema{
		Description: "How many of the events that pass make the rule fire.",
		OneOf: []*jsonschema.Schema{
			kind("each", "Each does.")(),
			kind("count", "So many within a time.", "at_least", "within")(property{"at_least", integer("", rules.MaxMembers)}, within),
			kind("sequence", "Those that come in an order, all within a time from the first.", "steps", "within")(
				property{"steps", listOf("", refer("Filter"), 2, rules.MaxSteps)}, within,
			),
			kind("absence", "None for a time behind one.", "within")(within),
		},
	}
}

func scheduleSchema() *jsonschema.Schema {
	every := durationSchema("The time between two ticks.")
	schema := shape("When ticks come.", "name")(
		property{"name", nameSchema("What the schedule is called.")},
		property{"every", orNull(every)},
		property{"cron", orNull(textSchema("Five fields: minute, hour, day, month, weekday.", 0, rules.MaxExpression))},
		property{"timezone", withDefault("UTC", textSchema("In which cron is meant: a name like Europe/Berlin.", 1, rules.MaxZone))},
		property{"catch_up", choice("What becomes of ticks that were missed: only the latest comes, or all.", rules.CatchUpSkip, rules.CatchUpAll)},
		property{"max_catch_up", integer("How many are made up for at most.", rules.MaxCatchUp)},
		property{"streams", streamsSchema("Into which streams ticks go; null is the one through which it was given.")},
	)
	for _, one := range [][2]string{{"every", "cron"}, {"cron", "every"}} {
		schema.OneOf = append(schema.OneOf, having(&jsonschema.Schema{Required: []string{one[0]}},
			property{one[0], &jsonschema.Schema{Not: &jsonschema.Schema{Type: "null"}}},
			property{one[1], &jsonschema.Schema{Type: "null"}},
		))
	}
	schema.Title = "A schedule"
	schema.Definitions = jsonschema.Definitions{"Duration": durationDefinition()}
	return schema
}

// durationDefinition is what rules.ParseDuration reads, and a number of seconds.
func durationDefinition() *jsonschema.Schema {
	return &jsonschema.Schema{
		Description: "A time span: as ISO 8601 has it, in hours, minutes and seconds with colons, or a number of seconds.",
		OneOf: []*jsonschema.Schema{
			{Type: "number", ExclusiveMinimum: "0"},
			{Type: "string", Pattern: rules.DurationPattern, Not: &jsonschema.Schema{Pattern: "[PT]$"}},
		},
	}
}

func durationSchema(description string) *jsonschema.Schema {
	schema := refer("Duration")
	schema.Description = description
	return schema
}

func refer(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// property is a member that an object may have.
type property struct {
	name   string
	schema *jsonschema.Schema
}

// having returns a schema with properties.
func having(schema *jsonschema.Schema, list ...property) *jsonschema.Schema {
	schema.Properties = jsonschema.NewProperties()
	for _, p := range list {
		schema.Properties.Set(p.name, p.schema)
	}
	return schema
}

// shape returns the schema of an object that has the properties that it is given,
// some of which it must have, and no others.
func shape(description string, required ...string) func(...property) *jsonschema.Schema {
	return func(list ...property) *jsonschema.Schema {
		return having(&jsonschema.Schema{
			Type: "object", Description: description, Required: required, AdditionalProperties: jsonschema.FalseSchema,
		}, list...)
	}
}

// kind is a shape that says what it is.
func kind(name, description string, required ...string) func(...property) *jsonschema.Schema {
	of := shape(description, append([]string{"kind"}, required...)...)
	return func(list ...property) *jsonschema.Schema {
		return of(append([]property{{"kind", &jsonschema.Schema{Const: name}}}, list...)...)
	}
}

func textSchema(description string, shortest, longest uint64) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string", Description: description, MaxLength: &longest}
	if shortest > 0 {
		schema.MinLength = &shortest
	}
	return schema
}

func nameSchema(description string) *jsonschema.Schema {
	schema := textSchema(description, 1, rules.MaxName)
	schema.Pattern = `^[^\x00-\x1f\x7f-\x9f]*$`
	return schema
}

func streamsSchema(description string) *jsonschema.Schema {
	return orNull(listOf(description, textSchema("", 0, rules.MaxStreamName), 1, rules.MaxStreams))
}

func listOf(description string, element *jsonschema.Schema, least, most uint64) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "array", Description: description, Items: element, MaxItems: &most}
	if least > 0 {
		schema.MinItems = &least
	}
	return schema
}

func integer(description string, most int) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Description: description, Minimum: "1", Maximum: json.Number(strconv.Itoa(most))}
}

// choice is one of some words; the first is what is meant when nothing is said.
func choice(description string, words ...string) *jsonschema.Schema {
	return withDefault(words[0], &jsonschema.Schema{Type: "string", Description: description, Enum: anything(words)})
}

func anything(words []string) (list []any) {
	for _, word := range words {
		list = append(list, word)
	}
	return list
}

func withDefault(value any, schema *jsonschema.Schema) *jsonschema.Schema {
	schema.Default = value
	return schema
}

func orNull(schema *jsonschema.Schema) *jsonschema.Schema {
	description := schema.Description
	schema.Description = ""
	return &jsonschema.Schema{Description: description, OneOf: []*jsonschema.Schema{schema, {Type: "null"}}}
}
