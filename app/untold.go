package main

import (
	"fmt"
	"slices"
	"strings"

	"hearth/relay/console"
	"hearth/relay/reflex"
)

// checkUntold checks the kinds of happenings that are not to be told on _relay.
func checkUntold(kinds []console.Happening) error {
	for _, kind := range kinds {
		if !slices.Contains(console.Happenings(), kind) {
			return fmt.Errorf("no kind of happenings is called %.40q; there are %s", kind, listed(console.Happenings()))
		}
	}
	return nil
}

// happenings returns the kinds of happenings that are told.
func (s settings) happenings() (told []reflex.HappeningKind) {
	for _, kind := range reflex.HappeningKinds() {
		if !slices.Contains(s.values().Untold.Value, console.Happening(kind)) {
			told = append(told, kind)
		}
	}
	return told
}

// untoldSummary says what a change changed.
func untoldSummary(kinds []console.Happening) string {
	switch len(kinds) {
	case 0:
		return "Everything that happens on the relay is told on _relay."
	case len(console.Happenings()):
		return "Nothing is told on _relay any more."
	default:
		return "On _relay all is told but " + listed(kinds) + "."
	}
}

// listed puts commas between names.
func listed[T ~string](names []T) string {
	texts := make([]string, 0, len(names))
	for _, name := range names {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ", ")
}
