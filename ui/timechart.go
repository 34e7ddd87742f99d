package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
)

// timeChart is bars over the last hour, with figures. What the pointer is on is
// told in words.
type timeChart struct {
	unit, units string // what is counted
	counts      []int
	starts      []time.Time
	pointed     int // -1 for none

	bars    *pointedBars
	figure  *words
	told    *words
	sum     *words
	line    *fyne.Container
	content fyne.CanvasObject
}

func newTimeChart(title, unit, units string, color fyne.ThemeColorName) *timeChart {
	c := &timeChart{unit: unit, units: units, pointed: -1, figure: strong(""), told: newWords("", colorMuted), sum: caption("")}
	c.bars = newPointedBars(fyne.NewSize(120, 84), color, c.point)
	c.figure.size = theme.SizeNameHeadingText
	c.told.shrinks, c.sum.shrinks = true, true
	c.line = stretched(smallGap, 1, c.figure, c.told)
	c.content = inset(stacked(8,
		stretched(12, 1, strong(title), c.sum),
		c.line,
		c.bars,
		stretched(smallGap, 0, caption("an hour ago"), caption("now")),
	), gap, 12)
	return c
}

// show shows how many there were in each minute; all have the same starts.
func (c *timeChart) show(starts []time.Time, counts []int) {
	c.starts, c.counts = starts, counts
	values := make([]float64, len(counts))
	for i, n := range counts {
		values[i] = float64(n)
	}
	c.bars.set(values)
	c.tell()
}

func (c *timeChart) point(i int) {
	c.pointed = i
	c.tell()
}

// tell tells of the hour, and of the minute that is pointed at or else of now.
func (c *timeChart) tell() {
	if len(c.counts) == 0 {
		return
	}
	sum, most := 0, 0
	for _, n := range c.counts {
		sum += n
		most = max(most, n)
	}
	told := number(sum) + " in the last hour"
	if most > 0 {
		told += ", " + number(most) + " at most"
	}
	c.sum.set(told)
	if i := c.pointed; i >= 0 && i < len(c.counts) {
		c.say(c.counts[i], "at "+c.starts[i].Local().Format("15:04"))
	} else {
		c.say(c.counts[len(c.counts)-1], "this minute")
	}
}

// say tells a number of what is counted, and more about it.
func (c *timeChart) say(n int, more string) {
	noun := c.units
	if n == 1 {
		noun = c.unit
	}
	if figure := number(n); figure != c.figure.text {
		c.figure.set(figure)
		c.line.Refresh() // the rest stands where the figure ends
	}
	c.told.set(noun + " " + more)
}

// pointedBars says which bar the pointer is on.
type pointedBars struct {
	bars
	pointed func(i int) // -1 when it has left
}

func newPointedBars(least fyne.Size, color fyne.ThemeColorName, pointed func(int)) *pointedBars {
	b := &pointedBars{bars: bars{color: color, least: least}, pointed: safely(pointed)}
	b.ExtendBaseWidget(b)
	return b
}

// MouseIn, MouseMoved and MouseOut follow the pointer.
func (b *pointedBars) MouseIn(e *desktop.MouseEvent) { b.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (b *pointedBars) MouseMoved(e *desktop.MouseEvent) {
	n := len(b.values)
	i := int(e.Position.X / max(1, b.Size().Width) * float32(n))
	b.pointed(min(max(i, 0), n-1))
}

// MouseOut implements desktop.Hoverable.
func (b *pointedBars) MouseOut() { b.pointed(-1) }
