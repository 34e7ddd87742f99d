package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Event is what a publisher published. Most of it no rule ever asks for, and an
// event may be large, so that each member is read when it is asked for first. It is
// not for several goroutines at once.
type Event struct {
	members []eventMember
	err     error          // that it has too many
	native  map[string]any // all of it as CEL takes it, once it was asked for
}

// eventMember is a member of an event, and what it was read as once it was.
type eventMember struct {
	name   string
	text   []byte
	read   bool
	value  any
	values int   // of how many values it is made
	err    error // that it is more than a rule may look at
}

// usualMembers is how many members most events have at most.
const usualMembers = 8

// ReadEvent finds the members of an event. It keeps the text. The error says what is
// no JSON object in it.
func ReadEvent(text []byte) (*Event, error) {
	e := &Event{members: make([]eventMember, 0, usualMembers)}
	d := borrow(text)
	defer giveBack(d)
	switch token, err := d.ReadToken(); {
	case err != nil:
		return nil, err
	case token.Kind() != '{':
		return nil, errNoObject
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if len(e.members) == maxValues {
			e.err = fmt.Errorf("the event: %w", errMany)
			return e, nil
		}
		end := int(d.InputOffset())
		e.members = append(e.members, eventMember{name: name, text: text[end-len(value) : end]})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if len(bytes.TrimRight(text[d.InputOffset():], " \t\r\n")) > 0 {
		return nil, errBehind
	}
	return e, nil
}

// field returns what a path leads to. It leads into objects only.
func (e *Event) field(path string) (v any, there bool, err error) {
	name, rest, deeper := strings.Cut(path, ".")
	m := e.member(name)
	if m == nil {
		return nil, false, e.err
	}
	if m.decode(); m.err != nil || !deeper {
		return m.value, m.err == nil, m.err
	}
	o, _ := m.value.(Object)
	v, there = o.field(rest)
	return v, there, nil
}

// member returns the member of a name, nil if there is none.
func (e *Event) member(name string) *eventMember {
	for i := range e.members {
		if e.members[i].name == name {
			return &e.members[i]
		}
	}
	return nil
}

// decode reads a member, if that was not done.
func (m *eventMember) decode() {
	if m.read {
		return
	}
	m.read, m.values = true, 1
	switch first := m.text[0]; {
	case first == 'n':
	case first == 't', first == 'f':
		m.value = first == 't'
	case first == '"':
		m.value = unquote(m.text)
	case first != '{' && first != '[':
		m.value = number(string(m.text))
	default:
		if m.value, m.values, m.err = decode(m.text); m.err != nil {
			m.err = fmt.Errorf("the event's %.100q: %w", m.name, m.err)
		}
	}
}

func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	plain, _ := jsontext.AppendUnquote(nil, text) // it was read as a value before
	return string(plain)
}

func (o Object) field(path string) (v any, there bool) {
	for {
		name, rest, deeper := strings.Cut(path, ".")
		v, there = o[name]
		if !there || !deeper {
			return v, there
		}
		if o, there = v.(Object); !there {
			return nil, false
		}
		path = rest
	}
}

// is says whether a member is a text.
func (e *Event) is(name, text string) bool {
	v, _, _ := e.field(name)
	return v == text
}
