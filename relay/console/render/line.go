package render

import (
	"unicode"
	"unicode/utf8"
)

// Line makes of a text one line of at most so many letters, none of which acts
// upon a screen: where lines or other blanks are in it stands one space.
func Line(text string, most int) string {
	line := make([]byte, 0, min(len(text), utf8.UTFMax*most))
	blank := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			blank = len(line) > 0
			continue
		}
		if most--; blank {
			most--
		}
		if most < 0 {
			return string(append(line, "…"...))
		}
		if blank {
			line = append(line, ' ')
			blank = false
		}
		line = appendVisible(line, r)
	}
	return string(line)
}
