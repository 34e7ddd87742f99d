package ui

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// column is one column of a list.
type column struct {
	title string
	width float32 // for its text; 0 takes what the others leave, once a list
	align fyne.TextAlign
	style fyne.TextStyle
	color fyne.ThemeColorName

	// rank says when the column goes because the room is short: the highest
	// first, 0 never.
	rank int

	middle bool // what does not fit loses its middle, not its end
	chart  bool // it shows the row's values as bars instead of a text
}

// columns places the texts of a row; header and rows share it, so they align.
type columns struct {
	list  []column
	least float32 // below this width of the column without one, others go

	// lower is of a second line below the first, whose cells follow those of that;
	// nil if there is none.
	lower *columns
}

// all returns the columns of both lines.
func (c columns) all() []column {
	if c.lower == nil {
		return c.list
	}
	return slices.Concat(c.list, c.lower.list)
}

// span is where a column's text is.
type span struct{ x, width float32 }

// place says where each column is in a row of the given width. One that went
// has no width. What is below follows.
func (c columns) place(width float32) []span {
	gone := 0
	for _, col := range c.list {
		gone = max(gone, col.rank)
	}
	rest := c.rest(width, gone)
	for rest < c.least && gone > 0 {
		gone--
		rest = c.rest(width, gone)
	}
	spans := make([]span, len(c.list))
	x := float32(gap)
	for i, col := range c.list {
		if col.rank > gone {
			continue
		}
		w := col.width
		if w == 0 {
			w = max(0, rest)
		}
		spans[i] = span{x, w}
		x += w + gap
	}
	if c.lower != nil {
		return slices.Concat(spans, c.lower.place(width))
	}
	return spans
}

// rest is what columns of at most the given rank leave for the one without a
// width.
func (c columns) rest(width float32, rank int) float32 {
	rest := width - gap
	for _, col := range c.list {
		if col.rank <= rank {
			rest -= col.width + gap
		}
	}
	return rest
}

// row shows one line of a list, or its header.
type row struct {
	widget.BaseWidget
	columns *columns
	height  float32
	header  bool
	lit     int // the column of a header that the keyboard is at, or noColumn
	state   rowState
}

const (
	headerHeight = 30

	noColumn = -1
)

// rowState is all that a row shows.
type rowState struct {
	cells  []string
	chosen bool                  // it is the selected one
	keyed  bool                  // and the keyboard moves it
	alarm  bool                  // its first cell says that something is wrong
	tones  []fyne.ThemeColorName // of its cells, where those of the columns do not do
	values []float64
	bond   bond
}

// bond is to which of its neighbours a row belongs, shown by a line at its side.
type bond struct{ above, below bool }

func newRow(c *columns, height float32) *row {
	r := &row{columns: c, height: height, lit: noColumn}
	r.ExtendBaseWidget(r)
	return r
}

func newHeader(c *columns) *row {
	r := &row{columns: c, height: headerHeight, header: true, lit: noColumn}
	for _, col := range c.list {
		r.state.cells = append(r.state.cells, col.title)
	}
	r.ExtendBaseWidget(r)
	return r
}

// SetDeviceIsMobile does nothing. Fyne knows its own overriding containers by this
// method and leaves them to their own theme; for a row that means the window's.
// Under the list's, Fyne would load all fonts again, 6 MB a style, whenever the
// list is shown anew, and keep them.
func (r *row) SetDeviceIsMobile(bool) {}

func (r *row) set(s rowState) {
	r.state = s
	r.Refresh()
}

func (r *row) CreateRenderer() fyne.WidgetRenderer {
	hidden := func() *canvas.Rectangle { return canvas.NewRectangle(color.Transparent) }
	v := &rowRenderer{row: r, ground: hidden(), bar: hidden(), bond: hidden()}
	v.objects = []fyne.CanvasObject{v.ground, v.bar, v.bond}
	v.columns = r.columns.all()
	for _, col := range v.columns {
		t := canvas.NewText("", color.Transparent)
		v.texts = append(v.texts, t)
		v.objects = append(v.objects, t)
		if col.chart && !r.header {
			v.chart = newBars(fyne.NewSize(col.width, chartHeight))
			v.objects = append(v.objects, v.chart)
		}
	}
	steady := steadied(v)
	steady.Refresh()
	return steady
}

type rowRenderer struct {
	row               *row
	columns           []column
	ground, bar, bond *canvas.Rectangle
	texts             []*canvas.Text
	chart             *bars // nil if no column has one
	objects           []fyne.CanvasObject
}

