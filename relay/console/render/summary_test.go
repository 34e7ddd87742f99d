package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A summary begins with what tells most, names the rest, and has what tells machines
// more than people at its end.
func TestSummary(t *testing.T) {
	for _, test := range []struct{ name, event, want string }{
		{"a message", `{"type":"service.error","service":"auth","severity":8,"message":"token check failed"}`, "token check failed · service auth · severity 8"},
		{"a title before a name", `{"type":"x","name":"n","title":"T"}`, "T · name n"},
		{"no such member", `{"type":"run_started","run_id":"r1","attempt":1}`, "attempt 1 · run_id r1"},
		{"exact numbers", `{"type":"x","a":1.50,"b":12345678901234567890123}`, "a 1.50 · b 12345678901234567890123"},
		{"what is nested", `{"type":"x","matched":[1,2],"note":{"a":"b"},"on":true}`, "on true · matched · note"},
		{"what says nothing", `{"type":"x","a":null,"b":"","c":false}`, "c false"},
		{"only its type", `{"type":"tick"}`, ""},
		{"lines and signs", `{"type":"x","text":" a\n\tb\u202ec\u0007 "}`, `a b\u202ec\u0007`},
		{"a message that is none", `{"type":"x","message":{"a":1},"error":"E"}`, "E · message"},
		{"a message without end", `{"type":"x","message":"\u00e4` + strings.Repeat("y", 10_000) + `"}`, "ä" + strings.Repeat("y", 239) + "…"},
		{"cut short", `{"type":"x","text":"a","b":"` + strings.Repeat("x", 10_000) + `"}`, "a · b " + strings.Repeat("x", 60) + "…"},
		{"cut in a list", `{"type":"x","text":"a","b":[` + strings.Repeat("1,", 10_000) + `1]}`, "a · b"},
		{"cut in a number", `{"type":"x","text":"a","b":` + strings.Repeat("1", 10_000) + `}`, "a"},
		{"a long value", `{"type":"x","text":"a","b":"` + strings.Repeat("x", 61) + `"}`, "a · b " + strings.Repeat("x", 60) + "…"},
		{"no object", `["type"]`, ""},
		{"nothing", ``, ""},
	} {
		if got := Summary([]byte(test.event)); got != test.want {
			t.Errorf("%s: %q, not %q", test.name, got, test.want)
		}
	}
}

// Whatever is summed up, the result is one line that can be shown, and not long.
func TestSummaryIsALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.OneOf(
			rapid.SliceOf(rapid.Byte()),
			rapid.Map(rapid.MapOf(rapid.String(), rapid.String()), func(m map[string]string) []byte {
				data, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				return data
			}),
		).Draw(t, "event")
		summary := Summary(event)
		if len(summary) > 12*(summaryMost+1) || !utf8.ValidString(summary) {
			t.Fatalf("%d bytes: %q", len(summary), summary)
		}
		for _, r := range summary {
			if !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) {
				t.Fatalf("%q has %q in it", summary, r)
			}
		}
	})
}

// A line has at most as many letters as there is room for, and says if there were
// more.
func TestLine(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"  a \r\n b  ", 9, "a b"},
		{"a b", 2, "a…"},
		{"äöü", 2, "äö…"},
		{"", 3, ""},
	} {
		if got := Line(test.text, test.most); got != test.want {
			t.Errorf("%q in %d: %q", test.text, test.most, got)
		}
	}
}

// A text is found in JSON as it is written, and as it reads.
func TestContains(t *testing.T) {
	for _, test := range []struct {
		json, lowered string
		want          bool
	}{
		{`{"a":"Milk"}`, "milk", true},
		{`{"a":8}`, `"a":8`, true},
		{`{"a":"\u00c4pfel \ud83d\udd25"}`, "äpfel 🔥", true},
		{`{"a":"say \"Hi\"\nnow"}`, `say "hi" now`, true},
		{`{"a":"back\\slash"}`, `back\slash`, true},
		{`{"a":"\ud800"}`, "x", false},
		{`{"a":"\`, "b", false},
		{`{"a":"Milk"}`, "bread", false},
	} {
		if got := Contains([]byte(test.json), []byte(test.lowered)); got != test.want {
			t.Errorf("%s in %s: %v", test.lowered, test.json, got)
		}
	}
}

// Looking for a text is quick enough for a hundred thousand events while a person
// types.
func BenchmarkContains(b *testing.B) {
	event := []byte(`{"type":"service.error","service":"auth","severity":8,"message":"token check failed","host":"nas","note":"` + strings.Repeat("x", 120) + `"}`)
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		if Contains(event, []byte("nothing like it")) {
			b.Fatal(bytes.ToLower(event))
		}
	}
}

func BenchmarkSummary(b *testing.B) {
	event := []byte(`{"type":"service.error","service":"auth","severity":8,"message":"token check failed","host":"nas"}`)
	for b.Loop() {
		Summary(event)
	}
}
