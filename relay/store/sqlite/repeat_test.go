package sqlite_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// Two batches may share the eight bytes that repeats are looked for by: only the
// entries themselves decide.
func TestRepeatKeysCollide(t *testing.T) {
	key := func(entry string) int64 {
		k := one(entry).Key()
		return int64(binary.BigEndian.Uint64(k[:8]))
	}
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "S\x01first")
	write(t, s, "notes", "S\x01second")
	shut(t, s)
	for _, entry := range []string{"S\x01second", "S\x01third"} {
		raw(t, path, fmt.Sprintf("INSERT INTO batch SELECT key, %d, 1 FROM stream", key(entry)))
	}
	// One that points to no entry at all.
	raw(t, path, fmt.Sprintf("INSERT INTO batch SELECT key, %d, 99 FROM stream", key("S\x01fourth")))
	s = open(t, path, sqlite.Options{})
	for i, c := range []struct {
		entry string
		at    uint64
		again bool
	}{
		{"S\x01first", 1, true},
		{"S\x01second", 2, true},
		{"S\x01third", 3, false},
		{"S\x01fourth", 4, false},
		{"S\x01third", 3, true},
		{"S\x01fourth", 4, true},
	} {
		if w := write(t, s, "notes", c.entry); w.First != c.at || w.Repeated != c.again {
			t.Errorf("%d: %q is at %+v", i, c.entry, w)
		}
	}
}

// A page that may hold nothing holds nothing; that is no damage.
func TestPageOfNothing(t *testing.T) {
	s := open(t, place(t), sqlite.Options{})
	write(t, s, "notes", "a")
	p, err := s.Page(t.Context(), store.Read{Ref: named("notes")})
	if err != nil || p.Count != 0 || p.Last != 0 || p.Head != 1 {
		t.Errorf("the page is %+v, %v", p, err)
	}
	write(t, s, "notes", "b")
}
