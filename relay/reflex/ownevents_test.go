package reflex

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOwnEvents: the events of the relay's own that are described are those that
// it keeps from publishers.
func TestOwnEvents(t *testing.T) {
	if diff := cmp.Diff(owned, slices.Sorted(maps.Keys(OwnEvents()))); diff != "" {
		t.Errorf("(-kept +described)\n%s", diff)
	}
}
