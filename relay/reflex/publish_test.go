package reflex_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/relay/reflex"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
)

// The events of a list are published together, in their order, or none of them is;
// an id that comes twice is published once.
func TestListsAreWhole(t *testing.T) {
	p := found(t)
	got := p.publish(t, "notes", `{"events":[{"event":{"type":"a"},"id":"1"},{"event":{"type":"b"}},{"event":{"type":"c"},"id":"1"}]}`)
	want := []store.Published{{Seq: 1, ID: "1"}, {Seq: 2, ID: got[1].ID}, {Seq: 1, ID: "1", Duplicate: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was published (-want +got):\n%s", diff)
	}
	if got := p.publish(t, "notes", `{"events":[]}`); got == nil || len(got) > 0 {
		t.Errorf("nothing comes to %v", got)
	}
	if _, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"events":[{"event":{"type":"a"}},{"event":{"type":"tick"}}]}`)); err == nil {
		t.Error("a list with a type of the relay's is published")
	}
	if list, _ := p.read(t, "notes", reflex.Query{}); len(list) != 2 {
		t.Errorf("there are %d events", len(list))
	}
}

// The types of the relay's own events are nobody else's, and neither is the stream
// on which it tells what happens; a stream of opaque entries takes no events.
func TestWhatPublishersMayNot(t *testing.T) {
	p := found(t)
	p.append(t, "opaque", "entry")
	for _, c := range []struct {
		stream, typ string
		want        reflex.RejectionType
	}{
		{"notes", "rule_fired", reflex.Forbidden},
		{"notes", "rule_errored", reflex.Forbidden},
		{"notes", "rule_reset", reflex.Forbidden},
		{"notes", "rule_installed", reflex.Forbidden},
		{"notes", "rule_archived", reflex.Forbidden},
		{"notes", "run_started", reflex.Forbidden},
		{"notes", "run_progressed", reflex.Forbidden},
		{"notes", "run_retrying", reflex.Forbidden},
		{"notes", "run_succeeded", reflex.Forbidden},
		{"notes", "run_dead_lettered", reflex.Forbidden},
		{"notes", "run_cancelled", reflex.Forbidden},
		{"notes", "run_skipped", reflex.Forbidden},
		{"notes", "run_requeued", reflex.Forbidden},
		{"notes", "feedback_given", reflex.Forbidden},
		{"notes", "tick", reflex.Forbidden},
		{reflex.RelayStream, "x", reflex.Forbidden},
		{"opaque", "x", reflex.InvalidState},
		{"Notes", "x", reflex.ValidationFailed},
	} {
		_, err := p.Publish(t.Context(), anna, c.stream, decoded(t, fmt.Sprintf(`{"type":%q}`, c.typ)))
		if err == nil || reflex.Reject(err).Type != c.want {
			t.Errorf("%s on %s: %v, want %s", c.typ, c.stream, err, c.want)
		}
	}
	p.publish(t, "notes", `{"type":"rule_fired_too"}`)
}

// An event is as large as an entry can be, with what surrounds it at its longest,
// and no larger.
func TestLargestEvent(t *testing.T) {
	p := found(t)
	event := func(size int) reflex.Publication {
		const around = `{"type":"x","s":""}`
		return reflex.Publication{Events: []reflex.NewEvent{{
			ID:    strings.Repeat("\x01", 256),
			Event: reflex.Event{Type: "x", JSON: []byte(`{"type":"x","s":"` + strings.Repeat("s", size-len(around)) + `"}`)},
		}}}
	}
	if _, err := p.Publish(t.Context(), anna, strings.Repeat("n", 64), event(reflex.MaxEvent)); err != nil {
		t.Error(err)
	}
	_, err := p.Publish(t.Context(), anna, "notes", event(reflex.MaxEvent+1))
	if r := reflex.Reject(err); r.Type != reflex.TooLarge || r.Limit != reflex.MaxEvent {
		t.Errorf("a larger one: %v", err)
	}
}

// A list has so many events at the most.
func TestLongestList(t *testing.T) {
	const event = `{"type":"x"}`
	if p := decoded(t, many(reflex.MaxEvents, event)); len(p.Events) != reflex.MaxEvents {
		t.Errorf("%d events", len(p.Events))
	}
	_, err := reflex.DecodePublication([]byte(many(reflex.MaxEvents+1, event)))
	if diff := cmp.Diff([]string{"too_long events"}, mistakes(t, err)); diff != "" {
		t.Errorf("one more (-want +got):\n%s", diff)
	}
}

// A rejection that says more than is remembered says less from the start.
func TestLongRejections(t *testing.T) {
	p := found(t)
	p.put(t, "x", `{"patternProperties":{"^a":{"type":"string"}}}`)
	var members []string
	for i := range 90 {
		members = append(members, fmt.Sprintf(`"a%d%s":1`, i, strings.Repeat(`\u0001`, 100)))
	}
	frame := wanted("1", `{"type":"x",`+strings.Join(members, ",")+`}`)
	first := p.do(t, anna, "notes", frame)
	var result reflex.CommandResult
	if err := json.Unmarshal([]byte(first), &result); err != nil {
		t.Fatal(err)
	}
	if n := len(result.Rejection.Errors); n == 0 || n == 90 || len(first) > store.MaxResult+200 {
		t.Errorf("%d mistakes in %d bytes", n, len(first))
	}
	if again := p.do(t, anna, "notes", frame); again != first {
		t.Errorf("first %s, then %s", first, again)
	}
}

// An actor of each kind publishes, and its events say so.
func TestActorsPublish(t *testing.T) {
	p := found(t)
	actors := []reflex.Actor{
		{Kind: reflex.User, ID: "anna", Name: `A "n" <a>`},
		{Kind: reflex.Agent, Rule: "r", RunID: "1", Name: "n"},
		{Kind: reflex.ExternalAgent, ClientID: "c", OnBehalfOf: &reflex.Actor{Kind: reflex.User, ID: "u"}},
		{Kind: reflex.System, Name: "s"},
		{Kind: reflex.Source, Name: "k"},
	}
	for _, a := range actors {
		c := reflex.Caller{Space: "default", Actor: a}
		if _, err := p.Publish(t.Context(), c, "notes", decoded(t, `{"type":"x"}`)); err != nil {
			t.Fatal(err)
		}
	}
	list, _ := p.read(t, "notes", reflex.Query{})
	var got []reflex.Actor
	for e := range slices.Values(list) {
		got = append(got, e.Actor)
	}
	if diff := cmp.Diff(actors, got); diff != "" {
		t.Errorf("the actors (-want +got):\n%s", diff)
	}
	if _, err := p.Publish(t.Context(), reflex.Caller{Space: "default"}, "notes", decoded(t, `{"type":"x"}`)); reflex.Reject(err).Type != reflex.Internal {
		t.Errorf("nobody publishes: %v", err)
	}
}

// Event is written as it is, and one that is none is not written.
func TestEventsAsJSON(t *testing.T) {
	const text = `{"type":"x","n":1.0,"s":"\u00e4"}`
	var e reflex.Event
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Type != "x" {
		t.Errorf("read is %+v, %v", e, err)
	}
	if got, err := json.Marshal(e); err != nil || string(got) != text {
		t.Errorf("written is %s, %v", got, err)
	}
	if got, err := json.Marshal(reflex.Event{Type: "x"}); err == nil {
		t.Errorf("written is %s", got)
	}
	if err := json.Unmarshal([]byte(`{"type":7}`), &e); err == nil {
		t.Error("an event whose type is a number is read")
	}
}
