package consolehttp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hearth/relay/console"
)

// EventList is console.EventList in JSON.
type EventList struct {
	Events []Event  `json:"events"`
	Down   uint64   `json:"down"`
	Types  []string `json:"types"`
	Actors []Actor  `json:"actors"`
}

// EventListOf puts a list of events into its JSON form.
func EventListOf(l console.EventList) EventList {
	return EventList{mapped(l.Events, EventOf), l.Down, texts(l.Types), mapped(l.Actors, ActorOf)}
}

// Console returns the list that l is the JSON form of.
func (l EventList) Console() console.EventList {
	return console.EventList{
		Events: mapped(l.Events, Event.Console), Down: l.Down, Types: listed(l.Types, itself), Actors: listed(l.Actors, Actor.Console),
	}
}

func itself(text string) string { return text }

// Event is console.Event in JSON.
type Event struct {
	Position uint64    `json:"position"`
	At       time.Time `json:"at,omitzero"`
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Actor    Actor     `json:"actor"`
	Size     int       `json:"size"`
	Summary  string    `json:"summary"`
	Broken   string    `json:"broken,omitempty"`
}

// EventOf puts an event into its JSON form.
func EventOf(e console.Event) Event {
	return Event{e.Position, e.At, e.ID, e.Type, ActorOf(e.Actor), e.Size, e.Summary, e.Broken}
}

// Console returns the event that e is the JSON form of.
func (e Event) Console() console.Event {
	return console.Event{
		Position: e.Position, At: e.At, ID: e.ID, Type: e.Type, Actor: e.Actor.Console(), Size: e.Size, Summary: e.Summary, Broken: e.Broken,
	}
}

// Actor is console.Actor in JSON.
type Actor struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// ActorOf puts an actor into its JSON form.
func ActorOf(a console.Actor) Actor { return Actor(a) }

// Console returns the actor that a is the JSON form of.
func (a Actor) Console() console.Actor { return console.Actor(a) }

// Chain is console.Chain in JSON.
type Chain struct {
	Began       string    `json:"began"`
	Firing      string    `json:"firing,omitempty"`
	Run         string    `json:"run,omitempty"`
	Causes      []Related `json:"causes"`
	Effects     []Related `json:"effects"`
	From        uint64    `json:"from"`
	To          uint64    `json:"to"`
	Head        uint64    `json:"head"`
	MoreCauses  bool      `json:"more_causes,omitempty"`
	MoreEffects bool      `json:"more_effects,omitempty"`
}

// Related is console.Related in JSON.
type Related struct {
	Event    Event            `json:"event"`
	Relation console.Relation `json:"relation"`
}

// RelatedOf puts a related event into its JSON form.
func RelatedOf(r console.Related) Related { return Related{EventOf(r.Event), r.Relation} }

// Console returns the related event that r is the JSON form of.
func (r Related) Console() console.Related {
	return console.Related{Event: r.Event.Console(), Relation: r.Relation}
}

// ChainOf puts a chain into its JSON form.
func ChainOf(c console.Chain) Chain {
	return Chain{
		Began: c.Began, Firing: c.Firing, Run: c.Run, Causes: mapped(c.Causes, RelatedOf), Effects: mapped(c.Effects, RelatedOf),
		From: c.From, To: c.To, Head: c.Head, MoreCauses: c.MoreCauses, MoreEffects: c.MoreEffects,
	}
}

// Console returns the chain that c is the JSON form of.
func (c Chain) Console() console.Chain {
	return console.Chain{
		Began: c.Began, Firing: c.Firing, Run: c.Run, Causes: listed(c.Causes, Related.Console), Effects: listed(c.Effects, Related.Console),
		From: c.From, To: c.To, Head: c.Head, MoreCauses: c.MoreCauses, MoreEffects: c.MoreEffects,
	}
}

// typeSeparator parts types of events in a query: none of them holds a control
// character.
const typeSeparator = "\n"

// eventRoutes look into streams of events.
func eventRoutes(c console.EventLog) map[string]route {
	return map[string]route{
		Prefix + "events": {answer: func(r *http.Request, q query) (any, error) {
			asked, err := q.events()
			if err != nil {
				return nil, err
			}
			list, err := c.Events(r.Context(), q.ref(), asked)
			return EventListOf(list), withoutEvents(err)
		}, parameters: []string{"space", "name", "before", "limit", "scan", "types", "actor", "text"}},
		Prefix + "chain": {answer: func(r *http.Request, q query) (any, error) {
			position, err := q.position("position")
			if err != nil {
				return nil, err
			}
			scan, err := q.scan()
			if err != nil {
				return nil, err
			}
			chain, err := c.Chain(r.Context(), q.ref(), position, scan)
			return ChainOf(chain), withoutEvents(err)
		}, parameters: []string{"space", "name", "position", "scan"}},
	}
}

// noEvents answers who looks for events in a stream that holds none.
var noEvents = &Refusal{Status: http.StatusConflict, Code: "wrong_kind", Message: console.ErrNoEvents.Error()}

func withoutEvents(err error) error {
	if errors.Is(err, console.ErrNoEvents) {
		return noEvents
	}
	return err
}

// events reads which events are looked for. The error is a *Refusal.
func (q query) events() (asked console.EventQuery, err error) {
	if asked.Before, err = q.position("before"); err != nil {
		return asked, err
	}
	if q["limit"] != "0" {
		if asked.Limit, err = q.limit(); err != nil {
			return asked, err
		}
	}
	if asked.Scan, err = q.scan(); err != nil {
		return asked, err
	}
	if q["types"] != "" {
		asked.Types = strings.Split(q["types"], typeSeparator)
	}
	asked.Actor, asked.Text = q["actor"], q["text"]
	return asked, nil
}

// scan reads how many events may be looked at; without it, as many as ever are. The
// error is a *Refusal.
func (q query) scan() (int, error) {
	text, ok := q["scan"]
	if !ok {
		return console.MaxScan, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < 1 || n > console.MaxScan {
		return 0, badRequest("scan is a number from 1 to %d", console.MaxScan)
	}
	return int(n), nil
}

// Events implements [console.EventLog]. It lists at most a thousand.
func (c *Client) Events(ctx context.Context, ref console.StreamRef, asked console.EventQuery) (console.EventList, error) {
	q := of(ref)
	q.Set("before", strconv.FormatUint(asked.Before, 10))
	q.Set("limit", atMost(asked.Limit))
	setScan(q, asked.Scan)
	q.Set("types", strings.Join(asked.Types, typeSeparator))
	q.Set("actor", asked.Actor)
	q.Set("text", asked.Text)
	list, err := get[EventList](ctx, c, "events", q)
	if err != nil {
		return console.EventList{}, hasNoEvents(err)
	}
	return list.Console(), nil
}

// Chain implements [console.EventLog].
func (c *Client) Chain(ctx context.Context, ref console.StreamRef, position uint64, scan int) (console.Chain, error) {
	q := of(ref)
	q.Set("position", strconv.FormatUint(position, 10))
	setScan(q, max(scan, 1))
	chain, err := get[Chain](ctx, c, "chain", q)
	return chain.Console(), hasNoEvents(err)
}

// setScan says how many events may be looked at, unless it is as many as ever are.
func setScan(q url.Values, scan int) {
	if 0 < scan && scan < console.MaxScan {
		q.Set("scan", strconv.Itoa(scan))
	}
}

// hasNoEvents makes of the answer the console's error.
func hasNoEvents(err error) error {
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Code == noEvents.Code {
		return console.ErrNoEvents
	}
	return err
}
