package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// entryColumns leave the link out first: it is of use to few, and the epoch and
// who wrote when to more.
var entryColumns = columns{least: 80, list: []column{
	{title: "Position", width: 64, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "Epoch", width: 38, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 1},
	{title: "Size", width: 52, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "Link", width: 66, style: fyne.TextStyle{Monospace: true}, color: theme.ColorNameForeground, rank: 2},
	{title: "When", color: colorMuted},
}}

// entryRows is the entries of the detail's stream as rows, newest first. A line
// at the side joins those that were written as one batch.
type entryRows detail

func (e *entryRows) count() int {
	if e.pager == nil { // they are no entries
		return 0
	}
	return int(min(e.stream.Head, maxRows))
}

func (e *entryRows) row(i int) rowState {
	position := e.stream.Head - uint64(i)
	entry, ok := e.pager.at(position)
	if !ok {
		return rowState{cells: []string{number(position), "", "…"}}
	}
	older, known := e.pager.held(position - 1)
	when := ago(entry.WrittenAt, e.shell.now())
	if entry.Writer != "" {
		when += " · " + entry.Writer
	}
	return rowState{
		bond:  bond{above: !entry.EndsBatch, below: position > 1 && (!known || !older.EndsBatch)},
		cells: []string{number(position), number(entry.Epoch), byteSize(uint64(entry.Size)), shortened(entry.Link, 8), when},
	}
}

func (e *entryRows) chosen() int {
	if e.pane.position == 0 || e.pane.position > e.stream.Head {
		return -1
	}
	return int(e.stream.Head - e.pane.position)
}

// choose shows what an entry holds.
func (e *entryRows) choose(i int) {
	e.pane.open(e.pager, e.stream, e.stream.Head-uint64(i))
}
