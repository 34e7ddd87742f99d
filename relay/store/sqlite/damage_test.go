package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// marked makes a store with a stream "hurt" of several runs and others beside
// it, and returns where it is.
func marked(t *testing.T) string {
	t.Helper()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "well", "a")
	for run := range 4 {
		// Entries that are easy to find in the file.
		write(t, s, "hurt", fmt.Sprint("mark ", run), fmt.Sprint("next ", run), strings.Repeat("z", 20_000))
	}
	write(t, s, "well", "b")
	shut(t, s)
	return path
}

const (
	hurtRun = "id = (SELECT key FROM stream WHERE name = 'hurt') << 38 | " // and the first position
	newest  = hurtRun + "10"
	middle  = hurtRun + "4"
)

// A stream with damage to its newest run answers with that at once and to
// everything, also to those who write; other streams go on.
func TestDamagedEnd(t *testing.T) {
	t.Parallel()
	whole := marked(t)
	for name, hurt := range map[string]func(t *testing.T, path string){
		"cut": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = substr(body, 1, length(body) - 3) WHERE "+newest)
		},
		"longer": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = CAST(body || x'00' AS BLOB) WHERE "+newest)
		},
		"another count": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET count = 2 WHERE "+newest)
		},
		"a larger count": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET count = 4 WHERE "+newest)
		},
		"another stream's run": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = (SELECT body FROM run LIMIT 1) WHERE "+newest)
		},
		"an older run": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = (SELECT body FROM run WHERE "+middle+") WHERE "+newest)
		},
		"no bytes": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = x'' WHERE "+newest)
		},
		"missing": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_goes", "DELETE FROM run WHERE "+newest)
		},
		"another link at the head": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "stream_only_grows", "UPDATE stream SET link = zeroblob(32) WHERE name = 'hurt'")
		},
		"a head that is behind": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "stream_only_grows", "UPDATE stream SET head = 11 WHERE name = 'hurt'")
		},
		"a byte in the file": func(t *testing.T, path string) {
			t.Helper()
			flip(t, path, "next 3", -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, whole)
			hurt(t, path)
			s := open(t, path, sqlite.Options{})
			stream, err := s.Stream(t.Context(), named("hurt"))
			if err != nil {
				t.Fatal(err)
			}
			if damage := is[*store.DamagedError](t, stream.Damage); damage.Ref != named("hurt") || damage.Seq == 0 || damage.Reason == "" {
				t.Errorf("the damage is told as %+v", damage)
			}
			damagedAlone(t, s)
		})
	}
}

// Damage to an older run is told once somebody comes upon it, and stays told.
func TestDamagedMiddle(t *testing.T) {
	t.Parallel()
	whole := marked(t)
	for name, hurt := range map[string]func(t *testing.T, path string){
		"cut": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = substr(body, 1, length(body) - 3) WHERE "+middle)
		},
		"fewer entries": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET count = 2 WHERE "+middle)
		},
		"another run": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_changes", "UPDATE run SET body = (SELECT body FROM run LIMIT 1) WHERE "+middle)
		},
		"missing": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_goes", "DELETE FROM run WHERE "+middle)
		},
		"the first is missing": func(t *testing.T, path string) {
			t.Helper()
			without(t, path, "run_never_goes", "DELETE FROM run WHERE "+hurtRun+"1")
		},
		"a byte in the file": func(t *testing.T, path string) {
			t.Helper()
			flip(t, path, "next 1", -1)
		},
	} {
		for way, notice := range map[string]func(s *sqlite.Store) error{
			"a page": func(s *sqlite.Store) error {
				_, err := tryRead(t, s, "hurt")
				return err
			},
			"backwards": func(s *sqlite.Store) error {
				_, err := s.Back(t.Context(), named("hurt"), 0, 100)
				return err
			},
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				path := copyOf(t, whole)
				hurt(t, path)
				s := open(t, path, sqlite.Options{})
				write(t, s, "hurt", "before it is noticed")
				is[*store.DamagedError](t, notice(s))
				damagedAlone(t, s)
			})
		}
	}
}

// damagedAlone checks that the stream "hurt" answers nothing and the others do.
func damagedAlone(t *testing.T, s *sqlite.Store) {
	t.Helper()
	_, err := try(t, s, "hurt", "more")
	is[*store.DamagedError](t, err)
	_, err = tryRead(t, s, "hurt")
	is[*store.DamagedError](t, err)
	_, err = s.Back(t.Context(), named("hurt"), 0, 1)
	is[*store.DamagedError](t, err)
	_, err = s.Record(t.Context(), named("hurt"), 1)
	is[*store.DamagedError](t, err)
	// A stranger's cursor is no reason to say anything else.
	_, err = s.Page(t.Context(), store.Read{Ref: named("hurt"), After: &protocol.Cursor{Stream: protocol.Identity{1}}, Entries: 1, Bytes: 1})
	is[*store.DamagedError](t, err)

	write(t, s, "well", "c")
	write(t, s, "new", "d")
	if got := strings.Join(read(t, s, "well"), ""); got != "abc" {
		t.Errorf("the stream beside it holds %q", got)
	}
	list, err := s.Streams(t.Context(), store.Ref{}, 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("the streams are %+v, %v", list, err)
	}
	for _, stream := range list {
		if damaged := stream.Damage != nil; damaged != (stream.Name == "hurt") {
			t.Errorf("%s is damaged: %v", stream.Name, stream.Damage)
		}
	}
	if damaged := s.Damaged(); len(damaged) != 1 || damaged[0].Ref != named("hurt") {
		t.Errorf("the damage is %+v", damaged)
	}
}

// flip turns the bits of a byte in a file, so far from a text that it holds once.
func flip(t *testing.T, path, text string, offset int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(text)); n != 1 {
		t.Fatalf("%q is in the file %d times", text, n)
	}
	data[bytes.Index(data, []byte(text))+offset] ^= 0xff
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
