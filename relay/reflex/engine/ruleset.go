package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// ruleset is the rules of a space as they are in the store. It never changes.
type ruleset struct {
	revision uint64
	rules    map[string]*version
	streams  map[string][]*version // by the streams that they name, in the order in which they are evaluated
}

// version is a version of a rule.
type version struct {
	store.Rule
	spec  rules.Rule
	types []string // of the events of which it can take notice, unless all is set
	all   bool
	err   error // why it cannot be evaluated
}

// readRules reads the rules of a space. Those whose version has not changed are taken
// from those that were known before.
func (e *Engine) readRules(ctx context.Context, space string, before *ruleset) (*ruleset, error) {
	list, revision, err := e.store.Rules(ctx, space)
	if err != nil {
		return nil, fmt.Errorf("reading the rules of the space %q: %w", space, err)
	}
	set := &ruleset{revision: revision, rules: make(map[string]*version, len(list)), streams: make(map[string][]*version)}
	for _, r := range list {
		v := before.find(r.Name, r.Version)
		if v == nil {
			if v = newVersion(r); v.err != nil {
				e.logger.Warn("a rule cannot be evaluated", slog.String("space", space), slog.String("rule", r.Name), slog.Any("error", v.err))
			}
		}
		set.rules[r.Name] = v
		for _, name := range v.spec.Streams {
			set.streams[name] = append(set.streams[name], v)
		}
	}
	for _, of := range set.streams {
		slices.SortFunc(of, inOrder)
	}
	return set, nil
}

// newVersion reads a version of a rule.
func newVersion(r store.Rule) *version {
	v := &version{Rule: r}
	if v.spec, v.err = rules.Parse(r.Spec); v.err == nil {
		v.types, v.all = v.spec.EventTypes()
	}
	return v
}

// find returns a version of a rule if it is known.
func (s *ruleset) find(name string, number uint64) *version {
	if s == nil || s.rules[name] == nil || s.rules[name].Version != number {
		return nil
	}
	return s.rules[name]
}

// active says whether the rule is to be evaluated.
func (v *version) active() bool { return v.err == nil && !v.Archived && v.spec.Enabled }

// inOrder is the order in which rules are evaluated at an envelope: those first that
// may have been due before it, then the others, each by their names.
func inOrder(a, b *version) int {
	if a.spec.Waits() == b.spec.Waits() {
		return cmp.Compare(a.Name, b.Name)
	}
	if a.spec.Waits() {
		return -1
	}
	return 1
}
