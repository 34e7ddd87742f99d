package reflex

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// MaxEvent is the largest event, in bytes: what is left of the largest entry
// beside an envelope with an id, a chain, an actor and a stream whose names are as
// long as they can be and all escaped.
const MaxEvent = protocol.MaxBody - 8<<10

// Publish appends events to a stream, all of them in their order or none, and says
// where each is. The errors are *Rejection and those of the store; [Reject] takes
// either.
func (s *Service) Publish(ctx context.Context, c Caller, stream string, p Publication) ([]store.Published, error) {
	if err := checkStream(stream); err != nil {
		return nil, err
	}
	if len(p.Events) == 0 {
		return []store.Published{}, nil
	}
	done, err := s.publish(ctx, c, stream, p, nil)
	return done.Events, err
}

// publish checks events and hands them to the store, as a command if there is one.
func (s *Service) publish(ctx context.Context, c Caller, stream string, p Publication, command *store.Command) (store.Publication, error) {
	if stream == RelayStream {
		return store.Publication{}, &Rejection{
			Type:    Forbidden,
			Message: fmt.Sprintf("the stream %s tells what happens on the relay: nobody else publishes to it", RelayStream),
		}
	}
	if err := s.check(ctx, c.Space, p); err != nil {
		return store.Publication{}, err
	}
	origin, err := Origin(stream, c.Actor, nil)
	if err != nil {
		return store.Publication{}, err
	}
	events := make([]store.Event, len(p.Events))
	for i, e := range p.Events {
		events[i] = store.Event{ID: e.ID, JSON: e.Event.JSON}
	}
	return s.store.Publish(ctx, store.Publish{
		Ref: store.Ref{Space: c.Space, Name: stream}, Writer: c.Key, Origin: origin,
		Chain: p.CorrelationID, Events: events, Command: command,
	})
}

// check checks what is known of events before the store looks at them. The error
// is a *Rejection, or what the store says of types.
func (s *Service) check(ctx context.Context, space string, p Publication) error {
	for _, e := range p.Events {
		switch {
		case Owned(e.Event.Type):
			return &Rejection{
				Type:    Forbidden,
				Message: fmt.Sprintf("events of the type %q are published by the relay alone", e.Event.Type),
			}
		case len(e.Event.JSON) > MaxEvent:
			return &Rejection{
				Type: TooLarge, Limit: MaxEvent,
				Message: fmt.Sprintf("an event of %d bytes is longer than %d", len(e.Event.JSON), MaxEvent),
			}
		}
	}
	return s.types.check(ctx, space, p)
}

// Origin returns the members stream_id, actor and causation of the envelopes of an
// actor's events, as JSON without braces. The error says that the actor is none.
func Origin(stream string, a Actor, c *Causation) ([]byte, error) {
	origin := append(store.AppendID([]byte(`"stream_id":`), stream), `,"actor":`...)
	actor, err := a.MarshalJSON()
	if err != nil {
		return nil, err
	}
	causation, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("the causation of an event: %w", err)
	}
	origin = append(append(origin, actor...), `,"causation":`...)
	return append(origin, causation...), nil
}

// loc returns what leads to an event of the publication, as it was sent.
func (p Publication) loc(i int) []string {
	switch p.form {
	case bare:
		return []string{}
	case single:
		return []string{"event"}
	case commanded:
		return []string{"command", "event"}
	}
	return []string{"events", strconv.Itoa(i), "event"}
}
