package rules

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// FieldError says what is wrong with a rule, and where.
type FieldError struct {
	Loc  []string // names of members and numbers of elements, from the outside in
	Msg  string
	Type string // a word for programs
}

// InvalidError says that something is no rule or schedule, with all that is wrong
// with it, or the first twenty mistakes.
type InvalidError struct {
	What   string // what it was to be, as "rule"
	Errors []FieldError
}

func (e *InvalidError) Error() string {
	first := e.Errors[0]
	text := "the " + e.What + " is not valid"
	if len(first.Loc) > 0 {
		text += " at " + strings.Join(first.Loc, ".")
	}
	text += ": " + first.Msg
	if more := len(e.Errors) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// maxErrors is how many mistakes are told at once: more nobody mends at once.
const maxErrors = 20

// reader reads a value into a rule, and gathers what is wrong with it.
type reader struct {
	errors      []FieldError
	nodes       int // filters so far
	expressions int // of CEL, too
}

// place is a value with where it is.
type place struct {
	r     *reader
	loc   []string
	value any
	known bool // whether it is there at all
}

func (p place) fail(kind, format string, args ...any) {
	if len(p.r.errors) < maxErrors {
		p.r.errors = append(p.r.errors, FieldError{Loc: p.loc, Msg: fmt.Sprintf(format, args...), Type: kind})
	}
}

func (p place) at(step string, value any, known bool) place {
	return place{p.r, append(slices.Clip(p.loc), step), value, known}
}

// object returns how to get at the members of an object that may have just those,
// and whether it is one.
func (p place) object(names ...string) (member func(name string) place, ok bool) {
	o, ok := p.value.(Object)
	if !ok {
		p.wrong("an object")
		return nil, false
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(names, name) {
			p.at(name, nil, true).fail("unknown_field", "there is no such field here, only %s", strings.Join(names, ", "))
		}
	}
	return func(name string) place {
		v, known := o[name]
		return p.at(name, v, known)
	}, true
}

// finite refuses numbers that are not kept as they are written.
func (p place) finite() {
	switch v := p.value.(type) {
	case Number:
		if v.infinite() {
			p.fail("range", "it is a number beyond all that can be reckoned with")
		}
	case List:
		for i, element := range v {
			p.at(strconv.Itoa(i), element, true).finite()
		}
	case Object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			p.at(name, v[name], true).finite()
		}
	}
}

// wrong says that the value is missing or no such one.
func (p place) wrong(want string) {
	if !p.known {
		p.fail("missing", "it is missing: give %s", want)
		return
	}
	p.fail("type", "it is not %s", want)
}

func (p place) text(most int) string {
	s, ok := p.value.(string)
	switch {
	case !ok:
		p.wrong("text")
	case letters(s) > most:
		p.fail("too_long", "it is longer than %d letters", most)
	}
	return s
}

// name reads a text by which something is called. It stands in addresses, in
// terminals and in lists, so that it is one line of what can be seen.
func (p place) name() string {
	s := p.text(MaxName)
	switch {
	case p.value == "":
		p.fail("empty", "it is empty")
	case strings.ContainsFunc(s, unicode.IsControl):
		p.fail("control", "it holds a control character")
	}
	return s
}

func (p place) flag() bool {
	b, ok := p.value.(bool)
	if !ok {
		p.wrong("true or false")
	}
	return b
}

// count reads a whole number from 1 on.
func (p place) count(most int) int {
	n, ok := p.value.(Number)
	if !ok {
		p.wrong("a whole number")
		return 1
	}
	f := n.Float64()
	switch {
	case f != math.Trunc(f):
		p.fail("type", "it is not a whole number")
	case f < 1 || f > float64(most):
		p.fail("range", "it is not between 1 and %d", most)
	default:
		return int(f)
	}
	return 1
}

// duration reads a duration that is longer than none.
func (p place) duration() Duration {
	if !p.known {
		p.wrong("a duration like PT5M, or a number of seconds")
		return Second
	}
	d, err := durationOf(p.value)
	switch {
	case err != nil:
		p.fail("duration", "%v", err)
	case d <= 0:
		p.fail("duration", "it is shorter than a microsecond")
	}
	return d
}

// oneOf reads one of some words.
func (p place) oneOf(words ...string) string {
	s, ok := p.value.(string)
	switch {
	case !ok:
		p.wrong("one of " + strings.Join(words, ", "))
	case !slices.Contains(words, s):
		p.fail("unknown_word", "%.100q is not one of %s", s, strings.Join(words, ", "))
	default:
		return s
	}
	return words[0]
}

// list goes through the elements of an array of at least and at most so many.
func (p place) list(least, most int) []place {
	l, ok := p.value.(List)
	switch {
	case !ok:
		p.wrong("a list")
	case len(l) < least:
		p.fail("too_short", "it has %d elements, and needs %d", len(l), least)
	case len(l) > most:
		p.fail("too_long", "it has %d elements, and may have %d", len(l), most)
		l = nil
	}
	elements := make([]place, len(l))
	for i, v := range l {
		elements[i] = p.at(strconv.Itoa(i), v, true)
	}
	return elements
}

// texts reads a list of texts.
func (p place) texts(least, most, longest int) []string {
	texts := []string{}
	for _, e := range p.list(least, most) {
		texts = append(texts, e.text(longest))
	}
	return texts
}
