package reflex_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// reading is a schema as people write it.
const readingSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"properties": {
		"type": {"const": "reading"},
		"room": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 20},
		"degrees": {"type": "number", "minimum": -90, "maximum": 60},
		"tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": true}
	},
	"required": ["room", "degrees"],
	"additionalProperties": false,
	"$defs": {"tag": {"type": "string", "minLength": 1}}
}`

// put gives a type a schema, which must be taken.
func (p *place) put(t testing.TB, name, schema string) {
	t.Helper()
	if err := p.PutType(t.Context(), owner, name, []byte(schema)); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
}

// An event of a type that has a schema is published if it is as that says, and
// refused place by place if not, in whichever form it comes; others pass.
func TestEventsAreAsTheirTypeSays(t *testing.T) {
	p := found(t)
	p.put(t, "reading", readingSchema)
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"as it says", `{"type":"reading","room":"attic","degrees":21.50,"tags":["a","b"]}`, nil},
		{"another type", `{"type":"other","room":7}`, nil},
		{"members are missing", `{"type":"reading"}`, []string{"required degrees", "required room"}},
		{"wrong in two places", `{"type":"reading","room":"Attic","degrees":"warm"}`, []string{"type degrees", "pattern room"}},
		{"one too many", `{"type":"reading","room":"attic","degrees":1,"x":1}`, []string{"additionalProperties x"}},
		{"inside", `{"event":{"type":"reading","room":"attic","degrees":1,"tags":["a",""]}}`, []string{"minLength event/tags/1"}},
		{"twice the same", `{"event":{"type":"reading","room":"attic","degrees":1,"tags":["a","a"]}}`, []string{"uniqueItems event/tags"}},
		{"a large number", `{"event":{"type":"reading","room":"attic","degrees":1e399}}`, []string{"maximum event/degrees"}},
		{"a number too large to check", `{"event":{"type":"reading","room":"attic","degrees":1e401}}`, []string{"int_type event"}},
		{"a number too exact to check", `{"event":{"type":"reading","room":"attic","degrees":0.` + strings.Repeat("1", 400) + `}}`, []string{"int_type event"}},
		{
			"one of many", `{"events":[{"event":{"type":"x"}},{"event":{"type":"reading","room":"","degrees":1}}]}`,
			[]string{"pattern events/1/event/room"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := p.read(t, "notes", reflex.Query{})
			_, err := p.Publish(t.Context(), anna, "notes", decoded(t, c.body))
			after, _ := p.read(t, "notes", reflex.Query{})
			if c.want == nil {
				if err != nil || len(after) != len(before)+1 {
					t.Errorf("it is refused: %v", err)
				}
				return
			}
			if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
				t.Errorf("the mistakes (-want +got):\n%s\n%v", diff, err)
			}
			if len(after) != len(before) {
				t.Error("something of it was published")
			}
		})
	}
	if got := p.do(t, anna, "notes", wanted("1", `{"type":"reading","room":7,"degrees":1}`)); !strings.Contains(got, `"errors":[{"loc":["command","event","room"]`) {
		t.Errorf("a command is answered with %s", got)
	}
}

// Events are checked before their ids are looked for: a duplicate that is not as
// its type says is refused too.
func TestDuplicatesAreChecked(t *testing.T) {
	p := found(t)
	p.publish(t, "notes", `{"event":{"type":"reading"},"id":"a"}`)
	p.put(t, "reading", readingSchema)
	_, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"event":{"type":"reading"},"id":"a"}`))
	if diff := cmp.Diff([]string{"required event/degrees", "required event/room"}, mistakes(t, err)); diff != "" {
		t.Errorf("the mistakes (-want +got):\n%s", diff)
	}
}

