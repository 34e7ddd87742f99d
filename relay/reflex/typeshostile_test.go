package reflex_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// patterns returns members named by so many patterns of a thousand instructions.
func patterns(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"%d{1000}":{}`, i)
	}
	return strings.Join(list, ",")
}

// Events that are published together are checked for a while together too, and not
// for a publisher who has gone.
func TestManyCostlyEvents(t *testing.T) {
	p := found(t)
	var costly strings.Builder
	costly.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
	for i := range 12 {
		fmt.Fprintf(&costly, `"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	p.put(t, "x", costly.String()+`"s12":{"type":"object"}}}`)
	list := func(n int) reflex.Publication {
		return decoded(t, `{"events":[`+strings.TrimSuffix(strings.Repeat(`{"event":{"type":"x"}},`, n), ",")+`]}`)
	}
	if _, err := p.Publish(t.Context(), anna, "notes", list(3)); err != nil {
		t.Fatal(err)
	}
	_, err := p.Publish(t.Context(), anna, "notes", list(500))
	if r := reflex.Reject(err); err == nil || r.Type != reflex.ValidationFailed || !strings.Contains(r.Message, "fewer of them") {
		t.Errorf("it comes to %.300v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.Publish(gone, anna, "notes", list(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever has gone gets %v", err)
	}
	if list, _ := p.read(t, "notes", reflex.Query{}); len(list) != 3 {
		t.Errorf("there are %d events", len(list))
	}
}

// A schema that asks for more steps than anybody has time for takes no more time
// than others, whatever publishers send.
func TestHostileSchemas(t *testing.T) {
	deep := nested(60)
	doubling := func(ends string) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
		for i := range 40 {
			fmt.Fprintf(&b, `"s%d":{"KEY":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
		}
		return b.String() + `"s40":` + ends + `}}`
	}
	for _, c := range []struct {
		name   string
		schema string
		event  string
	}{
		{"all of two, forty times", strings.ReplaceAll(doubling(`{"minProperties":1}`), "KEY", "allOf"), `{"type":"x"}`},
		{"any of two, forty times", strings.ReplaceAll(doubling(`{"minProperties":9}`), "KEY", "anyOf"), `{"type":"x"}`},
		{"one of two, forty times", strings.ReplaceAll(doubling(`{"minProperties":9}`), "KEY", "oneOf"), `{"type":"x"}`},
		{
			"twice at each level", `{"properties":{"in":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"items":{"$ref":"#/$defs/a"}},{"items":{"$ref":"#/$defs/a"}}]}}}`,
			deep,
		},
		{
			"twice at each level, and never so", `{"not":{"properties":{"in":{"$ref":"#/$defs/a"}}},"$defs":{"a":{"items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a"},"maxItems":1}}}`,
			deep,
		},
		{
			"patterns for one name", `{"$ref":"#/$defs/a","$defs":{"a":{"patternProperties":{"^.":{"$ref":"#/$defs/a"},".$":{"$ref":"#/$defs/a"}}}}}`,
			strings.Repeat(`{"type":"x","a":`, 50) + `1` + strings.Repeat(`}`, 50),
		},
		{
			"twice at each level, by dynamic references", `{"$id":"urn:x","$dynamicAnchor":"n","properties":{"in":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$dynamicAnchor":"a","items":{"$dynamicRef":"#a"},"contains":{"allOf":[{"$dynamicRef":"#a"},{"$dynamicRef":"#a"}]}}}}`,
			`{"type":"x","in":` + strings.Repeat(`[`, 60) + strings.Repeat(`]`, 60) + `}`,
		},
		{"a costly pattern", `{"properties":{"s":{"pattern":"^((a|b)*c?){200}$"}}}`, `{"type":"x","s":"` + strings.Repeat("ab", 1<<19) + `"}`},
		{"many names that are required", `{"properties":{"l":{"items":{"required":[` + names(5000) + `]}}}}`, `{"type":"x","l":[` + strings.Repeat(`{},`, 20_000) + `{}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := found(t)
			p.put(t, "x", c.schema)
			_, err := p.Publish(t.Context(), anna, "notes", decoded(t, c.event))
			if r := reflex.Reject(err); err == nil || !strings.Contains(r.Message, "too long to check") {
				t.Errorf("it comes to %.300v", err)
			}
		})
	}
}

// names returns so many names, as JSON strings in a list.
func names(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"n%d"`, i)
	}
	return strings.Join(list, ",")
}

// What takes its time, but is worth it, is checked: large events of plain schemas.
func TestLargeEventsAreChecked(t *testing.T) {
	p := found(t)
	p.put(t, "x", `{"properties":{"l":{"items":{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}}}}`)
	list := strings.Repeat(`{"n":1},`, 20_000)
	p.publish(t, "notes", `{"type":"x","l":[`+list+`{"n":2}]}`)
	_, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"type":"x","l":[`+list+`{"n":-2}]}`))
	if diff := cmp.Diff([]string{"minimum l/20000/n"}, mistakes(t, err)); diff != "" {
		t.Errorf("the mistakes (-want +got):\n%s", diff)
	}
}

// An event that takes too much memory to check is refused.
func TestHugeEventsAreNotChecked(t *testing.T) {
	p := found(t)
	p.put(t, "x", `{}`)
	_, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"type":"x","s":"`+strings.Repeat("s", 2<<20)+`"}`))
	if diff := cmp.Diff([]string{"too_large"}, mistakes(t, err)); diff != "" {
		t.Errorf("the mistakes (-want +got):\n%s", diff)
	}
}
