package rules_test

import (
	"fmt"

	"hearth/relay/reflex/rules"
)

// A door that is opened three times within ten minutes.
func Example() {
	rule, err := rules.Parse([]byte(`{
		"name": "restless door",
		"when": {
			"filter": {"kind": "on", "types": ["door.opened"]},
			"pattern": {"kind": "count", "at_least": 3, "within": "PT10M"}
		},
		"scope": {"fields": ["door"]},
		"then": {"action": "notify"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	progress := rule.Begin(0)
	var memory rules.Recall
	for i, door := range []string{"front", "front", "back", "front"} {
		event, err := rules.ReadEvent(fmt.Appendf(nil, `{"type":"door.opened","door":%q}`, door))
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome, err := rule.Evaluate(&progress, &memory, &rules.Envelope{
			Seq: uint64(i) + 1, TS: int64(i) * int64(2*rules.Minute), Type: "door.opened", Event: event,
		}, rules.NoDepth)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(door, outcome.Stage)
		for _, f := range outcome.Firings {
			fmt.Println(f.ScopeKey, f.Matched)
		}
	}
	// Output:
	// front held
	// front held
	// back held
	// front fired
	// ["front"] [1 2 4]
}
