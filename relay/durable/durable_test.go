package durable_test

import (
	"os"
	"path/filepath"
	"testing"

	"hearth/relay/durable"
)

// A folder is made with those above it, for its owner alone; one that is there
// stays as it is, and where a file is in the way nothing is made.
func TestMakeFolder(t *testing.T) {
	above := t.TempDir()
	path := filepath.Join(above, "a", "b", "c")
	for range 2 {
		if err := durable.MakeFolder(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(p); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
			t.Errorf("%s is %v, %v", p, info, err)
		}
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := durable.MakeFolder(path); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the mode of a folder that was there is %v, %v", info.Mode(), err)
	}
	file := filepath.Join(above, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.MakeFolder(filepath.Join(file, "folder")); err == nil {
		t.Error("a folder was made in a file")
	}
}

// A file is replaced whole, is its owner's alone, and nothing is left beside it.
func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	for _, content := range []string{"first, and longer", "second"} {
		if err := durable.WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Errorf("the file holds %q, %v", got, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	wantAlone(t, folder)
}

// A file that cannot be replaced stays as it is, and nothing is left beside it.
func TestWriteFileFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, nil); err == nil {
		t.Error("a folder was replaced by a file")
	}
	wantAlone(t, folder)
	if err := durable.WriteFile(filepath.Join(folder, "none", "file"), nil); err == nil {
		t.Error("a file was written to a folder that is not there")
	}
}

func wantAlone(t *testing.T, folder string) {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
}
