package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// sortHeader is the header of a list that can be sorted: a tap on a title, or
// the keyboard's arrows and Return, choose the order, and an arrow shows it.
type sortHeader struct {
	row
	order order
	sort  func(order)
	at    int // the column that the keyboard is at
}

func newSortHeader(c *columns, sort func(order)) *sortHeader {
	h := &sortHeader{row: row{columns: c, height: headerHeight, header: true, lit: noColumn}, sort: safely(sort)}
	h.ExtendBaseWidget(h)
	h.retitle()
	return h
}

// choose sorts by a column, or turns its order around.
func (h *sortHeader) choose(column int) {
	h.order = h.order.turned(column)
	h.retitle()
	h.sort(h.order)
}

func (h *sortHeader) retitle() {
	cells := make([]string, len(h.columns.list))
	for i, col := range h.columns.list {
		cells[i] = col.title
	}
	arrow := " ↑"
	if h.order.down {
		arrow = " ↓"
	}
	cells[h.order.column] += arrow
	h.set(rowState{cells: cells})
}

// Tapped sorts by the column whose title was tapped.
func (h *sortHeader) Tapped(e *fyne.PointEvent) {
	for i, s := range h.columns.place(h.Size().Width) {
		if s.width > 0 && e.Position.X >= s.x-gap/2 && e.Position.X < s.x+s.width+gap/2 {
			h.choose(i)
			return
		}
	}
}

// Cursor shows that the titles can be tapped.
func (h *sortHeader) Cursor() desktop.Cursor { return desktop.PointerCursor }

// FocusGained and FocusLost show where the keyboard is.
func (h *sortHeader) FocusGained() { h.light(h.order.column) }
func (h *sortHeader) FocusLost()   { h.lit = noColumn; h.Refresh() }

// light moves the keyboard to a column.
func (h *sortHeader) light(column int) {
	h.at, h.lit = column, column
	h.Refresh()
}

// TypedKey moves between the columns that have room, and sorts by one.
func (h *sortHeader) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		h.step(-1)
	case fyne.KeyRight:
		h.step(1)
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		h.choose(h.at)
	default:
		passKey(h, e)
	}
}

func (h *sortHeader) step(by int) {
	spans := h.columns.place(h.Size().Width)
	for i := h.at + by; i >= 0 && i < len(spans); i += by {
		if spans[i].width > 0 {
			h.light(i)
			return
		}
	}
}

// TypedRune leaves what is typed to the window: a header takes no text.
func (h *sortHeader) TypedRune(r rune) { passRune(h, r) }
