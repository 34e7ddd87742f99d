package reflex_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// wanted returns a frame with a command that publishes.
func wanted(id, event string) string {
	return fmt.Sprintf(`{"type":"command","command_id":%q,"command":{"type":"publish","event":%s}}`, id, event)
}

// A command that came before is answered with what became of it then, whatever it
// says now, also after a restart; one of another actor, stream or space is another
// one.
func TestCommandsRunOnce(t *testing.T) {
	p := found(t)
	first := p.do(t, anna, "notes", `{"command_id":"1","command":{"type":"publish","id":"a","event":{"type":"x"}}}`)
	if want := `{"type":"command_result","command_id":"1","ok":true,"outcome":{"type":"published","seq":1,"id":"a","duplicate":false},"rejection":null}`; first != want {
		t.Fatalf("the result is\n%s, want\n%s", first, want)
	}
	bert := anna
	bert.Actor.ID = "bert"
	elsewhere := anna
	elsewhere.Space = "work"
	again := func(p *place) {
		t.Helper()
		for _, frame := range []string{
			wanted("1", `{"type":"y"}`),
			wanted("1", `{"type":"rule_fired"}`),
			`{"command_id":"1","command":{"type":"publish","event":{"type":"x"},"correlation_id":"nobody"}}`,
		} {
			if got := p.do(t, anna, "notes", frame); got != first {
				t.Errorf("%s is answered with %s", frame, got)
			}
		}
	}
	again(p)
	for _, other := range []struct {
		caller reflex.Caller
		stream string
	}{{bert, "notes"}, {anna, "other"}, {elsewhere, "notes"}} {
		if got := p.do(t, other.caller, other.stream, wanted("1", `{"type":"x"}`)); !strings.Contains(got, `"ok":true`) || got == first {
			t.Errorf("the command of another one is answered with %s", got)
		}
	}
	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	p = reopen(t, p.path)
	again(p)
	if list, _ := p.read(t, "notes", reflex.Query{}); len(list) != 2 {
		t.Errorf("%d events came of two commands", len(list))
	}
}

// Copies of a command that come at the same time are run once, and all are
// answered with the one result.
func TestCopiesOfACommandRunOnce(t *testing.T) {
	const copies, rounds = 16, 20
	p := found(t)
	for round := range rounds {
		frame := wanted(fmt.Sprint(round), `{"type":"x"}`)
		results := make([]string, copies)
		var running sync.WaitGroup
		for i := range copies {
			running.Go(func() { results[i] = p.do(t, anna, "notes", frame) })
		}
		running.Wait()
		for _, result := range results {
			if result != results[0] || !strings.Contains(result, `"duplicate":false`) {
				t.Fatalf("the copies of one command are answered with %q", results)
			}
		}
	}
	if list, _ := p.read(t, "notes", reflex.Query{}); len(list) != rounds {
		t.Errorf("%d commands came to %d events", rounds, len(list))
	}
}

// A refusal is a command's result too: it stays even where the same would be done
// now.
func TestRefusalsAreRemembered(t *testing.T) {
	p := found(t)
	p.append(t, "opaque", "entry")
	for i, c := range []struct {
		name   string
		stream string
		frame  string
		want   reflex.RejectionType
	}{
		{"a type of the relay's", "notes", `{"type":"publish","event":{"type":"rule_fired"}}`, reflex.Forbidden},
		{"the relay's stream", "_relay", `{"type":"publish","event":{"type":"x"}}`, reflex.Forbidden},
		{"a stream of opaque entries", "opaque", `{"type":"publish","event":{"type":"x"}}`, reflex.InvalidState},
		{"a chain that is none", "notes", `{"type":"publish","event":{"type":"x"},"correlation_id":"none"}`, reflex.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := fmt.Sprint(i)
			first := p.do(t, anna, c.stream, fmt.Sprintf(`{"command_id":%q,"command":%s}`, id, c.frame))
			var result reflex.CommandResult
			if err := json.Unmarshal([]byte(first), &result); err != nil {
				t.Fatal(err)
			}
			if result.OK || result.Rejection == nil || result.Rejection.Type != c.want || string(result.Outcome) != "null" {
				t.Fatalf("the result is %s", first)
			}
			if again := p.do(t, anna, c.stream, wanted(id, `{"type":"x"}`)); again != first {
				t.Errorf("then it is %s", again)
			}
		})
	}
}

