package ui

import (
	"encoding/hex"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console/render"
)

// kindHex is what every entry can be shown as.
const kindHex render.Kind = "Hex"

// readout is the bytes of an entry as lines, in one of the ways in which they
// can be read.
type readout struct {
	size  int    // how many they are
	data  []byte // no more than dumpLimit of them
	views []render.View
	kind  render.Kind // one of the views', or kindHex
	width int         // how many letters fit on a line
	lines []string    // of the view; the dump makes its own as they are needed
}

var readoutColumns = columns{least: 10, list: []column{{
	style: fyne.TextStyle{Monospace: true}, color: theme.ColorNameForeground,
}}}

// kinds lists the ways to read the entry, the likeliest first.
func (r *readout) kinds() []render.Kind {
	var kinds []render.Kind
	for _, v := range r.views {
		kinds = append(kinds, v.Kind)
	}
	return append(kinds, kindHex)
}

// read shows the entry in one way.
func (r *readout) read(kind render.Kind) {
	r.kind = kind
	r.lines = wrapped(r.view().Text, r.width)
}

// fit takes in how many letters are on a line.
func (r *readout) fit(letters int) {
	if letters != r.width {
		r.width = letters
		r.read(r.kind)
	}
}

// view is the one that is shown, and empty for the dump.
func (r *readout) view() render.View {
	if i := slices.IndexFunc(r.views, func(v render.View) bool { return v.Kind == r.kind }); i >= 0 {
		return r.views[i]
	}
	return render.View{}
}

// cut says that the entry has more than is shown.
func (r *readout) cut() bool {
	if r.kind == kindHex {
		return r.size > len(r.data)
	}
	return r.view().Cut
}

// text is what is shown as one text.
func (r *readout) text() string {
	if r.kind == kindHex {
		return hex.EncodeToString(r.data)
	}
	return r.view().Text
}

func (r *readout) count() int {
	if r.kind == kindHex {
		per := dumpWidth(r.width)
		return (len(r.data) + per - 1) / per
	}
	return len(r.lines)
}

func (r *readout) row(i int) rowState {
	if r.kind == kindHex {
		per := dumpWidth(r.width)
		offset := i * per
		return rowState{cells: []string{dumpLine(offset, per, r.data[offset:min(offset+per, len(r.data))])}}
	}
	return rowState{cells: []string{r.lines[i]}}
}

func (r *readout) chosen() int { return -1 }
func (r *readout) choose(int)  {}

const (
	// tabWidth is how far a tab leads, at the most.
	tabWidth = 4

	// firstWide is the first letter that may take the room of two (Hangul Jamo;
	// Unicode Annex 11). Those after it that do not just leave room.
	firstWide = 0x1100
)

// wrapped breaks a text into lines of so many letters, at a space if there is one
// in the second half of the line.
func wrapped(text string, width int) []string {
	if text == "" {
		return nil
	}
	width = max(width, 2) // of the widest letter
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, folded(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    "[:tabWidth]), width)...)
	}
	return lines
}

func folded(line string, width int) (lines []string) {
	start, space, room := 0, 0, width
	for i, r := range line {
		needs := 1
		if r >= firstWide {
			needs = 2
		}
		if room < needs {
			end := i
			if space > start+(i-start)/2 {
				end = space
			}
			lines = append(lines, line[start:end])
			room = width - letters(line[end:i])
			start, space = end, end
		}
		room -= needs
		if r == ' ' {
			space = i + 1
		}
	}
	return append(lines, line[start:])
}

// letters counts how many letters' room a text takes.
func letters(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= firstWide {
			n++
		}
	}
	return n
}
