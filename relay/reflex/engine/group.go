package engine

import (
	"slices"

	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// member is a rule that is evaluated in a stream.
type member struct {
	*version
	stored   store.Progress // as it is in the store; the cursor of one in step is the stream's
	progress rules.Progress
	memory   *memory
}

// concerns says whether the rule can take notice of events of a type.
func (m *member) concerns(eventType string) bool {
	if m.all {
		return true
	}
	_, ok := slices.BinarySearch(m.types, eventType)
	return ok
}

// group is rules that are evaluated at the same envelopes.
type group struct {
	members []*member            // in the order in which they are evaluated
	waiting []*member            // those that fire when a time has come
	others  map[string][]*member // the rest, by each of the types of which any has named it
	all     []*member            // those of the rest that take notice of any type
}

func newGroup(members []*member) *group {
	g := &group{members: members}
	rest := 0
	for rest < len(members) && members[rest].spec.Waits() {
		rest++
	}
	g.waiting, g.others = members[:rest], make(map[string][]*member)
	for _, m := range members[rest:] {
		if m.all {
			g.all = append(g.all, m)
			for name := range g.others {
				g.others[name] = append(g.others[name], m)
			}
			continue
		}
		for _, name := range m.types {
			if _, named := g.others[name]; !named {
				g.others[name] = slices.Clone(g.all)
			}
			g.others[name] = append(g.others[name], m)
		}
	}
	return g
}

// asked calls a function with each rule that has to look at an envelope, in order,
// until there is an error.
func (g *group) asked(e *envelope, ask func(*member) error) error {
	for _, m := range g.waiting {
		if m.memory.earliest <= e.TS || m.concerns(e.Type) {
			if err := ask(m); err != nil {
				return err
			}
		}
	}
	others, named := g.others[e.Type]
	if !named {
		others = g.all
	}
	for _, m := range others {
		if err := ask(m); err != nil {
			return err
		}
	}
	return nil
}
