package ui

import (
	"context"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

const (
	// epochsNamed is for how many epochs the detail has room.
	epochsNamed = 2

	// epochsMost is how many are listed when all are asked for: an epoch comes
	// with a new format, so that even this many mean that something went wrong.
	epochsMost = 1000

	// epochsAround is how high the dialog with all of them is beside its rows.
	epochsAround = 160
)

// epochs says since which positions a stream's entries have been in which
// epochs.
type epochs struct {
	shell   *shell
	stream  console.Stream // whose epochs are shown; zero if none are
	line    *words
	all     *widget.Button
	dialog  *dialog.CustomDialog // with all of them; nil if it was never asked for
	content fyne.CanvasObject
}

func newEpochs(s *shell) *epochs {
	e := &epochs{shell: s, line: newWords("", theme.ColorNameForeground)}
	e.line.shrinks = true
	e.all = newButton("Show all", e.showAll)
	e.all.Importance = widget.LowImportance
	e.all.Hide()
	e.content = fact("Epochs", 0, e.line, e.all)
	return e
}

// show asks for a stream's epochs if they may have changed.
func (e *epochs) show(s console.Stream) {
	if e.stream.StreamRef == s.StreamRef && e.stream.Identity == s.Identity && e.stream.Epoch == s.Epoch {
		return
	}
	e.stream = s
	e.line.set("…")
	e.all.Hide()
	e.read(epochsNamed+1, func(starts []console.EpochStart) {
		e.line.set(epochsLine(starts))
		if len(starts) > epochsNamed {
			e.all.Show()
		}
		e.content.Refresh()
	}, func(err error) { e.line.set("not known: " + err.Error()) })
}

// read gets a stream's epochs, unless the person goes to another one meanwhile.
func (e *epochs) read(limit int, show func([]console.EpochStart), failed func(error)) {
	s := e.stream
	current := func() bool { return e.stream.StreamRef == s.StreamRef && e.stream.Identity == s.Identity }
	e.shell.later(func(ctx context.Context) (func(), error) {
		starts, err := e.shell.console.Epochs(ctx, s.StreamRef, limit)
		if err != nil {
			return nil, err
		}
		return func() {
			if current() {
				show(starts)
			}
		}, nil
	}, func(err error) {
		if current() {
			failed(err)
		}
	})
}

// epochsLine names the newest epochs.
func epochsLine(starts []console.EpochStart) string {
	var parts []string
	for _, s := range starts[:min(len(starts), epochsNamed)] {
		parts = append(parts, fmt.Sprintf("%s from %s", number(s.Epoch), number(s.Position)))
	}
	return strings.Join(parts, " · ")
}

var epochColumns = columns{least: 100, list: []column{
	{title: "Epoch", width: 90, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "From position on", width: 160, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
	{title: "Entries", align: fyne.TextAlignTrailing, color: theme.ColorNameForeground},
}}

func (e *epochs) showAll() {
	e.read(epochsMost, func(starts []console.EpochStart) {
		o := e.content
		rows := &epochRows{starts: starts, head: e.stream.Head, at: noColumn}
		list := newRowList(&epochColumns, fineRow, rows)
		var note fyne.CanvasObject
		if len(starts) == epochsMost {
			note = remark(fmt.Sprintf("The newest %s; there may be more.", number(epochsMost)))
		}
		e.dialog = dialog.NewCustom("Epochs of "+abridged(e.stream.Name, titleMost), "Close",
			container.NewBorder(nil, note, nil, nil, list.framed(newHeader(&epochColumns))), windowOf(o))
		size := dialogSize(o)
		e.dialog.Resize(fyne.NewSize(min(size.Width, 460), min(size.Height, epochsAround+float32(len(starts))*(fineRow+1))))
		e.dialog.Show()
	}, func(err error) { e.line.set("not known: " + err.Error()) })
}

// epochRows is epochs as rows, the newest first.
type epochRows struct {
	starts []console.EpochStart
	head   uint64
	at     int
}

func (r *epochRows) count() int   { return len(r.starts) }
func (r *epochRows) chosen() int  { return r.at }
func (r *epochRows) choose(i int) { r.at = i }

func (r *epochRows) row(i int) rowState {
	s, end := r.starts[i], r.head
	if i > 0 {
		end = r.starts[i-1].Position - 1
	}
	return rowState{cells: []string{number(s.Epoch), number(s.Position), number(end + 1 - s.Position)}}
}
