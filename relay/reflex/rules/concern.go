package rules

import (
	"maps"
	"slices"
)

// Waits says whether the rule fires when a time has come rather than at an event:
// whether its states have deadlines. Such a rule wants to look at each envelope at
// or behind a deadline, of whatever type.
func (r *Rule) Waits() bool {
	_, ok := r.When.Pattern.(Absence)
	return ok
}

// EventTypes returns the types of the events that the rule can ever take notice of,
// sorted; all is true if it may be any. An envelope of another type does nothing but
// move the rule's clock, which matters only to one that [Rule.Waits].
func (r *Rule) EventTypes() (types []string, all bool) {
	if r.types == nil {
		return nil, true
	}
	return slices.Sorted(maps.Keys(r.types)), false
}

func (r *Rule) concerns(eventType string) bool { return r.types == nil || r.types[eventType] }

// typeSet is types of events; nil is all of them.
type typeSet map[string]bool

func (t typeSet) intersect(with typeSet) typeSet {
	if t == nil {
		return with
	}
	common := maps.Clone(t)
	maps.DeleteFunc(common, func(name string, _ bool) bool { return with != nil && !with[name] })
	return common
}

func (t typeSet) unite(with typeSet) typeSet {
	if t == nil || with == nil {
		return nil
	}
	all := maps.Clone(t)
	maps.Copy(all, with)
	return all
}

// possible returns what may get past the filter and is of use to the pattern then.
func (r *Rule) possible() typeSet {
	types := r.When.Filter.types()
	// With a key or in a scope also an event that fits no step leaves something
	// behind: that its key was seen, or that it is in no scope.
	if p, ok := r.When.Pattern.(Sequence); ok && r.When.Dedupe == nil && len(r.Scope.Fields) == 0 {
		types = types.intersect(Any{Of: p.Steps}.types())
	}
	return types
}

func (f On) types() typeSet {
	types := make(typeSet)
	for _, name := range f.Types {
		types[name] = true
	}
	return types
}

// types knows those of an event's type itself: it is a field, too.
func (f Where) types() typeSet {
	if f.Field != "type" {
		return nil
	}
	var values List
	switch f.Op {
	case "eq":
		values = List{f.Value}
	case "in":
		values, _ = f.Value.(List)
	default:
		return nil
	}
	types := make(typeSet)
	for _, v := range values {
		if name, ok := v.(string); ok {
			types[name] = true
		}
	}
	return types
}

func (f All) types() (types typeSet) {
	for _, f := range f.Of {
		types = types.intersect(f.types())
	}
	return types
}

func (f Any) types() typeSet {
	types := make(typeSet)
	for _, f := range f.Of {
		types = types.unite(f.types())
	}
	return types
}

func (Not) types() typeSet { return nil }
func (CEL) types() typeSet { return nil }
