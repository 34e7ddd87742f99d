package ui

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"hearth/relay/console"
)

// busiestMost is how many streams are told: what fits beside the storage.
const busiestMost = 5

// busy is a stream with what it got in the last hour.
type busy struct {
	stream console.Stream
	sum    int // batches
}

// busiest returns the streams that were written most in the last hour, but for that
// on which the relay tells of it.
func busiest(all []console.Stream) []busy {
	var list []busy
	for _, s := range all {
		sum := 0
		for _, n := range s.Hour {
			sum += int(n)
		}
		if sum > 0 && s.Name != console.RelayStream {
			list = append(list, busy{s, sum})
		}
	}
	// The list comes by name, and names decide between equals.
	slices.SortStableFunc(list, func(a, b busy) int { return cmp.Compare(b.sum, a.sum) })
	return list[:min(len(list), busiestMost)]
}

// busyList is the streams that are written most. Each leads to the stream.
type busyList struct {
	open    func(console.StreamRef)
	rows    []*busyRow
	lines   *fyne.Container
	none    *fyne.Container
	content fyne.CanvasObject
}

type busyRow struct {
	*pressable
	ref   console.StreamRef
	name  *words
	hour  *bars
	count *words
}

func newBusyList(open func(console.StreamRef)) *busyList {
	l := &busyList{open: open, lines: stacked(0), none: inset(newProse("Nothing was written in the last hour.", colorMuted), smallGap, 4)}
	l.content = stacked(0, l.none, l.lines)
	return l
}

func (l *busyList) newRow() *busyRow {
	r := &busyRow{name: strong(""), hour: newBars(fyne.NewSize(96, 16)), count: newWords("", colorMuted)}
	r.name.shrinks, r.name.middle = true, true
	count := fixedWidth(48, container.NewBorder(nil, nil, nil, r.count))
	named := laid(busyLine{line{space: 12, stretch: r.name}}, r.name, r.hour, count)
	r.pressable = newPressable(laid(atLeast(32), inset(named, smallGap, 0)), func() { l.open(r.ref) })
	return r
}

// busyLine is a name, a chart and a count. Where the room is short, the chart
// leaves it to the name.
type busyLine struct{ line }

// busyLeast is how wide the line must be to have its chart: most names fit beside
// it then.
const busyLeast = 320

func (l busyLine) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[1].(*bars).Hidden = size.Width < busyLeast
	l.line.Layout(objects, size)
}

func (l *busyList) show(all []console.Stream) {
	list := busiest(all)
	for len(l.rows) < len(list) {
		l.rows = append(l.rows, l.newRow())
		l.lines.Add(l.rows[len(l.rows)-1].pressable)
	}
	for i, r := range l.rows {
		r.Hidden = i >= len(list)
		if !r.Hidden {
			r.show(list[i])
		}
	}
	l.none.Hidden = len(list) > 0
}

func (r *busyRow) show(b busy) {
	r.ref = b.stream.StreamRef
	r.name.set(fullName(r.ref))
	values := make([]float64, len(b.stream.Hour))
	for i, n := range b.stream.Hour {
		values[i] = float64(n)
	}
	r.hour.set(values)
	r.count.set(number(b.sum))
}
