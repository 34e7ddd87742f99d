package reflex

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep an event nests at the most: no reader should need more
// stack than this, and no publisher known comes near it.
const maxDepth = 64

// compact brings the object that is next, an event, into the form in which it is
// kept: without blanks, type first. This happens in its own place and changes
// nothing else: numbers and strings stay byte for byte as they were.
//
// It returns the object and the value of its type; nil if it has none. If the
// object nests deeper than maxDepth, deep leads to the first place where it does.
func (s *scanner) compact() (object, kind []byte, deep []string) {
	s.open()
	start := s.at - 1
	end := start + 1 // of what is done
	moved := false   // whether the type has to be put first
	for s.more() {
		name := s.value()
		s.peek()
		s.at++
		isType := string(unquoted(name)) == "type"
		if isType && (end > start+1 || s.peek() != '"' || escaped(name) || escaped(s.text[s.at:stringEnd(s.text, s.at)])) {
			kind, moved = slices.Clone(s.value()), true
			continue
		}
		if end > start+1 {
			s.text[end] = ','
			end++
		}
		end += copy(s.text[end:], name)
		s.text[end] = ':'
		from := end + 1
		var at int
		if end, at = s.pack(from); at > 0 && deep == nil {
			deep = endOf(s.text[start:at])
		}
		if isType {
			kind = s.text[from:end]
		}
	}
	s.text[end] = '}'
	object = s.text[start : end+1 : s.at]
	if moved && kind[0] == '"' {
		object = withType(object, string(unquoted(kind)))
	}
	return object, kind, deep
}

// escaped says whether a string is spelled in another way than it could be, or
// has characters that have to be.
func escaped(value []byte) bool { return bytes.IndexByte(value, '\\') >= 0 }

// withType puts the type first into an object, in the one spelling that filters
// look for. The object grows in its place: it has had the member before.
func withType(object []byte, kind string) []byte {
	head, _ := jsontext.AppendQuote([]byte(`{"type":`), kind) // it is sound
	if len(object) > len(`{}`) {
		head = append(head, ',')
	}
	return slices.Replace(object, 0, 1, head...)
}

// endOf returns the steps that lead to where a text ends that is the beginning of
// sound JSON.
func endOf(text []byte) []string {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.ReadToken(); err != nil {
			return locOf(d.StackPointer())
		}
	}
}

// pack moves the next value, without its blanks, down to a place in the text. It
// returns where the value ends then, and where it is that it first nests too
// deep; 0 if it does not.
func (s *scanner) pack(to int) (end, deep int) {
	s.peek()
	from := s.at // of what is still to be moved
	for depth := 1; ; {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at = stringEnd(s.text, s.at)
		case c == '{' || c == '[':
			depth++
			s.at++
			if depth > maxDepth && deep == 0 {
				to += copy(s.text[to:], s.text[from:s.at])
				from, deep = s.at, to
			}
		case c == '}' || c == ']':
			depth--
			s.at++
		case c <= ' ':
			to += copy(s.text[to:], s.text[from:s.at])
			s.peek()
			from = s.at
			continue
		case c == ',' || c == ':':
			s.at++
			continue
		default:
			s.at = scalarEnd(s.text, s.at)
		}
		if depth == 1 {
			return to + copy(s.text[to:], s.text[from:s.at]), deep
		}
	}
}
