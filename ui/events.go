package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

const (
	// eventRow is the height of an event's row of two lines: with its hairline 48, a
	// multiple of 16, see maxRows.
	eventRow = 47

	// surveyed is how many of the newest events are looked at for the types that a
	// person can choose from.
	surveyed = 20_000

	// moreBefore is how many rows before the end of what was found it is looked
	// further back, so that scrolling rarely waits.
	moreBefore = 30
)

// eventColumns say on the first line what happened and who says so when, and below
// it what that was.
var eventColumns = columns{least: 90, list: []column{
	{style: fyne.TextStyle{Bold: true}, color: theme.ColorNameForeground},
	{width: 120, align: fyne.TextAlignTrailing, color: colorMuted, rank: 1},
	{width: 74, align: fyne.TextAlignTrailing, color: colorMuted},
}, lower: &columns{least: 90, list: []column{{color: theme.ColorNameForeground}}}}

// events is the events of a stream, newest first: all of them, or those that a
// filter lets through.
type events struct {
	shell   *shell
	ref     console.StreamRef
	head    uint64                // up to which they are shown
	pager   *pager[console.Event] // of all of them; nil while a filter holds some back
	search  *search               // for some of them; nil while none is held back
	pending func()                // takes in what came while new ones were searched; may be nil
	filter  *eventFilter
	pane    *eventPane

	heading fyne.CanvasObject
	trouble *prose
	told    *fyne.Container // around it
	list    *rowList
	none    *words
	tally   *words
	further *widget.Button
	strip   *fyne.Container // below the list, while a filter holds some back
	body    *fyne.Container
}

func newEvents(s *shell, moved func()) *events {
	e := &events{shell: s, trouble: newProse("", theme.ColorNameError), none: newWords("", colorMuted), tally: caption("")}
	e.filter = newEventFilter(e.refilter)
	e.heading = inset(e.filter.content, gap, smallGap)
	e.list = newRowList(&eventColumns, eventRow, (*eventRows)(e))
	e.pane = newEventPane(s, e.goTo, func() { moved(); e.list.Refresh() })
	e.tally.shrinks = true
	e.further = newButton("Look further back", func() { e.search.further() })
	e.further.Importance = widget.LowImportance
	reset := newButton("Clear", e.filter.reset)
	reset.Importance = widget.LowImportance
	e.strip = stacked(0, widget.NewSeparator(), inset(stretched(smallGap, 0, e.tally, e.further, reset), gap, 0))
	e.strip.Hide()
	e.none.Hide()
	e.told = stacked(0, inset(e.trouble, gap, smallGap), widget.NewSeparator())
	e.told.Hide()
	e.body = container.NewBorder(e.told, e.strip, nil, nil, e.list.bare(), container.NewVBox(inset(e.none, gap, gap)))
	return e
}

// begin shows the events of a stream from its head on.
func (e *events) begin(s console.Stream) {
	e.ref, e.head = s.StreamRef, s.Head
	e.pager, e.search = nil, nil // so that a filter that is taken away begins nothing
	e.filter.begin()
	e.failed(nil)
	e.pane.close()
	e.restart()
	e.survey()
}

// end lets go of them.
func (e *events) end() {
	if e.search != nil {
		e.search.dropped = true
	}
	e.pager, e.search = nil, nil
	e.pane.close()
}

// restart shows the events anew, as the filter wants them.
func (e *events) restart() {
	if e.search != nil {
		e.search.dropped = true
	}
	e.pager, e.search, e.pending = nil, nil, nil
	if e.filter.active() {
		s := &search{ref: e.ref, query: e.filter.query(), list: e.read(), later: e.shell.later}
		s.changed = func() {
			if s == e.search {
				e.failed(s.failure)
			}
			e.arrived(s == e.search)
		}
		e.search = s
		s.begin(e.head)
	} else {
		read := e.read()
		page := func(ctx context.Context, before uint64, limit int) ([]console.Event, error) {
			list, err := read(ctx, console.EventQuery{Before: before, Limit: limit, Scan: limit})
			return list.Events, err
		}
		e.pager = newPager(e.ref, e.head, page, e.shell.later, func(p *pager[console.Event], err error) {
			if p == e.pager {
				e.failed(err)
			}
			e.arrived(p == e.pager)
		})
	}
	e.list.ScrollToTop()
	e.arrived(true)
}

// refilter is called when the person looks for something else.
func (e *events) refilter() {
	if e.pager == nil && e.search == nil {
		return // no stream is shown, or not yet
	}
	e.restart()
	e.shell.look() // at the head, too
}

// read asks for events of the stream, and notes what there is to choose from.
func (e *events) read() func(context.Context, console.EventQuery) (console.EventList, error) {
	ref, offer := e.ref, e.filter.offer
	return func(ctx context.Context, q console.EventQuery) (console.EventList, error) {
		list, err := e.shell.console.Events(ctx, ref, q)
		offer.note(list.Types, list.Actors)
		return list, err
	}
}

