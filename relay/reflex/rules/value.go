package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is what JSON holds: nil, a bool, a Number, a string, a List or an
// Object.
type (
	// List is an array.
	List []any

	// Object is an object.
	Object map[string]any
)

var (
	_ json.Marshaler   = Object{}
	_ json.Unmarshaler = (*Object)(nil)
)

// Number is a number: a whole one, exact at any size, or a float.
type Number struct {
	whole *big.Int // nil of a float
	float float64
}

// Int returns a whole number.
func Int(n int64) Number { return Number{whole: big.NewInt(n)} }

// number reads a number as it stands in JSON: whole if it has neither a fraction
// nor an exponent.
func number(text string) Number {
	if whole, ok := new(big.Int).SetString(text, 10); ok {
		return Number{whole: whole}
	}
	// Out of range it is infinite, which compares as it should.
	float, _ := strconv.ParseFloat(text, 64)
	return Number{float: float}
}

// compare compares two numbers exactly, also a whole one with a float.
func (n Number) compare(m Number) int {
	if n.whole != nil && m.whole != nil {
		return n.whole.Cmp(m.whole)
	}
	return n.exact().Cmp(m.exact())
}

func (n Number) exact() *big.Float {
	if n.whole != nil {
		return new(big.Float).SetInt(n.whole)
	}
	return big.NewFloat(n.float)
}

// maxDepth is how deep arrays and objects may lie in each other: as deep as
// anybody writes them, and no deeper than the stack of whoever walks them takes
// lightly.
const maxDepth = 64

var errDeep = errors.New("it is nested too deeply")

// Decode reads a value. The error says what is no JSON in it, a name that comes
// twice in an object included, or that it is nested too deeply.
func Decode(text []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	v, err := decode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

func decode(d *jsontext.Decoder) (any, error) {
	if d.StackDepth() > maxDepth {
		return nil, errDeep
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil //nolint:nilnil // null is a value
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String()), nil
	case '[':
		list := List{}
		for d.PeekKind() != ']' {
			v, err := decode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.ReadToken()
		return list, err
	default:
		object := Object{}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			if object[key], err = decode(d); err != nil {
				return nil, err
			}
		}
		_, err := d.ReadToken()
		return object, err
	}
}

// equal says whether two values are the same. Numbers are what they are worth, 1
// like 1.0; but true is no number.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case Number:
		b, ok := b.(Number)
		return ok && a.compare(b) == 0
	case List:
		b, ok := b.(List)
		return ok && slices.EqualFunc(a, b, equal)
	case Object:
		b, ok := b.(Object)
		return ok && maps.EqualFunc(a, b, equal)
	}
	return false
}

// Text returns a value as JSON in one form only: without blanks, the members of
// objects in the order of their names, everything beyond ASCII escaped, numbers
// with their kind. Scopes are told apart by it.
func Text(v any) string { return string(appendText(nil, v)) }

func appendText(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return appendString(dst, v)
	case Number:
		return v.appendText(dst)
	case List:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(dst, element)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, name), ':')
			dst = appendText(dst, v[name])
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// plainDigits is from how many digits before the point on a float is written with
// an exponent, and plainZeros how many zeros behind it a small one begins with at
// most: the shortest that reads back as the same, as in Python.
const (
	plainDigits = 16
	plainZeros  = 4
)

func (n Number) appendText(dst []byte) []byte {
	if n.whole != nil {
		return n.whole.Append(dst, 10)
	}
	if math.IsInf(n.float, 0) {
		if n.float < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "1e999"...) // what is read as it again
	}
	short := strconv.FormatFloat(n.float, 'e', -1, 64)
	at := strings.IndexByte(short, 'e')
	if exponent, _ := strconv.Atoi(short[at+1:]); exponent < -plainZeros || exponent >= plainDigits {
		return append(dst, short...)
	}
	before := len(dst)
	dst = strconv.AppendFloat(dst, n.float, 'f', -1, 64)
	if !bytes.Contains(dst[before:], []byte(".")) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) { return appendText(nil, o), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (o *Object) UnmarshalJSON(text []byte) error {
	v, err := Decode(text)
	if err != nil {
		return err
	}
	object, ok := v.(Object)
	if !ok {
		return errNoObject
	}
	*o = object
	return nil
}

var errNoObject = errors.New("it is no object")

const hexDigits = "0123456789abcdef"

func appendString(dst []byte, s string) []byte {
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

// letters returns the number of code points in a text.
func letters(s string) int { return utf8.RuneCountInString(s) }
