package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

const (
	// dumpLimit is how much of an entry is shown. Most entries are sealed, so
	// that more of it would tell nobody more.
	dumpLimit = 64 << 10

	// dumpWidth is how many bytes are on a line, as many as the detail is wide
	// enough for at its narrowest.
	dumpWidth = 8
)

// dump shows the bytes of an entry, a line of them a row.
type dump struct{ data []byte }

var dumpColumns = columns{list: []column{{
	style: fyne.TextStyle{Monospace: true}, color: theme.ColorNameForeground,
}}, least: 10}

func (d *dump) count() int  { return (len(d.data) + dumpWidth - 1) / dumpWidth }
func (d *dump) chosen() int { return -1 }
func (d *dump) choose(int)  {}

func (d *dump) row(i int) rowState {
	offset := i * dumpWidth
	return rowState{cells: []string{dumpLine(offset, d.data[offset:min(offset+dumpWidth, len(d.data))])}}
}

// dumpLine is the offset, the bytes in hexadecimal, and those that are printable
// ASCII.
func dumpLine(offset int, data []byte) string {
	var hex, text strings.Builder
	for i := range dumpWidth {
		if i >= len(data) {
			hex.WriteString("   ")
			continue
		}
		fmt.Fprintf(&hex, "%02x ", data[i])
		if data[i] >= ' ' && data[i] <= '~' {
			text.WriteByte(data[i])
		} else {
			text.WriteByte('.')
		}
	}
	return fmt.Sprintf("%04x  %s %s", offset, hex.String(), text.String())
}

// dumpTitle says what the dump shows of an entry.
func dumpTitle(position uint64, size int) string {
	title := "Entry " + number(position) + " · "
	switch {
	case size == 0:
		return title + "empty"
	case size > dumpLimit:
		return title + fmt.Sprintf("the first 64 KiB of %s", byteSize(uint64(size)))
	default:
		return title + counted(size, "byte", "bytes")
	}
}
