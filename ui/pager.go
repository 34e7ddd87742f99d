package ui

import (
	"context"
	"errors"
	"slices"

	"hearth/relay/console"
)

const (
	// pageRows is how many entries are asked for at once: a few screens full,
	// so that scrolling rarely waits.
	pageRows = 128

	// pagesKept bounds what a long scroll leaves behind.
	pagesKept = 64

	// pagesWanted bounds what is still to be fetched: pages that were only
	// scrolled past are forgotten.
	pagesWanted = 4
)

// errFewer says that a stream no longer is what it was when it was listed. The
// next look at the list puts that right.
var errFewer = errors.New("the stream has fewer entries than it had")

// pager holds those entries of one stream that are or were lately on the
// screen. Entries never change, so a page that is complete stays right. All
// methods are called on the UI thread.
type pager struct {
	ref     console.StreamRef
	head    uint64
	relay   console.Relay
	later   later
	arrived func(*pager, error)

	pages  map[uint64][]console.Entry // by page number, each newest first
	order  []uint64                   // of their arrival
	wanted []uint64                   // the newest wish last
	busy   bool
}

func newPager(ref console.StreamRef, head uint64, relay console.Relay, later later, arrived func(*pager, error)) *pager {
	return &pager{ref: ref, head: head, relay: relay, later: later, arrived: arrived, pages: map[uint64][]console.Entry{}}
}

// at returns the entry at a position, or asks for it: arrived is called once
// there is more to show.
func (p *pager) at(position uint64) (console.Entry, bool) {
	e, ok := p.held(position)
	if !ok {
		p.want(pageOf(position))
	}
	return e, ok
}

// held returns the entry at a position if it is here.
func (p *pager) held(position uint64) (console.Entry, bool) {
	if page := p.pages[pageOf(position)]; len(page) > 0 {
		newest := page[0].Position
		if i := newest - position; position <= newest && i < uint64(len(page)) {
			return page[i], true
		}
	}
	return console.Entry{}, false
}

func pageOf(position uint64) uint64 { return (position - 1) / pageRows }

// batch returns the first and the last position of the batch that an entry is
// in, if all of it is here.
func (p *pager) batch(position uint64) (first, last uint64, ok bool) {
	for last = position; ; last++ {
		e, held := p.held(last)
		if !held {
			return 0, 0, false
		}
		if e.EndsBatch {
			break
		}
	}
	for first = position; first > 1; first-- {
		e, held := p.held(first - 1)
		if !held {
			return 0, 0, false
		}
		if e.EndsBatch {
			break
		}
	}
	return first, last, true
}

func (p *pager) want(number uint64) {
	if slices.Contains(p.wanted, number) {
		return
	}
	p.wanted = append(p.wanted, number)
	if len(p.wanted) > pagesWanted {
		p.wanted = p.wanted[1:]
	}
	p.fetch()
}

// fetch gets the pages that are wanted, one after the other.
func (p *pager) fetch() {
	if p.busy || len(p.wanted) == 0 {
		return
	}
	p.busy = true
	number := p.wanted[len(p.wanted)-1]
	before := min((number+1)*pageRows, p.head) + 1
	limit := int(before - 1 - number*pageRows)
	p.later(func(ctx context.Context) (func(), error) {
		page, err := p.relay.Entries(ctx, p.ref, before, limit)
		if err != nil {
			return nil, err
		}
		if len(page) < limit {
			return nil, errFewer
		}
		return func() { p.keep(number, page); p.done(number, nil) }, nil
	}, func(err error) { p.done(number, err) })
}

// advance gets what a stream that has grown shows at its beginning, then calls
// done: rows that are on the screen need not be empty for a moment.
func (p *pager) advance(head uint64, done func()) {
	first := (p.head - 1) / pageRows // the page that may have been cut short by the head
	last := (head - 1) / pageRows
	if last > first+1 {
		first = last - 1
	}
	limit := int(head - first*pageRows)
	p.later(func(ctx context.Context) (func(), error) {
		entries, err := p.relay.Entries(ctx, p.ref, head+1, limit)
		if err != nil {
			return nil, err
		}
		if len(entries) < limit {
			return nil, errFewer
		}
		return func() {
			older := min(pageRows, limit)
			if last > first {
				p.keep(last, entries[:limit-older])
			}
			p.keep(first, entries[limit-older:])
			p.head = max(p.head, head)
			done()
		}, nil
	}, func(err error) { p.arrived(p, err) })
}

func (p *pager) keep(number uint64, page []console.Entry) {
	if _, ok := p.pages[number]; !ok {
		p.order = append(p.order, number)
	}
	p.pages[number] = page
	if len(p.order) > pagesKept {
		delete(p.pages, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *pager) done(number uint64, err error) {
	p.busy = false
	p.wanted = slices.DeleteFunc(p.wanted, func(n uint64) bool { return n == number })
	p.arrived(p, err)
	p.fetch()
}
