package rules

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// record is an object whose members have an order for people.
type record []member

type member struct {
	name  string
	value any
}

// form is how values are written.
type form struct {
	sorted bool // members of records by their names, else as they stand
	quote  func(dst []byte, s string) []byte
}

var (
	// canonical is one form only: everything beyond ASCII escaped.
	canonical = form{sorted: true, quote: quoteASCII}

	// readable is for people: texts as they are.
	readable = form{quote: quote}
)

// Text returns a value as JSON in one form only: without blanks, the members of
// objects in the order of their names, everything beyond ASCII escaped, numbers
// with their kind. Scopes are told apart by it.
func Text(v any) string { return string(canonical.append(nil, v)) }

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) { return readable.append(nil, o), nil }

// MarshalJSON implements [json.Marshaler].
func (l List) MarshalJSON() ([]byte, error) { return readable.append(nil, l), nil }

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) { return n.appendText(nil), nil }

func (f form) append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return f.quote(dst, v)
	case Number:
		return v.appendText(dst)
	case List:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.append(dst, element)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			dst = f.appendMember(dst, i, member{name, v[name]})
		}
		return append(dst, '}')
	case record:
		if f.sorted {
			v = slices.SortedFunc(slices.Values(v), func(a, b member) int { return cmp.Compare(a.name, b.name) })
		}
		dst = append(dst, '{')
		for i, m := range v {
			dst = f.appendMember(dst, i, m)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func (f form) appendMember(dst []byte, i int, m member) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(f.quote(dst, m.name), ':')
	return f.append(dst, m.value)
}

// quote writes a text as the shortest JSON that it has.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // what is no UTF-8 is replaced
	return dst
}

const hexDigits = "0123456789abcdef"

func quoteASCII(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\f':
			dst = append(dst, `\f`...)
		case r == '\b':
			dst = append(dst, `\b`...)
		case r >= ' ' && r <= '~':
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendEscape(appendEscape(dst, high), low)
		default:
			dst = appendEscape(dst, r)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&0xf], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf])
}
