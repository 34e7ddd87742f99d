package schemas_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"hearth/relay/reflex/rules"
)

// What rules and schedules consist of, each way at least once.
var (
	goodRules = []string{
		`{"name":"r","when":{"filter":{"kind":"on","types":["a","b"]}},"then":{"action":"notify"}}`,
		`{"name":"r","description":"d","streams":["kitchen"],"when":{"filter":{"kind":"all","of":[
			{"kind":"where","field":"a.b","op":"eq","value":null},{"kind":"where","field":"a","op":"in","value":[1]},
			{"kind":"where","field":"a","op":"exists","value":true},{"kind":"not","filter":{"kind":"any","of":[{"kind":"cel","expression":"type == 'a'"}]}}]},
			"dedupe":{"key":["a"],"within":"PT5M"},"pattern":{"kind":"count","at_least":3,"within":1.5},"throttle":{"at_most":1,"per":"1:30:00"}},
			"scope":{"fields":["room"]},"then":{"action":"webhook","params":{"a":[1]}},
			"retry":{"max_attempts":2,"backoff":"PT1S","multiplier":1.5,"max_backoff":"P1D"},
			"ordering":"none","on_dead_letter":"block","start":"beginning","timeout":"PT30S","enabled":false}`,
		`{"name":"r","streams":null,"when":{"filter":{"kind":"where","field":"a","op":"matches","value":"x|y"},"dedupe":null,"throttle":null,
			"pattern":{"kind":"sequence","within":"PT1H","steps":[{"kind":"on","types":["a"]},{"kind":"on","types":["b"]}]}},"then":{"action":"n"},"timeout":null}`,
		`{"name":"r","when":{"filter":{"kind":"where","field":"a","op":"lt"},"pattern":{"kind":"absence","within":"P1D"}},"then":{"action":"n"}}`,
		`{"name":"r","when":{"filter":{"kind":"on","types":["a"]},"pattern":{"kind":"each"}},"scope":{"fields":[]},"then":{"action":"n"},"retry":{}}`,
	}
	goodSchedules = []string{
		`{"name":"s","every":"PT1H"}`,
		`{"name":"s","every":60,"cron":null,"timezone":"Europe/Berlin","catch_up":"all","max_catch_up":5,"streams":["kitchen"]}`,
		`{"name":"s","every":null,"cron":"30 2 * * *","streams":null}`,
	}
)

// unsaid are the mistakes that no schema can see: what a text means, and spans of
// time that are none.
var unsaid = []string{"pattern", "expression", "cron", "timezone", "duration"}

// What is read as a rule or a schedule is one by its schema, too, and what the schema
// takes and the relay does not has mistakes of its own kind, however a good one is
// changed in one place.
func TestSchemasOfRules(t *testing.T) {
	for _, what := range []struct {
		file string
		good []string
		read func([]byte) error
	}{
		{"rule.json", goodRules, func(text []byte) error { _, err := rules.Parse(text); return err }},
		{"schedule.json", goodSchedules, func(text []byte) error { _, err := rules.ParseSchedule(text); return err }},
	} {
		schema := compile(t, what.file)
		for _, good := range what.good {
			var value any
			if err := errors.Join(judge(t, schema, []byte(good)), what.read([]byte(good)), json.Unmarshal([]byte(good), &value)); err != nil {
				t.Errorf("%s: %v", good, err)
			}
			for changed := range changes(value) {
				text, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				bySchema, byRelay := judge(t, schema, text), what.read(text)
				invalid, _ := errors.AsType[*rules.InvalidError](byRelay)
				if bySchema == nil && byRelay != nil && !slices.ContainsFunc(invalid.Errors, func(e rules.FieldError) bool { return !slices.Contains(unsaid, e.Type) }) {
					continue
				}
				if (bySchema == nil) != (byRelay == nil) {
					t.Errorf("%s\nby its schema: %v\nby the relay: %v", text, bySchema, byRelay)
				}
			}
		}
	}
}

// What a rule and a schedule are written as, with everything in them, their schemas
// take.
func TestWrittenRulesFitTheirSchemas(t *testing.T) {
	for _, good := range goodRules {
		rule, err := rules.Parse([]byte(good))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(rule); err != nil || judge(t, compile(t, "rule.json"), text) != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
	for _, good := range goodSchedules {
		schedule, err := rules.ParseSchedule([]byte(good))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(schedule); err != nil || judge(t, compile(t, "schedule.json"), text) != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
}
