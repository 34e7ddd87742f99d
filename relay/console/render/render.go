// Package render makes the bytes of an entry readable, where they are something
// that a person can read. It trusts nothing in them: whatever they are, what
// comes out is bounded and holds no character that acts upon a screen.
package render

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

const (
	// readMost is how many bytes of JSON or CBOR are taken apart: both make sense
	// as a whole only, and no person reads more. Longer JSON shows its beginning
	// as text.
	readMost = 256 << 10

	// shownMost is how many bytes a view has at the most, but for the last
	// letter: some thousand lines.
	shownMost = 64 << 10
)

// Kind is a way of reading bytes.
type Kind string

// The kinds of views.
const (
	KindJSON Kind = "JSON" // RFC 8259, indented
	KindCBOR Kind = "CBOR" // the diagnostic notation of RFC 8949, section 8, indented
	KindText Kind = "Text" // UTF-8 as it is
)

// View is what bytes say when they are read in one way.
type View struct {
	Kind Kind
	Text string // lines of printable characters
	Cut  bool   // whether there is more than Text has
}

// Views returns the ways in which bytes make sense, the likeliest first; there is
// none if they are sealed, empty or of a kind that is not known. JSON is an
// object or an array: other values read better as text. CBOR is exactly one
// well-formed item.
func Views(data []byte) []View {
	var views []View
	if text, cut, ok := text(data); ok {
		views = append(views, View{KindText, text, cut})
	}
	if len(data) > readMost {
		return views
	}
	if isJSON(data) {
		text, cut := indented(string(data))
		return []View{{KindJSON, text, cut}}
	}
	// The library stops at 32 levels and 131,072 elements a level.
	if notation, err := cbor.Diagnose(data); err == nil {
		text, cut := indented(notation)
		views = append(views, View{KindCBOR, text, cut})
	}
	return views
}

// isJSON tells JSON's objects and arrays.
func isJSON(data []byte) bool {
	start := bytes.TrimLeft(data, " \t\r\n")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[') && utf8.Valid(data) && json.Valid(data)
}

// text returns bytes as text if they are nothing else than that, or the
// beginning of it.
func text(data []byte) (shown string, cut, ok bool) {
	if len(data) > shownMost {
		data, cut = data[:shownMost], true
		data = data[:len(data)-broken(data)]
	}
	if len(data) == 0 || !utf8.Valid(data) {
		return "", false, false
	}
	var out []byte
	for _, r := range string(data) {
		switch {
		case r == '\r': // lines end with \n here, whatever they did there
		case r == '\n' || r == '\t':
			out = append(out, byte(r))
		case r < ' ' || r == 0x7f:
			return "", false, false
		default:
			out = appendVisible(out, r)
		}
	}
	if len(out) > shownMost { // what was escaped is longer
		out, cut = out[:shownMost], true
		out = out[:len(out)-broken(out)]
	}
	return string(out), cut, true
}

// broken counts the bytes of a letter that was cut short at the end.
func broken(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if rest := data[len(data)-n:]; utf8.RuneStart(rest[0]) {
			if utf8.FullRune(rest) {
				return 0
			}
			return n
		}
	}
	return 0
}
