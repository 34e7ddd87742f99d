package reflex_test

import (
	"errors"
	"strings"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// mistakes returns what a rejection names, each as its type and where it is.
func mistakes(t testing.TB, err error) []string {
	t.Helper()
	r, ok := errors.AsType[*reflex.Rejection](err)
	if !ok {
		t.Fatalf("got the error %v, want a rejection", err)
	}
	if r.Message == "" {
		t.Error("the rejection has no message")
	}
	if r.Type != reflex.ValidationFailed {
		return []string{string(r.Type)}
	}
	list := []string{}
	for _, e := range r.Errors {
		if e.Msg == "" {
			t.Errorf("nothing is said of the mistake in %q", e.Loc)
		}
		list = append(list, strings.TrimSuffix(e.Type+" "+strings.Join(e.Loc, "/"), " "))
	}
	return list
}

// nested returns an event that has so many levels.
func nested(levels int) string {
	return `{"type":"x","in":` + strings.Repeat(`[`, levels-1) + strings.Repeat(`]`, levels-1) + `}`
}

// Whatever is wrong with an event, its id or what is around them is refused, and
// the refusal names each place.
func TestBadPublications(t *testing.T) {
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"nothing", ``, []string{"json_invalid"}},
		{"blanks", " \n", []string{"json_invalid"}},
		{"a text that is none", `hello`, []string{"json_invalid"}},
		{"a byte order mark", "\ufeff" + `{"type":"x"}`, []string{"json_invalid"}},
		{"cut short", `{"event":{"type":"x","a":tru`, []string{"json_invalid event/a"}},
		{"something behind it", `{"type":"x"} {}`, []string{"json_invalid"}},
		{"a comma too many", `{"type":"x",}`, []string{"json_invalid"}},
		{"a number with a zero in front", `{"type":"x","n":01}`, []string{"json_invalid"}},
		{"no number", `{"type":"x","n":NaN}`, []string{"json_invalid n"}},
		{"a control character", "{\"type\":\"x\",\"a\":\"\x01\"}", []string{"json_invalid a"}},
		{"no UTF-8", "{\"event\":{\"type\":\"x\",\"a\":[1,\"\xff\"]}}", []string{"json_invalid event/a/1"}},
		{"no UTF-8 in a name", "{\"event\":{\"type\":\"x\",\"\xc3(\":1}}", []string{"json_invalid event"}},
		{"half a surrogate", `{"type":"x","a":"\ud83d"}`, []string{"json_invalid a"}},
		{"the other half", `{"type":"x","a":"\ude00"}`, []string{"json_invalid a"}},
		{"surrogates the wrong way round", `{"type":"x","a":"\ude00\ud83d"}`, []string{"json_invalid a"}},
		{"a member twice", `{"type":"x","a":{"b":1,"b":1}}`, []string{"duplicate_member a/b"}},
		{"a member twice, spelled in two ways", `{"type":"x","\u0061":1,"a":1}`, []string{"duplicate_member a"}},
		{"a type twice", `{"type":"x","type":"x"}`, []string{"duplicate_member type"}},
		{"no object", `[{"type":"x"}]`, []string{"model_type"}},
		{"null", `null`, []string{"model_type"}},
		{"an empty object", `{}`, []string{"missing event"}},
		{"the type is no string", `{"type":7}`, []string{"extra_forbidden type", "missing event"}},
		{"the type is empty", `{"type":""}`, []string{"string_too_short type"}},
		{"the type is too long", `{"type":"` + long[:129] + `"}`, []string{"string_too_long type"}},
		{"the type has NUL", `{"type":"a\u0000"}`, []string{"value_error type"}},
		{"the type has a line's end", `{"type":"a\n"}`, []string{"value_error type"}},
		{"the type has DEL", `{"type":"a\u007f"}`, []string{"value_error type"}},
		{"the event is null", `{"event":null}`, []string{"model_type event"}},
		{"the event is text", `{"event":"{}"}`, []string{"model_type event"}},
		{"the event has no type", `{"event":{"a":1}}`, []string{"missing event/type"}},
		{"the event's type is no string", `{"event":{"type":["x"]}}`, []string{"string_type event/type"}},
		{"an unknown member", `{"event":{"type":"x"},"Id":"a"}`, []string{"extra_forbidden Id"}},
		{"a chain for one event", `{"event":{"type":"x"},"correlation_id":"a"}`, []string{"extra_forbidden correlation_id"}},
		{"the id is a number", `{"event":{"type":"x"},"id":1}`, []string{"string_type id"}},
		{"the id is too long", `{"event":{"type":"x"},"id":"` + long + `"}`, []string{"string_too_long id"}},
		{"the id has NUL", `{"event":{"type":"x"},"id":"\u0000"}`, []string{"value_error id"}},
		{"the events are none", `{"events":{"type":"x"}}`, []string{"list_type events"}},
		{"the events are null", `{"events":null}`, []string{"list_type events"}},
		{"one of them is none", `{"events":[{"event":{"type":"x"}},7]}`, []string{"model_type events/1"}},
		{"one of them is bare", `{"events":[{"type":"x"}]}`, []string{"extra_forbidden events/0/type", "missing events/0/event"}},
		{"one and many", `{"events":[],"event":{"type":"x"}}`, []string{"extra_forbidden event"}},
		{"the chain has NUL", `{"events":[],"correlation_id":"\u0000"}`, []string{"value_error correlation_id"}},
		{"too deep", nested(65), []string{"too_deep in/" + strings.Repeat("0/", 62) + "0"}},
		{"much too deep", `{"type":"x","in":` + strings.Repeat("[", 1<<20), []string{"too_deep in" + strings.Repeat("/0", 67)}},
		{"too deep, as one of many", `{"events":[{"event":` + nested(65) + `}]}`, []string{"too_deep events/0/event/in/" + strings.Repeat("0/", 62) + "0"}},
		{
			"too deep behind blanks and other members", `{ "event" : { "a" : [ 1, { "b" : 2 } ] , "in" : {"c":1, "d":` + nested(64) + `} ,"type" : "x" } }`,
			[]string{"too_deep event/in/d/in/" + strings.Repeat("0/", 60) + "0"},
		},
		{
			"many mistakes", `{"events":[{"event":{"type":""},"x":1},{"id":7}],"y":2}`,
			[]string{"string_too_short events/0/event/type", "extra_forbidden events/0/x", "string_type events/1/id", "missing events/1/event", "extra_forbidden y"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := reflex.DecodePublication([]byte(c.body))
			if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
				t.Errorf("the mistakes (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
