package ui

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"hearth/relay/console"
)

// listing is a stream of events of which every so many match, and a hand on when its
// answers come.
type listing struct {
	head    uint64
	every   uint64
	asked   int // how many were looked at in all
	waiting []func()
	err     error
}

// list answers as a relay does.
func (l *listing) list(_ context.Context, q console.EventQuery) (console.EventList, error) {
	if l.err != nil {
		return console.EventList{}, l.err
	}
	list := console.EventList{Down: q.Before}
	for p := min(q.Before-1, l.head); p > 0 && q.Scan > 0 && len(list.Events) < q.Limit; p-- {
		list.Down = p
		q.Scan--
		l.asked++
		if p%l.every == 0 {
			list.Events = append(list.Events, console.Event{Position: p})
		}
	}
	return list, nil
}

func (l *listing) later(work func(context.Context) (func(), error), failed func(error)) {
	l.waiting = append(l.waiting, func() {
		if show, err := work(context.Background()); err != nil {
			failed(err)
		} else {
			show()
		}
	})
}

// settle lets all answers come.
func (l *listing) settle() {
	for len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		next()
	}
}

func (l *listing) search() *search {
	return &search{list: l.list, later: l.later, changed: func() {}}
}

// A search rests when it has found a few screens full, and otherwise when it has
// looked at as many events as it may; it goes on when it is asked to.
func TestSearchRests(t *testing.T) {
	often := &listing{head: 1_000_000, every: 10}
	s := often.search()
	s.begin(often.head)
	often.settle()
	if len(s.events) != pageRows || often.asked > pageRows*10 || s.whole() {
		t.Errorf("%d found among %d", len(s.events), often.asked)
	}
	s.more()
	often.settle()
	if len(s.events) != 2*pageRows {
		t.Errorf("then %d found", len(s.events))
	}

	seldom := &listing{head: 1_000_000, every: 300_000}
	s = seldom.search()
	s.begin(seldom.head)
	seldom.settle()
	s.more() // which is nothing to go on for by itself
	seldom.settle()
	if seldom.asked != searchRoom || s.tally() != "0 in the newest 100,000" {
		t.Errorf("%d were looked at: %s", seldom.asked, s.tally())
	}
	for range 9 {
		s.further()
		seldom.settle()
	}
	if !s.whole() || s.tally() != "3 in all 1,000,000 events" {
		t.Errorf("in the end %s", s.tally())
	}

	many := &listing{head: 1_000_000, every: 1}
	s = many.search()
	s.begin(many.head)
	for range 2 * searchMost / pageRows {
		many.settle()
		s.more()
	}
	if n := len(s.events); n < searchMost || n > searchMost+pageRows || s.tally() != "The newest "+number(n)+". Look for less to see older ones." {
		t.Errorf("%d are kept: %s", n, s.tally())
	}
}

// What fails is told, and tried again only when the person asks.
func TestSearchFails(t *testing.T) {
	l := &listing{head: 100, every: 10, err: errors.New("no answer")}
	s := l.search()
	s.begin(l.head)
	l.settle()
	s.more()
	l.settle()
	if s.failure == nil || len(s.events) > 0 {
		t.Errorf("found %d, %v", len(s.events), s.failure)
	}
	l.err = nil
	s.further()
	l.settle()
	if s.failure != nil || len(s.events) != 10 {
		t.Errorf("then found %d, %v", len(s.events), s.failure)
	}
}

// In whatever order the person scrolls, the stream grows and answers come, what is
// listed is just what matches between the ends of the search.
func TestSearchModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &listing{head: rapid.Uint64Range(1, 50_000).Draw(t, "head"), every: rapid.Uint64Range(1, 5000).Draw(t, "every")}
		s := l.search()
		s.begin(l.head)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"answer", "more", "further", "grow", "leap"}).Draw(t, "step") {
			case "answer":
				if n := len(l.waiting); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(t, "which")
					next := l.waiting[i]
					l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
					next()
				}
			case "more":
				s.more()
			case "further":
				s.further()
			case "grow":
				l.head += rapid.Uint64Range(1, 3000).Draw(t, "by")
				s.advance(l.head, func(int) {}, func(err error) { t.Fatal(err) })
			case "leap":
				l.head += 2 * searchStep
				s.advance(l.head, func(int) {}, func(err error) { t.Fatal(err) })
			}
			want := s.head / l.every * l.every
			for i, e := range s.events {
				if e.Position != want || e.Position < s.down {
					t.Fatalf("event %d is at %d, not %d; the search goes from %d down to %d", i, e.Position, want, s.head, s.down)
				}
				want -= l.every
			}
			if want >= s.down && want > 0 {
				t.Fatalf("%d is left out; the search goes from %d down to %d", want, s.head, s.down)
			}
		}
		l.settle()
	})
}
