package rules

import (
	"encoding/json"
	"strings"
	"testing"
)

// YAML is read as the JSON that its writer means: texts as texts, numbers letter for
// letter.
func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1.50, "b": "\ud83d\ude00"}`:         `{"a": 1.50, "b": "\ud83d\ude00"}`, // JSON stays
		"kind: on\ntypes: [a, 'b', \"c\"]":         `{"kind":"on","types":["a","b","c"]}`,
		"a: yes\nb: no\nc: off\nd: y":              `{"a":"yes","b":"no","c":"off","d":"y"}`,
		"a: 1.50\nb: -0\nc: 1e3\nd: '1'":           `{"a":1.50,"b":-0,"c":1e3,"d":"1"}`,
		"a: 123456789012345678901234567890":        `{"a":123456789012345678901234567890}`,
		"a: 2026-11-30\nb: 12:30:00\nc: PT5M":      `{"a":"2026-11-30","b":"12:30:00","c":"PT5M"}`,
		"a:\nb: ~\nc: null\nd: ''":                 `{"a":null,"b":null,"c":null,"d":""}`,
		"a: true\nb: FALSE\nc: 'true'":             `{"a":true,"b":false,"c":"true"}`,
		"a: |\n  one\n  two\nb: >-\n  one\n  two":  `{"a":"one\ntwo\n","b":"one two"}`,
		"1: a\ntrue: b\nnull: c":                   `{"1":"a","true":"b","null":"c"}`,
		"a: !!str 1":                               `{"a":"1"}`,
		"# a comment\n---\na: [] # another\nb: {}": `{"a":[],"b":{}}`,
		"a: \"\\u00fc\\n\"\nb: ü":                  `{"a":"ü\n","b":"ü"}`,
		"a: &x 1":                                  `{"a":1}`,
		"cron: '0 0 * * *'\nevery: 0.5":            `{"cron":"0 0 * * *","every":0.5}`,
	} {
		got, err := FromYAML([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%q is read as %s, %v", text, got, err)
		}
	}
}

// What readers of YAML differ in, what may grow without bounds, and what is none is
// refused with its line.
func TestRefusedYAML(t *testing.T) {
	for text, says := range map[string]string{
		"":                             "there is nothing in it",
		"# nothing":                    "there is nothing in it",
		"a: 1\n---\nb: 2":              "more in it than one document",
		"a: &x [1]\nb: *x":             "line 2: aliases are not read",
		"a: &x {b: 1}\n<<: *x":         "line 2: aliases are not read",
		"a: &x [*x]":                   "aliases are not read",
		"a: 1\nb: 2\na: 3":             `line 3: the name "a" comes twice`,
		"1: a\n'1': b":                 `line 2: the name "1" comes twice`,
		"a: 010":                       "line 1: 010 is a number to some readers only",
		"a: 0x1f":                      "is a number to some readers only",
		"a: 1_000":                     "is a number to some readers only",
		"a: .5":                        "is a number to some readers only",
		"a: +1":                        "is a number to some readers only",
		"a: .inf":                      "is a number to some readers only",
		"a: !!binary aGk=":             "the tag !!binary is not read",
		"a: !!int '1'":                 "the tag !!int is not read",
		"a: !person {}":                "the tag !person is not read",
		"[a]: 1":                       "line 1: a name has to be a text",
		"a: [":                         "line 1",
		"a: b: c":                      "mapping values are not allowed",
		"\tb: 1":                       "cannot start any token",
		"a: \xff":                      "UTF-8",
		strings.Repeat("[", 100):       "line",
		strings.Repeat("a: 1\n", 14e3): "it is larger than 65536 bytes",
		strings.Repeat("[", 70) + strings.Repeat("]", 70) + " #": "nested too deeply",
	} {
		got, err := FromYAML([]byte(text))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q is read as %s, %v; want %q", text, got, err, says)
		}
	}
}

// A rule in YAML is the rule that it is in JSON.
func TestRuleInYAML(t *testing.T) {
	text, err := FromYAML([]byte(`
# Too many errors of one service.
name: errors
when:
  filter:
    kind: all
    of:
      - {kind: on, types: [log]}
      - {kind: where, field: level, op: in, value: [error, fatal]}
  pattern: {kind: count, at_least: 5, within: PT1M}
scope: {fields: [service]}
then:
  action: webhook
  params: {url: "https://example.com/"}
`))
	if err != nil {
		t.Fatal(err)
	}
	inYAML, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	inJSON, err := Parse([]byte(mixed[2]))
	if err != nil {
		t.Fatal(err)
	}
	if inYAML.Definition() != inJSON.Definition() || inYAML.Then.Params["url"] != "https://example.com/" {
		t.Errorf("it is read as %s", text)
	}
}

// Whatever is read as YAML is JSON.
func FuzzFromYAML(f *testing.F) {
	for _, text := range []string{"a: 1\nb: [x, 'y', \"z\"]", "a: &x 1\nb: *x", "- |\n  a\n- >\n  b", "? a\n: b", "%YAML 1.2\n---\na: 1\n..."} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := FromYAML(text)
		if err == nil && !json.Valid(got) {
			t.Errorf("%q is read as %s", text, got)
		}
	})
}