// A schema holds from when it is put until it is put anew or dropped, in its space
// alone, and after a restart too.
func TestTypesChange(t *testing.T) {
	p := found(t)
	works := func(want bool, body string) {
		t.Helper()
		if _, err := p.Publish(t.Context(), anna, "notes", decoded(t, body)); (err == nil) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	works(true, `{"type":"x","n":"a"}`)
	p.put(t, "x", `{"properties":{"n":{"type":"number"}}}`)
	works(false, `{"type":"x","n":"a"}`)
	works(true, `{"type":"x","n":1}`)
	p.put(t, "x", `{"properties":{"n":{"type":"string"}}}`)
	works(true, `{"type":"x","n":"a"}`)
	works(false, `{"type":"x","n":1}`)

	elsewhere := anna
	elsewhere.Space = "work"
	if _, err := p.Publish(t.Context(), elsewhere, "notes", decoded(t, `{"type":"x","n":1}`)); err != nil {
		t.Errorf("in another space: %v", err)
	}
	list, err := p.Types(t.Context(), anna)
	if err != nil || len(list) != 1 || list[0].Name != "x" || list[0].ChangedAt.IsZero() || string(list[0].Schema) != `{"properties":{"n":{"type":"string"}}}` {
		t.Errorf("the types are %+v, %v", list, err)
	}
	if _, err := p.Type(t.Context(), anna, "y"); reflex.Reject(err).Type != reflex.NotFound {
		t.Errorf("a type that is none: %v", err)
	}

	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	p = reopen(t, p.path)
	works(false, `{"type":"x","n":1}`)
	if err := p.DropType(t.Context(), owner, "x"); err != nil {
		t.Fatal(err)
	}
	works(true, `{"type":"x","n":1}`)
	if err := p.DropType(t.Context(), owner, "x"); reflex.Reject(err).Type != reflex.NotFound {
		t.Errorf("dropped twice: %v", err)
	}
}

// Whoever publishes while schemas change meets one or the other, never an old one
// for good.
func TestTypesChangeUnderRaces(t *testing.T) {
	p := found(t)
	var racing sync.WaitGroup
	for range 4 {
		racing.Go(func() {
			for range 50 {
				_, _ = p.Publish(t.Context(), anna, "notes", decoded(t, `{"type":"x","n":1}`))
			}
		})
	}
	for i := range 20 {
		p.put(t, "x", fmt.Sprintf(`{"properties":{"n":{"minimum":%d}}}`, i))
	}
	racing.Wait()
	if _, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"type":"x","n":18}`)); err == nil {
		t.Error("an event is published that the newest schema refuses")
	}
}

// Only the owner changes types, and only those that publishers have.
func TestTypesAreTheOwners(t *testing.T) {
	p := found(t)
	for _, c := range []struct {
		name   string
		caller reflex.Caller
		typ    string
		want   []string
	}{
		{"somebody", anna, "x", []string{"forbidden"}},
		{"a type of the relay's", owner, "tick", []string{"forbidden"}},
		{"no type", owner, "", []string{"value_error name"}},
		{"too long", owner, strings.Repeat("x", 129), []string{"value_error name"}},
		{"a control character", owner, "a\n", []string{"value_error name"}},
	} {
		if diff := cmp.Diff(c.want, mistakes(t, p.PutType(t.Context(), c.caller, c.typ, []byte(`{}`)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff([]string{"forbidden"}, mistakes(t, p.DropType(t.Context(), anna, "x"))); diff != "" {
		t.Errorf("dropping (-want +got):\n%s", diff)
	}
}

// What is no schema is refused, and why is said.
func TestBadSchemas(t *testing.T) {
	p := found(t)
	for _, c := range []struct {
		name   string
		schema string
		want   []string
		says   string
	}{
		{"nothing", ``, []string{"json_invalid"}, "empty"},
		{"no JSON", `type: object`, []string{"json_invalid"}, "not JSON"},
		{"a member twice", `{"type":"object","type":"object"}`, []string{"duplicate_member type"}, "twice"},
		{"no object", `true`, []string{"value_error"}, "an object"},
		{"an unknown type", `{"properties":{"n":{"type":"float"}}}`, []string{"enum properties/n/type", "type properties/n/type"}, "no JSON Schema"},
		{"a negative length", `{"maxLength":-1}`, []string{"minimum maxLength"}, "no JSON Schema"},
		{"an older draft", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, []string{"value_error"}, "2020-12"},
		{"somebody else's draft", `{"$schema":"https://example.com/schema"}`, []string{"value_error"}, "2020-12"},
		{"a reference to elsewhere", `{"$ref":"https://example.com/schema"}`, []string{"value_error"}, "$defs"},
		{"a reference to a file", `{"$ref":"file:///etc/passwd"}`, []string{"value_error"}, "$defs"},
		{"a reference to the draft", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, []string{"value_error"}, "$defs"},
		{"a reference to nothing", `{"$ref":"#/$defs/none"}`, []string{"value_error"}, "none"},
		{"a reference to itself", `{"$ref":"#"}`, []string{"value_error"}, "itself"},
		{"a circle", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, []string{"value_error"}, "itself"},
		{"a pattern that is none", `{"pattern":"("}`, []string{"format pattern"}, "RE2"},
		{"a pattern that RE2 does not know", `{"pattern":"(?=a)"}`, []string{"format pattern"}, "RE2"},
		{"a pattern that is too long", `{"pattern":"` + strings.Repeat("a", 1025) + `"}`, []string{"format pattern"}, "1024"},
		{"a pattern that is too large", `{"pattern":"((a{100}){10}b){100}"}`, []string{"format pattern"}, ""},
		{"patterns that are too large together", `{"patternProperties":{` + patterns(52) + `}}`, []string{"format", "format", "format"}, "too large"},
		{"another schema inside", `{"$defs":{"a":{"$id":"urn:other"}}}`, []string{"value_error"}, "$id"},
		{"too deep", strings.Repeat(`{"not":`, 64) + `{}` + strings.Repeat(`}`, 64), []string{"value_error"}, "64"},
		{"a number that is too large", `{"minimum":1e1000000}`, []string{"value_error"}, "too large"},
		{"too long", `{"title":"` + strings.Repeat("a", 64<<10) + `"}`, []string{"too_large"}, "65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := p.PutType(t.Context(), owner, "x", []byte(c.schema))
			if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
				t.Errorf("the mistakes (-want +got):\n%s", diff)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "urn:") {
				t.Errorf("it says %q", err)
			}
		})
	}
}

// Every keyword of the draft works: this is the list of those that lead to other
// parts of a schema.
func TestKeywords(t *testing.T) {
	p := found(t)
	for i, c := range []struct {
		schema    string
		good, bad string // members
	}{
		{`{"properties":{"a":{"type":"string"}}}`, `"a":"x"`, `"a":1`},
		{`{"patternProperties":{"^a":{"type":"string"}}}`, `"ab":"x","b":1`, `"ab":1`},
		{`{"properties":{"type":true},"additionalProperties":{"type":"string"}}`, `"a":"x"`, `"a":1`},
		{`{"properties":{"type":true},"unevaluatedProperties":{"type":"string"}}`, `"a":"x"`, `"a":1`},
		{`{"propertyNames":{"maxLength":4}}`, `"four":1`, `"three":1`},
		{`{"properties":{"a":{"items":{"type":"string"}}}}`, `"a":["x"]`, `"a":[1]`},
		{`{"properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, `"a":["x",1]`, `"a":[1]`},
		{`{"properties":{"a":{"prefixItems":[true],"unevaluatedItems":{"type":"string"}}}}`, `"a":[1,"x"]`, `"a":[1,1]`},
		{`{"properties":{"a":{"contains":{"type":"string"}}}}`, `"a":[1,"x"]`, `"a":[1]`},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `"a":1,"b":1`, `"a":1`},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `"b":1`, `"c":1`},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `"b":1`, `"a":1,"b":1`},
		{`{"not":{"required":["a"]}}`, `"b":1`, `"a":1`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `"a":1,"b":1`, `"a":1`},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, `"a":1,"b":1`, `"a":1`},
		{`{"dependentRequired":{"a":["b"]}}`, `"a":1,"b":1`, `"a":1`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"required":["a"]}}}`, `"a":1`, `"b":1`},
		{`{"$id":"https://example.com/x","$ref":"#b","$defs":{"a":{"$anchor":"b","required":["a"]}}}`, `"a":1`, `"b":1`},
		{`{"properties":{"in":{"$dynamicRef":"#n"}},"$dynamicAnchor":"n","required":["n"]}`, `"n":1,"in":{"n":2}`, `"n":1,"in":{}`},
		{`{"properties":{"in":{"$ref":"#"},"a":{"enum":["x",1.0]}}}`, `"in":{"in":{"a":1}}`, `"in":{"in":{"a":2}}`},
		{`{"properties":{"a":{"multipleOf":0.01}}}`, `"a":19.99`, `"a":19.999`},
		{`{"properties":{"a":{"minimum":12345678901234567890}}}`, `"a":12345678901234567890`, `"a":12345678901234567889`},
	} {
		name := fmt.Sprint("t", i)
		p.put(t, name, c.schema)
		for _, members := range []string{c.good, c.bad} {
			_, err := p.Publish(t.Context(), anna, "notes", decoded(t, fmt.Sprintf(`{"type":%q,%s}`, name, members)))
			if (err == nil) != (members == c.good) {
				t.Errorf("%s: %s comes to %v", c.schema, members, err)
			}
		}
	}
}