const (
	// barWidth is the mark of the row, or the title, that the keyboard moves.
	barWidth = 3

	// bondWidth and bondEnd are of the line beside rows that belong together, and
	// of the space where it ends.
	bondWidth = 2
	bondEnd   = 7

	chartHeight = 18

	// lineApart is how far the two lines of a row are from its middle.
	lineApart = 9.5
)

func (v *rowRenderer) Layout(size fyne.Size) {
	v.ground.Resize(size)
	v.bar.Move(fyne.Position{})
	v.bar.Resize(fyne.NewSize(barWidth, size.Height))
	v.layoutBond(size.Height)
	for i, s := range v.row.columns.place(size.Width) {
		if i == v.row.lit {
			v.bar.Move(fyne.NewPos(s.x, size.Height-barWidth))
			v.bar.Resize(fyne.NewSize(s.width, barWidth))
		}
		if v.chart != nil && v.columns[i].chart {
			v.chart.Hidden = s.width == 0
			v.chart.Move(fyne.NewPos(s.x, (size.Height-chartHeight)/2))
			v.chart.Resize(fyne.NewSize(s.width, chartHeight))
		}
		t := v.texts[i]
		t.Hidden = s.width == 0
		t.Text = ""
		if i < len(v.row.state.cells) {
			t.Text = ellipsis(v.row.state.cells[i], v.columns[i].middle, s.width, t.TextSize, t.TextStyle)
		}
		height := t.MinSize().Height
		t.Move(fyne.NewPos(s.x, v.middle(i, size.Height)-height/2))
		t.Resize(fyne.NewSize(s.width, height))
	}
}

// middle says at which height of the row a text has its middle.
func (v *rowRenderer) middle(i int, height float32) float32 {
	switch {
	case v.row.columns.lower == nil:
		return height / 2
	case i < len(v.row.columns.list):
		return height/2 - lineApart
	default:
		return height/2 + lineApart
	}
}

// layoutBond lets the line run on into the rows that belong to this one, over
// the hairline between them.
func (v *rowRenderer) layoutBond(height float32) {
	top, bottom := float32(bondEnd), height-bondEnd
	if v.row.state.bond.above {
		top = 0
	}
	if v.row.state.bond.below {
		bottom = height + 1
	}
	v.bond.Move(fyne.NewPos(gap/2, top))
	v.bond.Resize(fyne.NewSize(bondWidth, bottom-top))
}

func (v *rowRenderer) MinSize() fyne.Size {
	return fyne.NewSize(v.row.columns.least+2*gap, v.row.height)
}

func (v *rowRenderer) Refresh() {
	th, variant := fyne.CurrentApp().Settings().Theme(), fyne.CurrentApp().Settings().ThemeVariant()
	paint := func(name fyne.ThemeColorName) color.Color { return th.Color(name, variant) }
	v.ground.FillColor, v.bar.FillColor, v.bond.FillColor = color.Transparent, color.Transparent, color.Transparent
	if v.row.state.chosen {
		v.ground.FillColor = paint(colorTint)
	}
	if v.row.state.keyed || v.row.lit != noColumn {
		v.bar.FillColor = paint(theme.ColorNamePrimary)
	}
	if v.row.state.bond != (bond{}) {
		v.bond.FillColor = paint(theme.ColorNameInputBorder)
	}
	for i, col := range v.columns {
		t := v.texts[i]
		t.Alignment, t.TextStyle = col.align, col.style
		t.Color, t.TextSize = paint(col.color), th.Size(theme.SizeNameText)
		switch {
		case v.row.header:
			t.TextStyle = fyne.TextStyle{}
			t.Color, t.TextSize = paint(colorMuted), th.Size(theme.SizeNameCaptionText)
		case v.row.state.alarm && i == 0:
			t.Color = paint(theme.ColorNameError)
		case i < len(v.row.state.tones) && v.row.state.tones[i] != "":
			t.Color = paint(v.row.state.tones[i])
		case col.style.Monospace:
			t.TextSize = th.Size(theme.SizeNameCaptionText) + 1 // monospace letters look larger
		}
	}
	v.Layout(v.row.Size())
	for _, o := range v.objects {
		if o != v.chart { // it refreshes itself when its values or the theme change
			o.Refresh()
		}
	}
	if v.chart != nil {
		v.chart.set(v.row.state.values)
	}
}

func (v *rowRenderer) Objects() []fyne.CanvasObject { return v.objects }
func (v *rowRenderer) Destroy()                     {}
