package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// maxRows is how many rows a list shows at the most. Fyne places rows with
// 32-bit floats, which hold multiples of 32 exactly up to 32 × 2²⁴; a row of
// fineRow with its hairline is 32 high.
const maxRows = 1 << 24

// rowList is a list of which a row, not a cell, is selected, and whose
// selection belongs to the data: rows that come and go above it do not move it
// and never scroll the list.
type rowList struct {
	widget.List
	rows   rowSource
	height float32
	keyed  bool

	resized func(fyne.Size) // is told of a new size; may be nil
}

// rowSource is what a list shows. All is asked on the UI thread.
type rowSource interface {
	count() int
	row(i int) rowState // without chosen and keyed
	chosen() int        // the selected row, -1 for none
	choose(i int)
}

func newRowList(c *columns, height float32, rows rowSource) *rowList {
	l := &rowList{rows: rows, height: height}
	l.Length = func() int { return min(rows.count(), maxRows) }
	l.CreateItem = func() fyne.CanvasObject { return newRow(c, height) }
	l.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
		err := shown(func() {
			s := rows.row(i)
			s.chosen = i == rows.chosen()
			s.keyed = s.chosen && l.keyed
			o.(*row).set(s)
		})
		if err != nil { // told in the row: a dialog for each would be no help
			o.(*row).set(rowState{cells: []string{sentence(err.Error())}, alarm: true})
		}
	}
	l.OnSelected = safely(func(i widget.ListItemID) {
		l.UnselectAll() // the list's own selection is an index and would not follow the data
		l.choose(i)
	})
	l.ExtendBaseWidget(l)
	return l
}

// Resize also tells whoever fits the rows to the size.
func (l *rowList) Resize(size fyne.Size) {
	if l.resized != nil && size != l.Size() {
		safely(l.resized)(size)
	}
	l.List.Resize(size)
}

// framed is the list with its header above, in a theme whose rows meet.
func (l *rowList) framed(header fyne.CanvasObject) fyne.CanvasObject {
	return capped(stacked(0, header, widget.NewSeparator()), l.bare())
}

func (l *rowList) bare() fyne.CanvasObject { return container.NewThemeOverride(l, snug{}) }

func (l *rowList) choose(i int) {
	l.rows.choose(i)
	l.Refresh()
}

// keepPlace scrolls by rows that came (or went) above the first, unless the
// list shows its beginning: there new rows are meant to be seen.
func (l *rowList) keepPlace(rows int) {
	if offset := l.GetScrollOffset(); offset > 0 && rows != 0 {
		l.ScrollToOffset(offset + float32(rows)*(l.height+1))
	}
}

// FocusGained marks the selected row, and selects the first if none is.
func (l *rowList) FocusGained() {
	l.keyed = true
	if l.rows.chosen() < 0 && l.Length() > 0 {
		safely(l.rows.choose)(0)
	}
	l.Refresh()
}

// FocusLost takes the mark away.
func (l *rowList) FocusLost() {
	l.keyed = false
	l.Refresh()
}

// TypedKey moves the selection.
func (l *rowList) TypedKey(e *fyne.KeyEvent) {
	last := l.Length() - 1
	page := max(1, int(l.Size().Height/(l.height+1))-1)
	i := l.rows.chosen()
	switch e.Name {
	case fyne.KeyDown:
		i++
	case fyne.KeyUp:
		i--
	case fyne.KeyPageDown:
		i += page
	case fyne.KeyPageUp:
		i -= page
	case fyne.KeyHome:
		i = 0
	case fyne.KeyEnd:
		i = last
	default:
		passKey(l, e)
		return
	}
	if last < 0 {
		return
	}
	i = min(max(i, 0), last)
	l.ScrollTo(i)
	safely(l.choose)(i)
}

// TypedRune leaves what is typed to the window: a list takes no text.
func (l *rowList) TypedRune(r rune) { passRune(l, r) }

// emptyState is what stands in place of a list without rows.
func emptyState(title string, rest ...fyne.CanvasObject) *fyne.Container {
	head := strong(title)
	head.size = theme.SizeNameSubHeadingText
	lines := stacked(10, append([]fyne.CanvasObject{head}, rest...)...)
	return container.NewVBox(inset(lines, gap+8, gap+8))
}
