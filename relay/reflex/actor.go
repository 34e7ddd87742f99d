package reflex

import (
	"encoding/json"
	"fmt"
)

// The kinds of actors (contract, "Server frames").
const (
	User          = "user"           // a person
	Agent         = "agent"          // an action of a run
	ExternalAgent = "external_agent" // a client that acts by itself
	System        = "system"         // a part of the relay
	Source        = "source"         // a device or a program that reports
)

// Actor is who did something. Which fields it has depends on its kind; Name is
// optional for users and external agents.
type Actor struct {
	Kind       string
	ID         string // a user's
	Name       string
	Rule       string // an agent's
	RunID      string // an agent's
	ClientID   string // an external agent's
	OnBehalfOf *Actor // the user for whom an external agent acts; nil if none
}

// actorFields are the members of actors in the order in which they are written.
type actorFields struct {
	Kind       string  `json:"kind"`
	ID         *string `json:"id,omitempty"`
	Rule       *string `json:"rule,omitempty"`
	RunID      *string `json:"run_id,omitempty"`
	ClientID   *string `json:"client_id,omitempty"`
	Name       *string `json:"name,omitempty"`
	OnBehalfOf *Actor  `json:"on_behalf_of,omitempty"`
}

// Participant returns the actor's kind and what tells it from others of that kind,
// as "kind:id": commands are remembered by it.
func (a Actor) Participant() string {
	id := a.Name
	switch a.Kind {
	case User:
		id = a.ID
	case Agent:
		id = a.RunID
	case ExternalAgent:
		id = a.ClientID
	}
	return a.Kind + ":" + id
}

// fields returns the members that an actor of this kind has; ok says that it has
// all that it must have and none that it must not.
func (a Actor) fields() (f actorFields, ok bool) {
	f = actorFields{Kind: a.Kind}
	rest := a
	rest.Kind, rest.Name = "", ""
	switch a.Kind {
	case User:
		f.ID, rest.ID = &a.ID, ""
		f.Name = optional(a.Name)
		ok = a.ID != ""
	case Agent:
		f.Rule, f.RunID, f.Name = &a.Rule, &a.RunID, &a.Name
		rest.Rule, rest.RunID = "", ""
		ok = a.Rule != "" && a.RunID != "" && a.Name != ""
	case ExternalAgent:
		f.ClientID, f.Name, f.OnBehalfOf = &a.ClientID, optional(a.Name), a.OnBehalfOf
		rest.ClientID, rest.OnBehalfOf = "", nil
		ok = a.ClientID != "" && (a.OnBehalfOf == nil || a.OnBehalfOf.Kind == User)
	case System, Source:
		f.Name = &a.Name
		ok = a.Name != ""
	}
	return f, ok && rest == Actor{}
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// MarshalJSON writes the members that the actor's kind has. The error says that
// one is missing or one too many.
func (a Actor) MarshalJSON() ([]byte, error) {
	f, ok := a.fields()
	if !ok {
		return nil, fmt.Errorf("an actor of the kind %q with other fields than it has: %+v", a.Kind, a)
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads an actor. Members that are not known are passed over, and
// kinds kept: within v1 changes are additive.
func (a *Actor) UnmarshalJSON(data []byte) error {
	var f actorFields
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("an actor: %w", err)
	}
	*a = Actor{
		Kind: f.Kind, ID: value(f.ID), Name: value(f.Name), Rule: value(f.Rule), RunID: value(f.RunID),
		ClientID: value(f.ClientID), OnBehalfOf: f.OnBehalfOf,
	}
	return nil
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Caller is who asks a [Service] for something.
type Caller struct {
	Space string // where its streams are
	Actor Actor  // as whom it acts
	Owner bool   // whether it may change the relay itself
	Key   string // the id of the key that it showed; empty if none
}
