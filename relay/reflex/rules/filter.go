package rules

import (
	"regexp"
	"slices"
	"strings"
)

type (
	// On passes events of some types.
	On struct {
		Types []string
	}

	// Where passes events with a field that is as it says. A field that is missing
	// passes none but one that must not be there.
	Where struct {
		Field string // dots lead into objects
		Op    string // one of ops
		Value any

		pattern *regexp.Regexp // of matches
	}

	// All passes what all of several filters do.
	All struct {
		Of []Filter
	}

	// Any passes what any of several filters does.
	Any struct {
		Of []Filter
	}

	// Not passes what a filter does not.
	Not struct {
		Filter Filter
	}
)

// ops are what a field may be asked for: to be equal or not, to come before or
// after (a number among numbers, a text among texts, by code point), to be one of
// a list, to be a list or a text that contains something, to be a text in which an
// expression of RE2 is found, to be there or not.
var ops = []string{"eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "matches", "exists"}

func (f On) matches(e *Envelope) (bool, error) { return slices.Contains(f.Types, e.Type), nil }

func (f All) matches(e *Envelope) (bool, error) {
	for _, f := range f.Of {
		if ok, err := f.matches(e); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (f Any) matches(e *Envelope) (bool, error) {
	for _, f := range f.Of {
		if ok, err := f.matches(e); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (f Not) matches(e *Envelope) (bool, error) {
	ok, err := f.Filter.matches(e)
	return !ok && err == nil, err
}

func (f Where) matches(e *Envelope) (bool, error) { return f.passes(e), nil }

func (f Where) passes(e *Envelope) bool {
	v, there := field(e.Event, f.Field)
	if f.Op == "exists" {
		return there == (f.Value == true)
	}
	if !there {
		return false
	}
	switch f.Op {
	case "eq":
		return equal(v, f.Value)
	case "ne":
		return !equal(v, f.Value)
	case "in":
		list, _ := f.Value.(List)
		return contains(list, v)
	case "contains":
		switch v := v.(type) {
		case List:
			return contains(v, f.Value)
		case string:
			part, ok := f.Value.(string)
			return ok && strings.Contains(v, part)
		}
		return false
	case "matches":
		text, ok := v.(string)
		return ok && f.pattern.MatchString(text)
	}
	order, ok := compare(v, f.Value)
	if !ok {
		return false
	}
	switch f.Op {
	case "lt":
		return order < 0
	case "le":
		return order <= 0
	case "gt":
		return order > 0
	default:
		return order >= 0
	}
}

func contains(list List, v any) bool {
	return slices.ContainsFunc(list, func(element any) bool { return equal(element, v) })
}

// compare orders two numbers, or two texts by code point; anything else has no
// order.
func compare(a, b any) (order int, ok bool) {
	switch a := a.(type) {
	case Number:
		if b, ok := b.(Number); ok {
			return a.compare(b), true
		}
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b), true
		}
	}
	return 0, false
}

// field returns what a path leads to. It leads into objects only.
func field(o Object, path string) (v any, there bool) {
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

func (f On) canonical() Object { return Object{"kind": "on", "types": texts(f.Types)} }

func (f Where) canonical() Object {
	return Object{"kind": "where", "field": f.Field, "op": f.Op, "value": f.Value}
}

func (f All) canonical() Object { return Object{"kind": "all", "of": canonicals(f.Of)} }
func (f Any) canonical() Object { return Object{"kind": "any", "of": canonicals(f.Of)} }
func (f Not) canonical() Object { return Object{"kind": "not", "filter": f.Filter.canonical()} }

func canonicals(filters []Filter) List {
	list := make(List, len(filters))
	for i, f := range filters {
		list[i] = f.canonical()
	}
	return list
}

func texts(of []string) List {
	list := make(List, len(of))
	for i, s := range of {
		list[i] = s
	}
	return list
}