// What is wrong with the name of a stream is not a matter of the command: nothing
// is remembered under such a name.
func TestCommandsNeedAStream(t *testing.T) {
	p := found(t)
	for _, name := range []string{"", "Notes", "_other", "a b", "a\x00", strings.Repeat("a", 65), "ä"} {
		f := reflex.Frame{CommandID: "1", Command: reflex.PublishCommand{}}
		result := p.Do(t.Context(), anna, name, f)
		if diff := cmp.Diff([]string{"value_error stream_id"}, mistakes(t, result.Rejection)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// A frame that is no command is refused, place by place, and its command_id is
// told if it can be read.
func TestBadFrames(t *testing.T) {
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		name string
		body string
		id   string
		want []string
	}{
		{"nothing", ``, "", []string{"json_invalid"}},
		{"no object", `"ping"`, "", []string{"model_type"}},
		{"an empty object", `{}`, "", []string{"missing command_id", "missing command"}},
		{"a second hello", `{"type":"hello","protocol":"reflexr.v1"}`, "", []string{
			"literal_error type", "extra_forbidden protocol", "missing command_id", "missing command",
		}},
		{"an unknown member", wanted("7", `{"type":"x"}`)[:1] + `"x":1,` + wanted("7", `{"type":"x"}`)[1:], "7", []string{"extra_forbidden x"}},
		{"the id is a number", `{"command_id":7,"command":{"type":"publish","event":{"type":"x"}}}`, "", []string{"string_type command_id"}},
		{"the id is null", `{"command_id":null,"command":{"type":"publish","event":{"type":"x"}}}`, "", []string{"string_type command_id"}},
		{"the id is empty", wanted("", `{"type":"x"}`), "", []string{"string_too_short command_id"}},
		{"the id is too long", wanted(long, `{"type":"x"}`), "", []string{"string_too_long command_id"}},
		{"the id has NUL", `{"command_id":"a\u0000","command":{"type":"publish","event":{"type":"x"}}}`, "", []string{"value_error command_id"}},
		{"no command", `{"command_id":"7"}`, "7", []string{"missing command"}},
		{"the command is null", `{"command_id":"7","command":null}`, "7", []string{"model_type command"}},
		{"the command has no type", `{"command":{"event":{"type":"x"}},"command_id":"7"}`, "7", []string{"missing command/type"}},
		{"the command's type is a number", `{"command":{"type":1},"command_id":"7"}`, "7", []string{"literal_error command/type"}},
		{"an unknown command", `{"command":{"type":"dance"},"command_id":"7"}`, "7", []string{"literal_error command/type"}},
		{"an unknown member of a command", `{"command":{"event":{"type":"x"},"type":"publish","at":1},"command_id":"7"}`, "7", []string{"extra_forbidden command/at"}},
		{"no event", `{"command":{"type":"publish"},"command_id":"7"}`, "7", []string{"missing command/event"}},
		{"a bad event", wanted("7", `{"type":null}`), "7", []string{"string_type command/event/type"}},
		{"a bad id of an event", `{"command":{"type":"publish","event":{"type":"x"},"id":{}},"command_id":"7"}`, "7", []string{"string_type command/id"}},
		{"a bad chain", `{"command":{"type":"publish","event":{"type":"x"},"correlation_id":[1]},"command_id":"7"}`, "7", []string{"string_type command/correlation_id"}},
		{"an event that nests too deep", wanted("7", nested(65)), "7", []string{"too_deep command/event/in/" + strings.Repeat("0/", 62) + "0"}},
		{"a member twice, behind the id", `{"command_id":"7","command":{"a":1,"a":2}}`, "7", []string{"duplicate_member command/a"}},
		{"a member twice, before the id", `{"command":{"a":1,"a":2},"command_id":"7"}`, "7", []string{"duplicate_member command/a"}},
		{"no UTF-8 before the id", "{\"command\":\"\xff\",\"command_id\":\"7\"}", "7", []string{"json_invalid command"}},
		{"no UTF-8 in the id", "{\"command_id\":\"\xff\"}", "", []string{"json_invalid command_id"}},
		{"cut short, behind the id", `{"command_id":"7","command":`, "7", []string{"json_invalid command"}},
		{"cut short, before the id", `{"command":{"type":"publish",`, "", []string{"json_invalid command"}},
		{"something behind it", wanted("7", `{"type":"x"}`) + `7`, "7", []string{"json_invalid"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := reflex.DecodeFrame([]byte(c.body))
			if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
				t.Errorf("the mistakes (-want +got):\n%s\n%v", diff, err)
			}
			if f.CommandID != c.id {
				t.Errorf("the command_id is %q, want %q", f.CommandID, c.id)
			}
		})
	}
}
