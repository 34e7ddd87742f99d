package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
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

const (
	// maxDepth is how deep arrays and objects may lie in each other: as deep as
	// anybody writes them, and no deeper than the stack of whoever walks them takes
	// lightly.
	maxDepth = 64

	// maxValues is how many values one may be made of. Each takes some fifty bytes
	// of memory, and an event of 16 MiB may hold eight million.
	maxValues = 100_000
)

var (
	errDeep   = errors.New("it is nested too deeply")
	errMany   = fmt.Errorf("it is made of more than %d values", maxValues)
	errBehind = errors.New("something follows the value")
)

// Decode reads a value. The error says what is no JSON in it, a name that comes
// twice in an object included, or that it is nested too deeply or too much of it.
func Decode(text []byte) (any, error) {
	v, _, err := decode(text)
	return v, err
}

// decode reads a value, and says of how many it is made.
func decode(text []byte) (v any, values int, err error) {
	d := decoder{from: borrow(text)}
	defer giveBack(d.from)
	if v, err = d.value(); err != nil {
		return nil, d.values, err
	}
	if _, err := d.from.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, d.values, errBehind
	}
	return v, d.values, nil
}

// decoders are those that rest: each event is read by one or more.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func borrow(text []byte) *jsontext.Decoder {
	d := decoders.Get().(*jsontext.Decoder)
	d.Reset(bytes.NewBuffer(text))
	return d
}

func giveBack(d *jsontext.Decoder) {
	d.Reset(eof{}) // what it read is not its own
	decoders.Put(d)
}

// eof has nothing to be read.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// decoder reads a value with all that is in it.
type decoder struct {
	from   *jsontext.Decoder
	values int // so far
}

func (d *decoder) value() (any, error) {
	if d.from.StackDepth() > maxDepth {
		return nil, errDeep
	}
	if d.values++; d.values > maxValues {
		return nil, errMany
	}
	token, err := d.from.ReadToken()
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
		return d.list()
	default:
		return d.object()
	}
}

func (d *decoder) list() (any, error) {
	list := List{}
	for d.from.PeekKind() != ']' {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.from.ReadToken()
	return list, err
}

func (d *decoder) object() (any, error) {
	object := Object{}
	for d.from.PeekKind() != '}' {
		token, err := d.from.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		if object[name], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.from.ReadToken()
	return object, err
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

// letters returns the number of code points in a text.
func letters(s string) int { return utf8.RuneCountInString(s) }
