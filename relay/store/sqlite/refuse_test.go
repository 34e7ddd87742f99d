package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// What cannot be opened safely is refused with the reason, and left as it is to
// the last byte, with its log if there is one.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	edit := func(at int64, bytes ...byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(bytes, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	content := func(data []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	statements := func(list ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) { t.Helper(); raw(t, path, list...) }
	}
	truncated := func(size int64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
	}
	// What is hurt: a database that was closed, and one with a log that holds
	// something more.
	whole := map[bool]string{false: place(t)}
	s := open(t, whole[false], sqlite.Options{})
	write(t, s, "notes", "a", string(make([]byte, 20_000)))
	shut(t, s)
	path := copyOf(t, whole[false])
	s = open(t, path, sqlite.Options{})
	write(t, s, "notes", "b")
	whole[true] = copyOf(t, path)
	shut(t, s)

	notOurs := func(t *testing.T, err error) { t.Helper(); is[*sqlite.NotOursError](t, err) }
	newer := func(t *testing.T, err error) { t.Helper(); is[*sqlite.NewerError](t, err) }
	schema := func(t *testing.T, err error) { t.Helper(); is[*sqlite.SchemaError](t, err) }
	damaged := func(t *testing.T, err error) { t.Helper(); is[*sqlite.DamagedFileError](t, err) }
	for _, c := range []struct {
		name  string
		hurt  func(*testing.T, string)
		want  func(*testing.T, error)
		alone bool // only without a log, which holds what is hurt
	}{
		{"no bytes at all", truncated(0), damaged, false},
		{"shorter than a header", truncated(50), damaged, false},
		{"only a header", truncated(100), damaged, false},
		{"cut in the first page", truncated(3000), damaged, false},
		{"only the first page", truncated(4096), damaged, false},
		{"its last page is missing", func(t *testing.T, path string) {
			t.Helper()
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			truncated(info.Size()-4096)(t, path)
		}, damaged, true},
		{"a text", content(bytes.Repeat([]byte("not a database "), 1000)), notOurs, false},
		{"zeros", content(make([]byte, 1<<16)), notOurs, false},
		{"another magic", edit(0, 'X'), notOurs, false},
		{"another program's", statements("PRAGMA application_id = 1"), notOurs, false},
		{"another program's, by its header alone", edit(68, 0, 0, 0, 0), notOurs, false},
		{"a later version", statements("PRAGMA user_version = 1000"), newer, false},
		{"a version that is no number of ours", statements("PRAGMA user_version = -1"), newer, false},
		{"an earlier version that was none", statements("PRAGMA user_version = 0"), schema, false},
		{"a trigger is missing", statements("DROP TRIGGER run_never_goes"), schema, false},
		{"a trigger is another one", statements("DROP TRIGGER run_never_goes",
			"CREATE TRIGGER run_never_goes BEFORE DELETE ON run WHEN 0 BEGIN SELECT 1; END"), schema, false},
		{"a trigger more", statements("CREATE TRIGGER more AFTER INSERT ON run BEGIN SELECT 1; END"), schema, false},
		{"a table is missing", statements("DROP TABLE batch"), schema, false},
		{"a table more", statements("CREATE TABLE more (x)"), schema, false},
		{"a column more", statements("ALTER TABLE batch ADD COLUMN more TEXT"), schema, false},
		{"an index more", statements("CREATE INDEX more ON run (count)"), schema, false},
		{"a view more", statements("CREATE VIEW more AS SELECT * FROM run"), schema, false},
		{"a schema that cannot be read", func(t *testing.T, path string) {
			t.Helper()
			edit(100, bytes.Repeat([]byte{0xff}, 200)...)(t, path)
		}, damaged, false},
		{"streams that cannot be read", func(t *testing.T, path string) {
			t.Helper()
			edit((root(t, path, "stream")-1)*4096, bytes.Repeat([]byte{0xff}, 200)...)(t, path)
		}, damaged, true},
		{"spaces that cannot be read", func(t *testing.T, path string) {
			t.Helper()
			table, index := root(t, path, "space"), root(t, path, "sqlite_autoindex_space_1")
			for _, page := range []int64{table, index} {
				edit((page-1)*4096, bytes.Repeat([]byte{0xff}, 200)...)(t, path)
			}
		}, damaged, false},
	} {
		for _, logged := range []bool{false, true} {
			if logged && c.alone {
				continue
			}
			t.Run(fmt.Sprintf("%s, logged %t", c.name, logged), func(t *testing.T) {
				t.Parallel()
				path := copyOf(t, whole[logged])
				c.hurt(t, path)
				before := hashes(t, path)
				for range 2 {
					s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
					if err == nil {
						shut(t, s)
						t.Fatal("it was opened")
					}
					c.want(t, err)
					r, err := sqlite.OpenReader(path)
					if err == nil {
						err = errors.Join(readEverything(t.Context(), r), r.Close())
					}
					if err == nil {
						t.Fatal("it was opened for reading, and read")
					}
				}
				if diff := cmp.Diff(before, hashes(t, path)); diff != "" {
					t.Errorf("it was changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// root returns the first page of a table.
func root(t *testing.T, path, table string) int64 {
	t.Helper()
	return number(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = '"+table+"'")
}

func readEverything(ctx context.Context, r *sqlite.Reader) error {
	_, err := r.Streams(ctx, store.Ref{}, 1000)
	return err
}

// A log without its file is all that is left of something: nothing is put in
// its place.
func TestOpenRefusesOrphanLog(t *testing.T) {
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	killed := copyOf(t, path)
	if err := os.Remove(killed); err != nil {
		t.Fatal(err)
	}
	before := hashes(t, killed)
	_, err := sqlite.Open(t.Context(), killed, sqlite.Options{})
	is[*sqlite.DamagedFileError](t, err)
	_, err = sqlite.OpenReader(killed)
	is[*sqlite.DamagedFileError](t, err)
	if diff := cmp.Diff(before, hashes(t, killed)); diff != "" {
		t.Errorf("something was changed (-before +after):\n%s", diff)
	}
}

// What cannot be read at all, or not made, is an error of the machine.
func TestOpenFails(t *testing.T) {
	if _, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{}); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(place(t), "deeper"), sqlite.Options{}); err == nil {
		t.Error("a database was made in a folder that is not there")
	}
	if _, err := sqlite.OpenReader(place(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading what is not there: %v", err)
	}
}

// A name is taken as it is, whatever a URI would make of it, and what a
// creation has left that was cut short is no hindrance.
func TestOpenNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hearth.db", "a b.db", "50%.db", "what?mode=memory", "a#b", "ü.db", "file:x", ":memory:"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path+".new", []byte("cut short"), 0o600); err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				s := open(t, path, sqlite.Options{})
				if w := write(t, s, "notes", "a"); w.Last != uint64(i+1) {
					t.Errorf("the batch is at %+v", w)
				}
				shut(t, s)
			}
			files, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(files) != 1 || files[0].Name() != name {
				t.Errorf("the files are %v, %v", files, err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("others may read it: %s", info.Mode())
			}
		})
	}
}
