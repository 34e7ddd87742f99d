package ui

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"hearth/relay/console"
)

const (
	// searchStep is how many events are looked at in one go, so that what was found
	// so far shows soon.
	searchStep = 20_000

	// searchRoom is how many are looked at before the person is asked whether to look
	// further back: a second's work.
	searchRoom = 100_000

	// searchMost is how many found events are kept: more than anyone scrolls through,
	// in a few megabytes.
	searchMost = 10_000

	// searchNew is how many new ones are taken in at once. After more than that the
	// search begins anew.
	searchNew = 1000
)

// search is the events of a stream that a filter lets through, newest first, as far
// as they were looked for. All methods are called on the UI thread.
type search struct {
	ref     console.StreamRef
	query   console.EventQuery // what is looked for
	list    func(context.Context, console.EventQuery) (console.EventList, error)
	later   later
	changed func() // there is more to show
	dropped bool   // nobody wants to know any more

	events   []console.Event
	head     uint64 // the newest position that was looked at
	down     uint64 // the oldest
	room     int    // how many may be looked at before asking
	missing  int    // how many are to be found before resting
	busy     bool   // looking further back
	catching bool   // looking at what is new
	failure  error  // why it came no further
}

// begin looks for the first events, from the head that the stream has.
func (s *search) begin(head uint64) {
	s.head, s.down, s.room, s.missing = head, head+1, searchRoom, pageRows
	s.events = nil
	s.look()
}

// more is called when the person comes near the end of what was found.
func (s *search) more() {
	if s.missing <= 0 {
		s.missing = pageRows
		s.look()
	}
}

// further looks further back because the person asks for it.
func (s *search) further() {
	s.room, s.missing, s.failure = searchRoom, max(s.missing, 1), nil
	s.look()
	s.changed()
}

// look goes further back, until enough was found, or as much as it may was looked
// at.
func (s *search) look() {
	if s.busy || s.dropped || s.whole() || s.full() || s.room <= 0 || s.missing <= 0 || s.failure != nil {
		return
	}
	s.busy = true
	q := s.query
	q.Before, q.Limit, q.Scan = s.down, pageRows, min(searchStep, s.room)
	s.later(func(ctx context.Context) (func(), error) {
		found, err := s.list(ctx, q)
		return func() {
			s.busy = false
			if s.down != q.Before { // it began anew meanwhile, or lost its end
				s.look()
				return
			}
			s.room -= int(s.down - found.Down)
			s.missing -= len(found.Events)
			s.down = found.Down
			s.events = append(s.events, found.Events...)
			if s.missing <= 0 {
				s.room = searchRoom // it is worth while
			}
			s.look()
			s.changed()
		}, err
	}, func(err error) {
		s.busy, s.failure = false, err
		s.changed()
	})
}

// advance looks at what is new up to a head, then calls done with how many of them
// were found, or -1 if the search began anew.
func (s *search) advance(head uint64, done func(found int), failed func(error)) {
	if s.catching || head <= s.head {
		return
	}
	if head-s.head > searchStep {
		s.begin(head)
		done(-1)
		return
	}
	s.catching = true
	from := s.head
	q := s.query
	q.Before, q.Limit, q.Scan = head+1, searchNew, int(head-from)
	s.later(func(ctx context.Context) (func(), error) {
		found, err := s.list(ctx, q)
		return func() {
			s.catching = false
			switch {
			case s.dropped || s.head != from:
			case found.Down > from+1:
				s.begin(head)
				done(-1)
			default:
				s.head = head
				s.events = slices.Concat(found.Events, s.events)
				s.trim()
				done(len(found.Events))
			}
		}, err
	}, func(err error) {
		s.catching = false
		failed(err)
	})
}

// trim lets go of the oldest events when there are too many.
func (s *search) trim() {
	if len(s.events) > searchMost {
		s.events = s.events[:searchMost]
		s.down = s.events[searchMost-1].Position
	}
}

// whole says that there is nothing further back.
func (s *search) whole() bool { return s.down <= 1 }

// full says that no more events are kept.
func (s *search) full() bool { return len(s.events) >= searchMost }

// index says where in the list a position is; -1 if nowhere.
func (s *search) index(position uint64) int {
	i := sort.Search(len(s.events), func(i int) bool { return s.events[i].Position <= position })
	if i < len(s.events) && s.events[i].Position == position {
		return i
	}
	return -1
}

// tally says how much was found in how much.
func (s *search) tally() string {
	found, looked := number(len(s.events)), s.head+1-s.down
	switch {
	case s.full():
		return "The newest " + found + ". Look for less to see older ones."
	case s.whole():
		return fmt.Sprintf("%s in all %s", found, counted(s.head, "event", "events"))
	case s.busy:
		return fmt.Sprintf("%s in the newest %s, looking…", found, number(looked))
	default:
		return fmt.Sprintf("%s in the newest %s", found, number(looked))
	}
}
