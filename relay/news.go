package relay

import (
	"slices"
	"time"

	"hearth/relay/reflex"
	"hearth/relay/store"
)

// What is told of the relay on a space's stream _relay is bounded, whoever causes it.
const (
	// newsBurst and newsEvery bound the events: so many at once, and then one in so
	// much time. At some 250 bytes each that is 20 MB a day where something never
	// stops, and a home's few changes are told at once.
	newsBurst = 60
	newsEvery = time.Second

	// movedEvery is how often one stream's moves are told at the most.
	movedEvery = time.Second

	// refusedEvery is how often one device's refusals of one kind are.
	refusedEvery = time.Minute

	// maxNews is how many streams, how many kinds of refusals and how many other
	// happenings are remembered of a space, in some 300 kB.
	maxNews = 1024
)

// news is what is to be told on the stream _relay of one space. The zero value has
// none. It knows no clock: now never goes back.
type news struct {
	streams nextUp[string, streamNews]
	refused nextUp[refusalKind, refusalNews]
	others  []reflex.Happening // in their order
	leftOut uint64

	spent time.Time // when all events that were told are paid for, one each newsEvery
}

// streamNews is what is to be told of a stream.
type streamNews struct {
	created *reflex.StreamCreated
	head    uint64
	moves   uint64
}

// refusalKind is what refusals have in common that are told together.
type refusalKind struct {
	code, key string
}

// refusalNews is what is to be told of refusals.
type refusalNews struct {
	action, stream string // of the newest
	count          uint64
}

// moved notes that a stream moved, and tells it if it is new or has moved as is asked.
func (n *news) moved(now time.Time, m store.Moved, created, moves bool) {
	isNew := m.Before == 0 && created
	if !isNew && !moves {
		return
	}
	s := n.streams.get(now, m.Name)
	if s == nil {
		n.leftOut++
		return
	}
	switch {
	case isNew:
		s.created = &reflex.StreamCreated{Stream: m.Name, Holds: "entries", Identity: m.Stream.String(), Head: m.Head}
		if m.Kind == store.Events {
			s.created.Holds = "events"
		}
	case s.created != nil:
		s.created.Head = m.Head
	default:
		s.head, s.moves = m.Head, s.moves+1
	}
}

// refuse notes a refusal.
func (n *news) refuse(now time.Time, kind refusalKind, action, stream string) {
	r := n.refused.get(now, kind)
	if r == nil {
		n.leftOut++
		return
	}
	r.action, r.stream, r.count = action, stream, r.count+1
}

// add notes anything else.
func (n *news) add(h reflex.Happening) {
	if len(n.others) == maxNews {
		n.leftOut++
		return
	}
	n.others = append(n.others, h)
}

// take returns what is to be told now, and whether there is more to be told later.
// What is rarest comes first.
func (n *news) take(now time.Time) (told []reflex.Happening, more bool) {
	room := n.room(now)
	if n.leftOut > 0 && room > 0 {
		told = append(told, reflex.LeftOut{Count: n.leftOut})
		n.leftOut = 0
	}
	others := min(len(n.others), max(0, room-len(told)))
	told = append(told, n.others[:others]...)
	n.others = slices.Delete(n.others, 0, others)
	n.refused.due(now, refusedEvery, room-len(told), func(kind refusalKind, r refusalNews) {
		told = append(told, reflex.DeviceRefused{Code: kind.code, Action: r.action, Stream: r.stream, Key: kind.key, Count: r.count})
	})
	n.streams.due(now, movedEvery, room-len(told), func(name string, s streamNews) {
		if s.created != nil {
			told = append(told, *s.created)
		} else {
			told = append(told, reflex.StreamMoved{Stream: name, Head: s.head, Moves: s.moves})
		}
	})
	n.spent = n.spent.Add(time.Duration(len(told)) * newsEvery)
	return told, n.pending()
}

// room returns how many events may be told now.
func (n *news) room(now time.Time) int {
	if n.spent.Before(now) {
		n.spent = now
	}
	return newsBurst - int((n.spent.Sub(now)+newsEvery-1)/newsEvery)
}

// pending says whether anything is still to be told.
func (n *news) pending() bool {
	return n.leftOut > 0 || len(n.others) > 0 || n.refused.waiting() || n.streams.waiting()
}

// idle says that nothing is remembered that anything could depend on.
func (n *news) idle(now time.Time) bool {
	return !n.pending() && !n.spent.After(now) && n.refused.forget(now) == 0 && n.streams.forget(now) == 0
}