// survey finds out what there is to choose from.
func (e *events) survey() {
	read, offer := e.read(), e.filter.offer
	e.shell.later(func(ctx context.Context) (func(), error) {
		_, err := read(ctx, console.EventQuery{Scan: surveyed})
		return func() {
			if offer == e.filter.offer {
				e.filter.refresh()
			}
		}, err
	}, func(error) {}) // whoever shows the events hears of it too, and tells
}

// advance takes in what is new up to a stream's head, then calls done. What is being
// read keeps its place.
func (e *events) advance(head uint64, done func()) {
	switch {
	case e.search == nil:
		p := e.pager
		p.advance(head, func() {
			if p == e.pager && head >= e.head {
				e.took(head, int(head-e.head), done)
			}
		})
	case e.search.catching:
		e.pending = func() { e.advance(head, done) }
	default:
		s := e.search
		s.advance(head, func(found int) {
			if s == e.search {
				e.took(head, found, done)
			}
		}, func(err error) {
			if s == e.search {
				e.failed(err)
			}
		})
	}
}

// took shows so many new events; -1 means that the list began anew.
func (e *events) took(head uint64, found int, done func()) {
	e.head = head
	e.failed(nil)
	done()
	e.arrived(true)
	if found < 0 {
		e.list.ScrollToTop()
	} else {
		e.list.keepPlace(found)
	}
	if again := e.pending; again != nil {
		e.pending = nil
		again()
	}
}

// failed tells why the events cannot be shown; without an error they can.
func (e *events) failed(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	said := ""
	if err != nil {
		said = sentence("the events cannot be shown: " + err.Error())
	}
	e.trouble.set(said)
	if e.told.Hidden != (said == "") {
		e.told.Hidden = said == ""
		e.body.Refresh()
	}
}

// arrived shows what has come, if it is still wanted.
func (e *events) arrived(wanted bool) {
	if !wanted {
		return
	}
	e.filter.refresh()
	s := e.search
	if s != nil {
		e.tally.set(s.tally())
		e.further.Hidden = s.busy || s.whole() || s.full() || s.missing <= 0
		e.none.set("No event matches the filter.")
		if !s.whole() {
			e.none.set("No event so far matches the filter.")
		}
	}
	e.none.Hidden = s == nil || len(s.events) > 0 || s.busy
	if e.strip.Hidden == (s == nil) {
		e.strip.Refresh()
	} else {
		e.strip.Hidden = s == nil
		e.body.Refresh()
	}
	e.list.Refresh()
}

// age tells anew how long ago the events were.
func (e *events) age() {
	e.list.Refresh()
	e.pane.age()
}

// goTo opens an event of the stream, and shows where it is in the list, if it is.
func (e *events) goTo(event console.Event) {
	e.pane.open(e.ref, event)
	if i := (*eventRows)(e).chosen(); i >= 0 && i < e.list.Length() {
		e.list.ScrollTo(i)
	}
	e.list.Refresh()
}

// eventRows is the events as rows.
type eventRows events

func (e *eventRows) count() int {
	switch {
	case e.search != nil:
		return len(e.search.events)
	case e.pager != nil:
		return int(min(e.head, maxRows))
	default:
		return 0
	}
}

func (e *eventRows) at(i int) (console.Event, bool) {
	if e.search == nil {
		return e.pager.at(e.head - uint64(i))
	}
	if i+moreBefore > len(e.search.events) {
		e.search.more()
	}
	if i >= len(e.search.events) { // a row of before the filter was changed
		return console.Event{}, false
	}
	return e.search.events[i], true
}

func (e *eventRows) row(i int) rowState {
	event, ok := e.at(i)
	switch {
	case !ok:
		return rowState{cells: []string{"…"}}
	case event.Broken != "":
		return rowState{alarm: true, cells: []string{"Event " + number(event.Position) + " cannot be read", "", "", render.Line(event.Broken, lineMost)}}
	}
	return rowState{cells: []string{
		render.Line(event.Type, lineMost), actorName(event.Actor), ago(event.At, e.shell.now()), event.Summary,
	}}
}

func (e *eventRows) chosen() int {
	position := e.pane.event.Position
	switch {
	case position == 0 || position > e.head:
		return -1
	case e.search != nil:
		return e.search.index(position)
	default:
		return int(e.head - position)
	}
}

// choose shows what an event says.
func (e *eventRows) choose(i int) {
	event, ok := e.at(i)
	if !ok && e.search == nil { // it has not come yet, but its place is known
		event, ok = console.Event{Position: e.head - uint64(i)}, true
	}
	if ok {
		e.pane.open(e.ref, event)
	}
}
