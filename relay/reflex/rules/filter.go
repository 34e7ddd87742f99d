package rules

import (
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

		pattern *pattern // of matches
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

// Ops lists what the field of a [Where] may be asked for.
func Ops() []string { return slices.Clone(ops) }

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

func (f Where) matches(e *Envelope) (bool, error) {
	v, there, err := e.Event.field(f.Field)
	switch {
	case err != nil:
		return false, err
	case f.Op == "exists":
		return there == (f.Value == true), nil
	case !there:
		return false, nil
	case f.Op == "matches":
		text, ok := v.(string)
		if !ok {
			return false, nil
		}
		return f.pattern.find(text, &e.searched)
	}
	return f.passes(v), nil
}

// passes says whether a value is as it is asked to be.
func (f Where) passes(v any) bool {
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

func (f On) canonical() record { return record{{"kind", "on"}, {"types", texts(f.Types)}} }

func (f Where) canonical() record {
	return record{{"kind", "where"}, {"field", f.Field}, {"op", f.Op}, {"value", f.Value}}
}

func (f All) canonical() record { return record{{"kind", "all"}, {"of", canonicals(f.Of)}} }
func (f Any) canonical() record { return record{{"kind", "any"}, {"of", canonicals(f.Of)}} }
func (f Not) canonical() record { return record{{"kind", "not"}, {"filter", f.Filter.canonical()}} }
