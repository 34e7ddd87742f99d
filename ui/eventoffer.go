package ui

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

// offeredMost is how many types, and how many actors, a person can choose from: more
// than anyone reads through.
const offeredMost = 256

// eventOffer is the types and the actors of the events of a stream that were looked
// at so far. It may be used from any goroutine.
type eventOffer struct {
	mu     sync.Mutex
	types  map[string]bool
	actors map[string]string // by how they are called; whom that means
}

// note takes in what was seen.
func (o *eventOffer) note(types []string, actors []console.Actor) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.types == nil {
		o.types, o.actors = make(map[string]bool), make(map[string]string)
	}
	for _, t := range types {
		if len(o.types) < offeredMost {
			o.types[t] = true
		}
	}
	for _, a := range actors {
		if len(o.actors) < offeredMost {
			o.actors[actorName(a)] = a.Participant()
		}
	}
}

// all returns the types and the names of the actors, each in their order.
func (o *eventOffer) all() (types, actors []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.types)), slices.Sorted(maps.Keys(o.actors))
}

// participant returns whom a name means.
func (o *eventOffer) participant(name string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.actors[name]
}

// lineMost is how many letters of a type or a name are shown at the most.
const lineMost = 60

// actorName is an actor as people say it: its kind, and its name or what tells it
// from others.
func actorName(a console.Actor) string {
	name := a.Name
	switch {
	case name == "":
		name = a.ID
	case a.ID != name:
		name += " (" + a.ID + ")"
	}
	return render.Line(strings.ReplaceAll(a.Kind, "_", " ")+" "+name, lineMost)
}
