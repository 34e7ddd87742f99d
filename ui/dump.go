package ui

import (
	"fmt"
	"strings"
)

const (
	// dumpLimit is how much of an entry is shown. Most entries are sealed, so
	// that more of it would tell nobody more.
	dumpLimit = 64 << 10

	// dumpLetters is how many letters a line of the dump has beside those of its
	// bytes: an offset of up to 64 KiB and spaces.
	dumpLetters = len("0000  ") + len(" ")

	// dumpLettersEach is how many letters each byte takes: "ff " and the letter.
	dumpLettersEach = len("ff ") + 1
)

// dumpWidth is how many bytes are on a line of so many letters: 16, as everywhere,
// or 8 if there is no room.
func dumpWidth(letters int) int {
	if letters >= dumpLetters+16*dumpLettersEach {
		return 16
	}
	return 8
}

// dumpLine is the offset, the bytes in hexadecimal, and those that are printable
// ASCII, in columns for so many bytes.
func dumpLine(offset, width int, data []byte) string {
	var hex, text strings.Builder
	for i := range width {
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
