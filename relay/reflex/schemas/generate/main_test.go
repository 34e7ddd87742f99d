package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilesAreCurrent: the files that are checked in are those that the types make
// now, and there are no others.
func TestFilesAreCurrent(t *testing.T) {
	t.Chdir("..")
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		have, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(string(have), string(want)); diff != "" {
			t.Errorf("%s is not what the types make; run make schemas (-file +types):\n%s", path, diff)
		}
	}
	there, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	made := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(path string) bool { return path == openAPIFile })
	if diff := cmp.Diff(made, there); diff != "" {
		t.Errorf("the files (-made +there):\n%s", diff)
	}
}
