package ui

import (
	"context"
	"errors"
	"slices"

	"hearth/relay/console"
)

const (
	// pageRows is how many rows are asked for at once: a few screens full,
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

// pager holds those entries or events of one stream that are or were lately on the
// screen. They never change, so a page that is complete stays right. All methods
// are called on the UI thread.
type pager[T any] struct {
	ref     console.StreamRef
	head    uint64
	read    reading[T]
	later   later
	arrived func(*pager[T], error)

	pages  map[uint64]page[T] // by their number
	order  []uint64           // of their arrival
	wanted []uint64           // the newest wish last
	busy   bool
}

// page is rows from the newest on.
type page[T any] struct {
	newest uint64 // the position of the first
	rows   []T
}

// reading lists what is before a position, newest first.
type reading[T any] func(ctx context.Context, before uint64, limit int) ([]T, error)

func newPager[T any](ref console.StreamRef, head uint64, read reading[T], later later, arrived func(*pager[T], error)) *pager[T] {
	return &pager[T]{ref: ref, head: head, read: read, later: later, arrived: arrived, pages: map[uint64]page[T]{}}
}

// at returns what is at a position, or asks for it: arrived is called once there
// is more to show.
func (p *pager[T]) at(position uint64) (T, bool) {
	e, ok := p.held(position)
	if !ok {
		p.want(pageOf(position))
	}
	return e, ok
}

// held returns what is at a position if it is here.
func (p *pager[T]) held(position uint64) (row T, ok bool) {
	page := p.pages[pageOf(position)]
	if i := page.newest - position; position <= page.newest && i < uint64(len(page.rows)) {
		return page.rows[i], true
	}
	return row, false
}

func pageOf(position uint64) uint64 { return (position - 1) / pageRows }

func (p *pager[T]) want(number uint64) {
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
func (p *pager[T]) fetch() {
	if p.busy || len(p.wanted) == 0 {
		return
	}
	p.busy = true
	number := p.wanted[len(p.wanted)-1]
	before := min((number+1)*pageRows, p.head) + 1
	limit := int(before - 1 - number*pageRows)
	p.later(func(ctx context.Context) (func(), error) {
		rows, err := p.read(ctx, before, limit)
		if err != nil {
			return nil, err
		}
		if len(rows) < limit {
			return nil, errFewer
		}
		return func() { p.keep(number, page[T]{before - 1, rows}); p.done(number, nil) }, nil
	}, func(err error) { p.done(number, err) })
}

// advance gets what a stream that has grown shows at its beginning, then calls
// done: rows that are on the screen need not be empty for a moment.
func (p *pager[T]) advance(head uint64, done func()) {
	first := (p.head - 1) / pageRows // the page that may have been cut short by the head
	last := (head - 1) / pageRows
	if last > first+1 {
		first = last - 1
	}
	limit := int(head - first*pageRows)
	p.later(func(ctx context.Context) (func(), error) {
		rows, err := p.read(ctx, head+1, limit)
		if err != nil {
			return nil, err
		}
		if len(rows) < limit {
			return nil, errFewer
		}
		return func() {
			newer := limit - min(pageRows, limit)
			if last > first {
				p.keep(last, page[T]{head, rows[:newer]})
			}
			p.keep(first, page[T]{head - uint64(newer), rows[newer:]})
			p.head = max(p.head, head)
			done()
		}, nil
	}, func(err error) { p.arrived(p, err) })
}

func (p *pager[T]) keep(number uint64, page page[T]) {
	if _, ok := p.pages[number]; !ok {
		p.order = append(p.order, number)
	}
	p.pages[number] = page
	if len(p.order) > pagesKept {
		delete(p.pages, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *pager[T]) done(number uint64, err error) {
	p.busy = false
	p.wanted = slices.DeleteFunc(p.wanted, func(n uint64) bool { return n == number })
	p.arrived(p, err)
	p.fetch()
}
