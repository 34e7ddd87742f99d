package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// numbers is rows that are numbers.
type numbers struct{ n, at int }

func (r *numbers) count() int         { return r.n }
func (r *numbers) row(i int) rowState { return rowState{cells: []string{fmt.Sprint(i)}} }
func (r *numbers) chosen() int        { return r.at }
func (r *numbers) choose(i int)       { r.at = i }

func openList(t *testing.T, n int) (*rowList, *numbers, fyne.CanvasObject) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	rows := &numbers{n: n, at: -1}
	l := newRowList(&columns{list: []column{{}}, least: 10}, fineRow, rows)
	o := l.bare()
	test.NewTempWindow(t, o).Resize(fyne.NewSize(300, 330))
	return l, rows, o
}

// The keyboard moves the selection by rows and pages, and never past the ends.
func TestListByKeyboard(t *testing.T) {
	l, rows, _ := openList(t, 100)
	l.FocusGained()
	if rows.at != 0 {
		t.Fatalf("row %d is selected when the keyboard comes", rows.at)
	}
	for _, step := range []struct {
		key  fyne.KeyName
		want int
	}{
		{fyne.KeyUp, 0},
		{fyne.KeyDown, 1},
		{fyne.KeyPageDown, 10},
		{fyne.KeyEnd, 99},
		{fyne.KeyDown, 99},
		{fyne.KeyPageUp, 90},
		{fyne.KeyHome, 0},
		{fyne.KeyTab, 0},
	} {
		l.TypedKey(&fyne.KeyEvent{Name: step.key})
		if rows.at != step.want {
			t.Errorf("%s selects row %d, want %d", step.key, rows.at, step.want)
		}
	}
	empty, none, _ := openList(t, 0)
	empty.FocusGained()
	empty.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	if none.at != -1 {
		t.Error("a row of an empty list is selected")
	}
}

// A tap selects the row that is tapped.
func TestListByPointer(t *testing.T) {
	_, rows, o := openList(t, 100)
	test.TapCanvas(fyne.CurrentApp().Driver().CanvasForObject(o), fyne.NewPos(100, 3*(fineRow+1)+10))
	if rows.at != 3 {
		t.Errorf("row %d is selected, want 3", rows.at)
	}
}

// Rows stand one under the other also at the far end of the longest list, where
// 32-bit floats are coarse.
func TestLongestList(t *testing.T) {
	for _, n := range []int{1_000_000, maxRows, 2 * maxRows} {
		l, _, o := openList(t, n)
		l.ScrollToBottom()
		last, seen, end := float32(0), 0, false
		walk(o, 0, func(r *row, y float32) {
			if seen > 0 && y-last != fineRow+1 {
				t.Errorf("of %d, row %s stands %v below the one before", n, r.state.cells[0], y-last)
			}
			last = y
			seen++
			end = end || r.state.cells[0] == fmt.Sprint(min(n, maxRows)-1)
		})
		if seen < 10 || !end {
			t.Errorf("of %d rows the last ones are not shown", n)
		}
	}
}

// walk goes through the rows in something, with how far down each is.
func walk(o fyne.CanvasObject, y float32, f func(*row, float32)) {
	y += o.Position().Y
	switch o := o.(type) {
	case *row:
		f(o, y)
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			walk(child, y, f)
		}
	case *fyne.Container:
		for _, child := range o.Objects {
			walk(child, y, f)
		}
	}
}

// Rows that come above keep what is read in its place, but at the beginning
// they are shown.
func TestListKeepsItsPlace(t *testing.T) {
	l, rows, _ := openList(t, 1000)
	rows.n += 3
	l.Refresh()
	l.keepPlace(3)
	if got := l.GetScrollOffset(); got != 0 {
		t.Errorf("the beginning moves to %v", got)
	}
	l.ScrollToOffset(640)
	rows.n += 3
	l.Refresh()
	l.keepPlace(3)
	if got, want := l.GetScrollOffset(), float32(640+3*32); got != want {
		t.Errorf("the list stands at %v, want %v", got, want)
	}
}

// Lists cost no fonts of their own, however often they are shown anew.
func TestListSharesFonts(t *testing.T) {
	_, _, o := openList(t, 3)
	canvas := fyne.CurrentApp().Driver().CanvasForObject(o)
	show := func() {
		o.Refresh()
		canvas.Capture()
	}
	show() // the fonts that all share
	before := heap()
	for range 10 {
		show()
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("a list that was shown 10 times took %d MB", grown>>20)
	}
}
