package relay

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"hearth/relay/console"
	"hearth/relay/console/render"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

const (
	// scanStep is how many entries are read at once while events are looked for.
	scanStep = 1000

	// scanBytes is how many bytes of them one call looks at, but for the last step:
	// what MaxScan events of a usual size come to, several times over.
	scanBytes = 64 << 20

	// mostSeen is how many types, and how many actors, a list of events names: more
	// than a person chooses from.
	mostSeen = 256

	// mostSpelled is how many spellings of actors are kept while events are looked
	// for, so that they are not read anew: agents have another one each run.
	mostSpelled = 4096
)

// Events implements [console.EventLog].
func (l look) Events(ctx context.Context, ref console.StreamRef, q console.EventQuery) (console.EventList, error) {
	if err := l.holdsEvents(ctx, ref); err != nil {
		return console.EventList{}, err
	}
	sieve := newSieve(q)
	list := console.EventList{Events: []console.Event{}, Down: q.Before}
	if q.Scan <= 0 || q.Scan > console.MaxScan {
		q.Scan = console.MaxScan
	}
	s := scan{ref: store.Ref(ref), before: q.Before, most: q.Scan, bytes: scanBytes}
	if !sieve.chooses && q.Limit > 0 {
		s.most, s.bytes = min(s.most, q.Limit), math.MaxInt // nothing is read in vain
	}
	err := l.back(ctx, s, func(r store.Record) bool {
		if q.Limit > 0 && len(list.Events) >= q.Limit {
			return false
		}
		list.Down = r.Seq
		if e, err := store.ReadEnvelope(r.Data); err != nil {
			if !sieve.chooses && q.Limit > 0 {
				list.Events = append(list.Events, console.Event{Position: r.Seq, Size: len(r.Data), Broken: err.Error()})
			}
		} else if sieve.lets(e) && q.Limit > 0 {
			list.Events = append(list.Events, sieve.shown(r.Seq, e, len(r.Data)))
		}
		return true
	})
	list.Types, list.Actors = sieve.seen()
	return list, err
}

// holdsEvents says by its error if a stream does not.
func (l look) holdsEvents(ctx context.Context, ref console.StreamRef) error {
	s, err := l.store.Stream(ctx, store.Ref(ref))
	if err == nil && s.Kind != store.Events {
		return console.ErrNoEvents
	}
	return notFound(err)
}

// scan is how far back in a stream entries are looked at.
type scan struct {
	ref    store.Ref
	before uint64 // the position before which to begin; 0 for the head
	most   int    // entries
	bytes  int    // of them, but for the last step
}

// back looks at entries, newest first, until visit has enough.
func (l look) back(ctx context.Context, s scan, visit func(store.Record) bool) error {
	for s.most > 0 && s.bytes > 0 && s.before != 1 {
		list, err := l.store.Back(ctx, s.ref, s.before, min(s.most, scanStep))
		if err != nil {
			return notFound(err)
		}
		if len(list) == 0 {
			return nil
		}
		for _, r := range list {
			if !visit(r) {
				return nil
			}
			s.bytes -= len(r.Data)
		}
		s.most -= len(list)
		s.before = list[len(list)-1].Seq
	}
	return nil
}

// sieve lets through the events that are looked for, and notes what goes by.
type sieve struct {
	chooses bool // not everything gets through
	types   []string
	actor   string
	text    []byte // in lower case

	kinds   map[string]string        // the types by how they stand in envelopes
	spelled map[string]console.Actor // the same of actors
	actors  map[string]console.Actor // and these by who they are
}

func newSieve(q console.EventQuery) *sieve {
	return &sieve{
		chooses: len(q.Types) > 0 || q.Actor != "" || q.Text != "", types: q.Types, actor: q.Actor, text: []byte(strings.ToLower(q.Text)),
		kinds: make(map[string]string), spelled: make(map[string]console.Actor), actors: make(map[string]console.Actor),
	}
}

func (s *sieve) lets(e store.Envelope) bool {
	kind, actor := s.kind(e), s.from(e)
	return (len(s.types) == 0 || slices.Contains(s.types, kind)) &&
		(s.actor == "" || actor.Participant() == s.actor) &&
		(len(s.text) == 0 || render.Contains(e.Event, s.text) || strings.Contains(strings.ToLower(e.ID), string(s.text)))
}

// kind returns the type of an event.
func (s *sieve) kind(e store.Envelope) string {
	if kind, ok := s.kinds[string(e.Type)]; ok {
		return kind
	}
	kind, err := store.Text(e.Type)
	if err != nil {
		return string(e.Type)
	}
	remember(s.kinds, mostSeen, string(e.Type), kind)
	return kind
}

// from returns the actor of an event.
func (s *sieve) from(e store.Envelope) console.Actor {
	if actor, ok := s.spelled[string(e.Actor)]; ok {
		return actor
	}
	actor := shownActor(e.Actor)
	remember(s.spelled, mostSpelled, string(e.Actor), actor)
	remember(s.actors, mostSeen, actor.Participant(), actor)
	return actor
}

// remember puts something where it is found again, unless there is too much
// already.
func remember[V any](m map[string]V, most int, key string, value V) {
	if len(m) < most {
		m[key] = value
	}
}

// seen returns the types and the actors that went by.
func (s *sieve) seen() ([]string, []console.Actor) {
	return slices.Collect(maps.Values(s.kinds)), slices.Collect(maps.Values(s.actors))
}

func (s *sieve) shown(seq uint64, e store.Envelope, size int) console.Event {
	return console.Event{
		Position: seq, At: e.TS, ID: e.ID, Type: s.kind(e), Actor: s.from(e), Size: size, Summary: render.Summary(e.Event),
	}
}

// shownActor reads an actor. Actions of one rule are one to a person, whichever run
// they belong to.
func shownActor(data []byte) console.Actor {
	var a reflex.Actor
	if json.Unmarshal(data, &a) != nil {
		return console.Actor{Kind: "unknown"}
	}
	shown := console.Actor{Kind: a.Kind, ID: a.Name, Name: a.Name}
	switch a.Kind {
	case reflex.User:
		shown.ID = a.ID
	case reflex.ExternalAgent:
		shown.ID = a.ClientID
	}
	return shown
}
