package reflex

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOwnEvents: the events of the relay's own that are described are those that
// it keeps from publishers.
func TestOwnEvents(t *testing.T) {
	var types []string
	for _, e := range OwnEvents() {
		types = append(types, e.EventType())
	}
	slices.Sort(types)
	if diff := cmp.Diff(owned, types); diff != "" {
		t.Errorf("(-kept +described)\n%s", diff)
	}
}
