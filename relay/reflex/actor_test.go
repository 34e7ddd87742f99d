package reflex_test

import (
	"encoding/json"
	"testing"

	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// Actors of each kind have their own members, and read as what they were written
// from.
func TestActors(t *testing.T) {
	for _, c := range []struct {
		actor       reflex.Actor
		json        string
		participant string
	}{
		{reflex.Actor{Kind: reflex.User, ID: "anna"}, `{"kind":"user","id":"anna"}`, "user:anna"},
		{reflex.Actor{Kind: reflex.User, ID: "anna", Name: "Anna"}, `{"kind":"user","id":"anna","name":"Anna"}`, "user:anna"},
		{
			reflex.Actor{Kind: reflex.Agent, Rule: "cold", RunID: "fir_1", Name: "heat"},
			`{"kind":"agent","rule":"cold","run_id":"fir_1","name":"heat"}`, "agent:fir_1",
		},
		{reflex.Actor{Kind: reflex.ExternalAgent, ClientID: "c"}, `{"kind":"external_agent","client_id":"c"}`, "external_agent:c"},
		{
			reflex.Actor{Kind: reflex.ExternalAgent, ClientID: "c", Name: "C", OnBehalfOf: &reflex.Actor{Kind: reflex.User, ID: "anna"}},
			`{"kind":"external_agent","client_id":"c","name":"C","on_behalf_of":{"kind":"user","id":"anna"}}`, "external_agent:c",
		},
		{reflex.Actor{Kind: reflex.System, Name: "relay"}, `{"kind":"system","name":"relay"}`, "system:relay"},
		{reflex.Actor{Kind: reflex.Source, Name: "key_1"}, `{"kind":"source","name":"key_1"}`, "source:key_1"},
	} {
		got, err := json.Marshal(c.actor)
		if err != nil || string(got) != c.json {
			t.Errorf("%+v is written as %s, %v; want %s", c.actor, got, err, c.json)
		}
		if got := c.actor.Participant(); got != c.participant {
			t.Errorf("%s takes part as %q", c.json, got)
		}
		var back reflex.Actor
		if err := json.Unmarshal([]byte(c.json), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.actor, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.json, diff)
		}
	}
}

// Nothing is written of an actor that lacks a member, or has one of another kind.
func TestBadActors(t *testing.T) {
	for _, a := range []reflex.Actor{
		{},
		{Kind: "robot", Name: "r"},
		{Kind: reflex.User},
		{Kind: reflex.User, ID: "anna", Rule: "r"},
		{Kind: reflex.Agent, Rule: "r", RunID: "1"},
		{Kind: reflex.ExternalAgent, Name: "c"},
		{Kind: reflex.ExternalAgent, ClientID: "c", OnBehalfOf: &reflex.Actor{Kind: reflex.System, Name: "s"}},
		{Kind: reflex.System},
		{Kind: reflex.Source, Name: "s", ID: "i"},
	} {
		if text, err := json.Marshal(a); err == nil {
			t.Errorf("%+v is written as %s", a, text)
		}
	}
}
