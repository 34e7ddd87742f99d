package reflex

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner goes along a JSON text that is known to be sound, once and from front
// to back. It allocates nothing and does not recurse.
type scanner struct {
	text []byte
	at   int
}

// peek passes over blanks and returns the first byte behind them.
func (s *scanner) peek() byte {
	for s.text[s.at] <= ' ' {
		s.at++
	}
	return s.text[s.at]
}

// open enters the object or array that is next.
func (s *scanner) open() {
	s.peek()
	s.at++
}

// more says whether the object or array goes on, and leaves it if not.
func (s *scanner) more() bool {
	switch s.peek() {
	case ',':
		s.at++
		return true
	case '}', ']':
		s.at++
		return false
	}
	return true
}

// rest leaves the object or array, in which there is a value that is next.
func (s *scanner) rest() {
	for more := true; more; more = s.more() {
		s.value()
	}
}

// name passes over the name of a member and what parts it from its value.
func (s *scanner) name() []byte {
	name := unquoted(s.value())
	s.peek()
	s.at++
	return name
}

// value passes over the next value and returns it.
func (s *scanner) value() []byte {
	first := s.peek()
	start := s.at
	switch first {
	case '"':
		s.at = stringEnd(s.text, s.at)
	case '{', '[':
		s.container()
	default:
		s.at = scalarEnd(s.text, s.at)
	}
	return s.text[start:s.at:s.at]
}

// container passes over the object or array that is next.
func (s *scanner) container() {
	for depth := 0; ; {
		switch s.text[s.at] {
		case '"':
			s.at = stringEnd(s.text, s.at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.at++
		if depth == 0 {
			return
		}
	}
}

// stringEnd returns where the JSON string ends that begins at start.
func stringEnd(text []byte, start int) int {
	for at := start + 1; ; {
		end := at + bytes.IndexByte(text[at:], '"')
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if at = end + 1; escapes%2 == 0 {
			return at
		}
	}
}

// scalarEnd returns where the number or literal ends that begins at start.
func scalarEnd(text []byte, start int) int {
	at := start
	for at < len(text) {
		switch c := text[at]; {
		case c <= ' ', c == ',', c == '}', c == ']':
			return at
		}
		at++
	}
	return at
}

// unquoted returns what a sound JSON string says. It shares its memory if it
// can.
func unquoted(value []byte) []byte {
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, value) // the string is sound
	return text
}
