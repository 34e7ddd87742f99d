package sqlite_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// place returns where a new database may be made.
func place(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "hearth.db")
}

// open opens a store, and closes it when the test is over.
func open(t testing.TB, path string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, s) })
	return s
}

func shut(t testing.TB, s *sqlite.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func named(name string) store.Ref { return store.Ref{Space: "default", Name: name} }

// write appends entries as one batch, which must be taken.
func write(t testing.TB, s store.Store, name string, entries ...string) store.Written {
	t.Helper()
	w, err := try(t, s, name, entries...)
	if err != nil {
		t.Fatalf("appending to %s: %v", name, err)
	}
	return w
}

func try(t testing.TB, s store.Store, name string, entries ...string) (store.Written, error) {
	t.Helper()
	data := make([][]byte, len(entries))
	for i, e := range entries {
		data[i] = []byte(e)
	}
	return s.Append(t.Context(), store.Append{
		Ref: named(name), Batch: protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)},
	})
}

// read returns the entries of a stream, after its chain was checked.
func read(t testing.TB, s store.Store, name string) []string {
	t.Helper()
	list, err := tryRead(t, s, name)
	if err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
	return list
}

func tryRead(t testing.TB, s store.Store, name string) ([]string, error) {
	t.Helper()
	p, err := s.Page(t.Context(), store.Read{Ref: named(name), Entries: 1 << 30, Bytes: 1 << 30})
	if err != nil {
		return nil, err
	}
	chain := protocol.NewChain(0, protocol.Genesis(p.Stream))
	var list []string
	for e, err := range p.All() {
		if err != nil {
			t.Fatal(err)
		}
		if link := chain.Next(e.Epoch, e.Data); e.Link != link || e.Seq != chain.Seq() {
			t.Fatalf("entry %d of %s is not in the chain", e.Seq, name)
		}
		list = append(list, string(e.Data))
	}
	return list, nil
}

// is checks the type of an error.
func is[E error](t testing.TB, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got the error %v, want a %T", err, e)
	}
	return e
}

// raw runs statements on a database behind the store's back.
func raw(t testing.TB, path string, statements ...string) {
	t.Helper()
	conn, err := driver.OpenConn(path, driver.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range statements {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// without runs statements on a database whose trigger does not hinder them, and
// puts it back.
func without(t testing.TB, path, trigger string, statements ...string) {
	t.Helper()
	conn, err := driver.OpenConn(path, driver.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text, err := sqlitex.ResultText(conn.Prep("SELECT sql FROM sqlite_schema WHERE name = '" + trigger + "'"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(append([]string{"DROP TRIGGER " + trigger}, statements...), text) {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// number reads one number from a database, beside a store that has it open.
func number(t testing.TB, path, query string) int64 {
	t.Helper()
	conn, err := driver.OpenConn(path, driver.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n, err := sqlitex.ResultInt64(conn.Prep(query))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// copyOf copies a database with its log, as they are, to a new place, as if the
// process that has them open were killed now.
func copyOf(t testing.TB, path string) string {
	t.Helper()
	to := place(t)
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}

// hashes returns the hash of each file beside a database, but for the index of
// its log, which holds nothing.
func hashes(t testing.TB, path string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]string)
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "-shm") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		sums[f.Name()] = hex.EncodeToString(sum[:])
	}
	return sums
}
