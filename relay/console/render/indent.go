package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// indentMost is how many levels are told by indentation; what is nested deeper
// stands below each other, so that nesting alone cannot blow up a view.
const indentMost = 16

// indented puts JSON or diagnostic notation, which are punctuated alike, on a
// line for each element. Letters that were escaped are shown as they are, and
// those that cannot be shown are escaped. cut says that it was too much.
func indented(s string) (text string, cut bool) {
	w := indenter{in: s}
	for w.in != "" {
		if len(w.out) >= shownMost {
			return string(w.out), true
		}
		if w.quote != 0 {
			w.inString()
		} else {
			w.between()
		}
	}
	return string(w.out), false
}

// indenter reads a notation and writes it anew.
type indenter struct {
	in    string // what is still to be read
	out   []byte
	depth int
	quote byte // ends the string that is being read; 0 outside of one
}

// between takes what stands outside of strings, a byte at a time: it is ASCII.
func (w *indenter) between() {
	c := w.in[0]
	w.in = w.in[1:]
	switch c {
	case ' ', '\t', '\r', '\n':
	case '"', '\'':
		w.quote = c
		w.out = append(w.out, c)
	case '{', '[':
		w.open(c)
	case '}', ']':
		w.depth--
		w.line()
		w.out = append(w.out, c)
	case ',':
		w.out = append(w.out, c)
		w.line()
	case ':':
		w.out = append(w.out, ": "...)
	case '_': // of indefinite length: (_ "a", "b")
		w.out = append(w.out, c)
		if strings.HasPrefix(w.in, " ") {
			w.out = append(w.out, ' ')
		}
	default:
		w.out = append(w.out, c)
	}
}

// open begins an array or a map. One without elements stays on its line.
func (w *indenter) open(c byte) {
	w.out = append(w.out, c)
	w.in = strings.TrimLeft(w.in, " \t\r\n")
	if rest, ok := strings.CutPrefix(w.in, "_ "); ok {
		w.out = append(w.out, '_')
		w.in = rest
	}
	if w.in != "" && (w.in[0] == '}' || w.in[0] == ']') {
		w.out = append(w.out, w.in[0])
		w.in = w.in[1:]
		return
	}
	w.depth++
	w.line()
}

func (w *indenter) line() {
	w.out = append(w.out, '\n')
	for range min(w.depth, indentMost) {
		w.out = append(w.out, "  "...)
	}
}

// inString takes the next letter of a string.
func (w *indenter) inString() {
	if w.in[0] == '\\' && len(w.in) > 1 {
		if r, length := unescaped(w.in); length > 0 && unicode.IsGraphic(r) && r > unicode.MaxASCII {
			w.out = utf8.AppendRune(w.out, r)
			w.in = w.in[length:]
			return
		}
		w.out = append(w.out, w.in[:2]...)
		w.in = w.in[2:]
		return
	}
	r, length := utf8.DecodeRuneInString(w.in)
	if r == rune(w.quote) {
		w.quote = 0
	}
	w.out = appendVisible(w.out, r)
	w.in = w.in[length:]
}

// unescaped reads \uXXXX, or two of them for one letter; length is 0 if there is
// no letter.
func unescaped(s string) (r rune, length int) {
	high, ok := unit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, escapeLength
	}
	low, ok := unit(s[escapeLength:])
	if r := utf16.DecodeRune(high, low); ok && r != utf8.RuneError {
		return r, 2 * escapeLength
	}
	return 0, 0
}

// escapeLength is that of \uXXXX.
const escapeLength = 6

func unit(s string) (rune, bool) {
	if len(s) < escapeLength || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:escapeLength], 16, 16)
	return rune(n), err == nil
}

// appendVisible appends a letter; one that shows nothing, or changes how others
// show, is escaped.
func appendVisible(out []byte, r rune) []byte {
	if unicode.IsGraphic(r) {
		return utf8.AppendRune(out, r)
	}
	for _, unit := range utf16.AppendRune(nil, r) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}
