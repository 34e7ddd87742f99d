package rules

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// Rules and logs to try promises on: small enough for things to coincide.

var (
	someTypes  = rapid.SampledFrom([]string{"a", "b", "c", "rule_fired"})
	someFields = rapid.SampledFrom([]string{"type", "k", "n", "o.p", "gone"})
	someValues = rapid.SampledFrom([]any{nil, true, 1, 1.0, 2.5, -3, "x", "y", "a", []any{1, "x"}, map[string]any{"p": 1}})
	someTimes  = rapid.SampledFrom([]any{1, 2, "PT3S", 5, 0.5, "PT10S"})
)

type object = map[string]any

func drawFilter(t *rapid.T, depth int) object {
	kinds := []string{"on", "on", "where", "where", "cel"}
	if depth > 0 {
		kinds = append(kinds, "all", "any", "not", "all")
	}
	several := func() (list []any) {
		for range rapid.IntRange(1, 3).Draw(t, "filters") {
			list = append(list, drawFilter(t, depth-1))
		}
		return list
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "on":
		return object{"kind": kind, "types": rapid.SliceOfNDistinct(someTypes, 1, 3, rapid.ID).Draw(t, "types")}
	case "where":
		f := object{"kind": kind, "field": someFields.Draw(t, "field"), "op": rapid.SampledFrom(ops).Draw(t, "op"), "value": someValues.Draw(t, "value")}
		switch f["op"] {
		case "in":
			f["value"] = rapid.SliceOfN(someValues, 0, 4).Draw(t, "values")
		case "exists":
			f["value"] = rapid.Bool().Draw(t, "there")
		case "matches":
			f["value"] = rapid.SampledFrom([]string{"x", "^a$", "[xy]+", "(?i)A|B"}).Draw(t, "pattern")
		}
		return f
	case "cel":
		return object{"kind": kind, "expression": rapid.SampledFrom([]string{"event.n > 1", "type == 'a'", "has(event.o.p)", "event.k in ['x', 1]"}).Draw(t, "expression")}
	case "not":
		return object{"kind": kind, "filter": drawFilter(t, depth-1)}
	default:
		return object{"kind": kind, "of": several()}
	}
}

// drawRule draws the JSON of a rule with one of some patterns.
func drawRule(t *rapid.T, patterns ...string) []byte {
	if len(patterns) == 0 {
		patterns = []string{"each", "count", "sequence", "absence"}
	}
	pattern := object{"kind": rapid.SampledFrom(patterns).Draw(t, "pattern")}
	switch pattern["kind"] {
	case "count":
		pattern["at_least"], pattern["within"] = rapid.IntRange(1, 4).Draw(t, "at least"), someTimes.Draw(t, "within")
	case "sequence":
		var steps []any
		for range rapid.IntRange(2, 3).Draw(t, "steps") {
			steps = append(steps, drawFilter(t, rapid.IntRange(0, 1).Draw(t, "deep")))
		}
		pattern["steps"], pattern["within"] = steps, someTimes.Draw(t, "within")
	case "absence":
		pattern["within"] = someTimes.Draw(t, "within")
	}
	// Half of the rules take nearly everything, so that patterns have much to do.
	when := object{"filter": object{"kind": "not", "filter": object{"kind": "on", "types": []string{"c"}}}, "pattern": pattern}
	if rapid.Bool().Draw(t, "choosy") {
		when["filter"] = drawFilter(t, 2)
	}
	if rapid.Bool().Draw(t, "dedupe") {
		when["dedupe"] = object{"key": rapid.SliceOfN(someFields, 1, 2).Draw(t, "key"), "within": someTimes.Draw(t, "deduped within")}
	}
	if rapid.Bool().Draw(t, "throttle") {
		when["throttle"] = object{"at_most": rapid.IntRange(1, 3).Draw(t, "at most"), "per": someTimes.Draw(t, "per")}
	}
	rule := object{
		"name": rapid.StringN(1, 8, -1).Filter(plainName).Draw(t, "name"), "description": rapid.String().Draw(t, "description"),
		"streams": rapid.SampledFrom([]any{nil, []string{"kitchen"}}).Draw(t, "streams"), "when": when, "scope": object{"fields": rapid.SampledFrom([][]string{{}, {}, {"k"}, {"n", "k"}, {"k", "k"}}).Draw(t, "scope")},
		"then":  object{"action": "notify", "params": object{"text": rapid.String().Draw(t, "text"), "n": rapid.Float64().Draw(t, "n"), "some": someValues.Draw(t, "some")}},
		"retry": object{"max_attempts": rapid.IntRange(1, 9).Draw(t, "attempts"), "backoff": someTimes.Draw(t, "backoff"), "multiplier": rapid.Float64Range(1, 100).Draw(t, "multiplier")},
		"start": rapid.SampledFrom([]string{StartNow, StartBeginning}).Draw(t, "start"), "timeout": rapid.SampledFrom([]any{nil, 30}).Draw(t, "timeout"),
	}
	text, err := json.Marshal(rule)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func plainName(s string) bool {
	r := new(reader)
	place{r: r, value: s, known: true}.name()
	return len(r.errors) == 0
}

func drawParsed(t *rapid.T, patterns ...string) Rule {
	text := drawRule(t, patterns...)
	rule, err := Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return rule
}

// drawLog draws events in which rules may find something. Their times come close to
// each other's, and to the ends of windows.
func drawLog(t *rapid.T, name string) (log []*Envelope) {
	at := int64(0)
	for seq := range rapid.IntRange(0, 30).Draw(t, "length") {
		at += int64(rapid.SampledFrom([]Duration{0, Microsecond, Second / 2, Second - Microsecond, Second, 2 * Second, 7 * Second}).Draw(t, "later"))
		event := object{"type": someTypes.Draw(t, "type"), "rule": name}
		for _, field := range []string{"k", "n"} {
			if rapid.IntRange(0, 9).Draw(t, "there") > 0 {
				event[field] = someValues.Draw(t, field)
			}
		}
		if rapid.Bool().Draw(t, "nested") {
			event["o"] = object{"p": someValues.Draw(t, "o.p")}
		}
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ReadEvent(text)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, &Envelope{
			Seq: uint64(seq) + 1, TS: at, Type: event["type"].(string), Event: read,
			Depth: rapid.IntRange(0, 4).Draw(t, "depth"), Chain: fmt.Sprint("evt_", seq+1),
		})
	}
	return log
}
