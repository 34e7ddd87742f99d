package reflexhttp

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever is served is described, and the other way round.
func TestOperationsAreRoutes(t *testing.T) {
	var served, described []string
	for _, r := range routes {
		for method := range maps.Keys(r.methods) {
			served = append(served, method+" /"+strings.Join(r.path, "/"))
		}
	}
	ids := make(map[string]bool)
	for _, o := range Operations() {
		described = append(described, o.Method+" "+o.Path)
		if ids[o.ID] {
			t.Errorf("two operations have the id %s", o.ID)
		}
		ids[o.ID] = true
		var named []string
		for _, p := range o.Parameters {
			if p.Path {
				named = append(named, "{"+p.Name+"}")
			}
		}
		inPath := slices.DeleteFunc(strings.Split(o.Path, "/"), func(segment string) bool { return !strings.HasPrefix(segment, "{") })
		if diff := cmp.Diff(inPath, named, cmp.Transformer("", slices.Clone[[]string])); len(inPath)+len(named) > 0 && diff != "" {
			t.Errorf("%s %s: the path's parameters (-path +described)\n%s", o.Method, o.Path, diff)
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("(-served +described)\n%s", diff)
	}
}
