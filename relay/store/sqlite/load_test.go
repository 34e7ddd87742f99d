package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// load copies all streams of a store into a new one, the last of them only in
// part if it is to be broken off, and returns where that is.
func load(t *testing.T, s *sqlite.Store, brokenOff bool) string {
	t.Helper()
	path := place(t)
	l, err := sqlite.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := s.Streams(t.Context(), store.Ref{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, stream := range streams {
		walk := store.NewWalk(stream.Ref, stream.Kind, stream.Identity)
		err := l.Stream(stream)
		for err == nil && walk.Seq() < stream.Head {
			var runs []store.Run
			if runs, err = s.Runs(t.Context(), stream.Ref, walk.Seq(), stream.Head); err != nil {
				break
			}
			for _, r := range runs {
				part, damage := walk.Take([]store.Run{r})
				err = errors.Join(err, damage, l.Run(r, part.Keyed))
			}
		}
		if err == nil && (!brokenOff || i < len(streams)-1) {
			err = l.End(stream)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// A copy is the same to the last byte, keeps its promises, and goes on like what
// it was copied from; repeats are told in it too.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := open(t, checked(t), sqlite.Options{})
	for _, name := range []string{"hurt", "well", "large"} {
		for range 3 {
			if _, err := s.Append(t.Context(), store.Append{Ref: named(name), Batch: sealedBatch(40, 10_000), Writer: "me"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := store.Append{Ref: named("large"), Batch: sealedBatch(2, 99)}
	first, err := s.Append(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	copied := open(t, load(t, s, false), sqlite.Options{})
	if v := verified(t, copied, store.Verify{}); !v.Sound() || !v.Whole {
		t.Errorf("the copy: %+v", v)
	}
	want, err := s.Streams(t.Context(), store.Ref{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := copied.Streams(t.Context(), store.Ref{}, 100)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-original +copy):\n%s", err, diff)
	}
	for _, stream := range want {
		a, err := s.Back(t.Context(), stream.Ref, 0, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		b, err := copied.Back(t.Context(), stream.Ref, 0, 10_000)
		whole := cmp.Comparer(bytes.Equal) // cmp would look at each byte
		if diff := cmp.Diff(a, b, whole); err != nil || diff != "" {
			t.Errorf("%s: %v (-original +copy):\n%s", stream.Name, err, diff)
		}
	}
	first.Repeated = true
	if w, err := copied.Append(t.Context(), again); err != nil || w != first {
		t.Errorf("a repeat is %+v, %v", w, err)
	}
	if w := write(t, copied, "hurt", "more"); w.First != 127 {
		t.Errorf("it goes on at %+v", w)
	}
}

// What a copy that broke off has left of a stream is not there.
func TestLoadBrokenOff(t *testing.T) {
	t.Parallel()
	s := open(t, checked(t), sqlite.Options{})
	path := load(t, s, true)
	copied := open(t, path, sqlite.Options{})
	_, err := copied.Stream(t.Context(), named("zero"))
	is[*store.NotFoundError](t, err)
	if v := verified(t, copied, store.Verify{}); !v.Sound() || v.Streams != 2 {
		t.Errorf("the copy: %+v", v)
	}
	if _, err := sqlite.Load(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over what is there: %v", err)
	}
}
