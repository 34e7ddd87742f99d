//go:build unix

package relay_test

import (
	"bytes"
	"context"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/console"
)

// importKills is how often an import is killed: often enough to meet it while it
// proves the archive, takes in each stream, and folds the log.
const importKills = 8

// An import that is killed leaves each stream whole or as it was, whatever it had
// written already, and the same import goes on.
func TestKillImport(t *testing.T) {
	from := open(t, t.TempDir())
	from.append(t, "known", 0, []byte("one"))
	early := from.exported(t, "known")
	for _, name := range []string{"first", "known", "last"} {
		for n := range 3 { // each more than a turn of the writer
			from.append(t, name, 1, append([]byte{'S', 1, byte(n)}, make([]byte, 2<<20)...))
		}
	}
	file := from.exported(t, "first", "known", "last")
	path := filepath.Join(t.TempDir(), "all.hearth")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	// One comes to its end, and says how long that takes.
	began := time.Now()
	if !killAfter(t, time.Hour, "import", path, t.TempDir()) {
		t.Fatal("the import does not end")
	}
	took := time.Since(began)
	for range importKills {
		dir := t.TempDir()
		takeInAt(t, dir, early)
		killAfter(t, time.Duration(mathrand.Int64N(int64(took))), "import", path, dir)
		checkTakenIn(t, dir, from, file)
	}
}

// takeInAt imports an archive into a data folder.
func takeInAt(t *testing.T, dir string, file []byte) {
	t.Helper()
	r, err := relay.Open(t.Context(), dir, relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Archives().Import(t.Context(), bytes.NewReader(file))
	if err := errors.Join(err, r.Shutdown(context.Background())); err != nil {
		t.Fatal(err)
	}
}

// checkTakenIn holds what a killed import left to its word, and lets another one
// finish it.
func checkTakenIn(t *testing.T, dir string, from *home, file []byte) {
	t.Helper()
	r, err := relay.Open(t.Context(), dir, relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{"first", "known", "last"} {
		whole := from.stream(t, name)
		s, err := r.Console().Stream(t.Context(), inDefault(name))
		missing := errors.Is(err, console.ErrNotFound) && name != "known"
		if !missing && (err != nil || s.Head != whole.Head && (name != "known" || s.Head != 1)) {
			t.Errorf("%s is at %d, %v", name, s.Head, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "import.part")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the spool: %v", err)
	}
	v, err := r.Console().Verify(t.Context(), console.StreamRef{}, nil)
	if err != nil || !v.Sound() {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := r.Archives().Import(t.Context(), bytes.NewReader(file)); err != nil {
		t.Error(err)
	}
	v, err = r.Console().Verify(t.Context(), console.StreamRef{}, nil)
	if err != nil || !v.Sound() || v.Entries != 10 {
		t.Errorf("%+v, %v", v, err)
	}
}
