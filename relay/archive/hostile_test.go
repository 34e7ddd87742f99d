package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"hearth/relay/archive"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// one returns a stream of one entry with its run.
func one() (store.Stream, store.Run) {
	s := store.Stream{Ref: store.Ref{Space: "default", Name: "notes"}, Head: 1, Bytes: 3, CreatedAt: time.UnixMilli(5), WrittenAt: time.UnixMilli(6)}
	s.Link = protocol.NewChain(0, protocol.Genesis(s.Identity)).Next(0, []byte("one"))
	e := protocol.Entry{Seq: 1, Link: s.Link, Data: []byte("one"), EndsBatch: true}
	return s, store.Run{First: 1, Count: 1, Bytes: 3, WrittenAt: time.UnixMilli(6), Wire: e.Append(nil)}
}

// Whoever makes an archive by hand, with a sum that is right, gets nothing into a
// relay that it could not have written: each fault is told with the place of the
// record that it is in.
func TestHostile(t *testing.T) {
	distant := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		forge func(s *store.Stream, r *store.Run)
		at    string // the kind of the record that is refused
	}{
		"a name that leads elsewhere": {func(s *store.Stream, _ *store.Run) { s.Name = "../notes" }, "S"},
		"a name with a line break":    {func(s *store.Stream, _ *store.Run) { s.Name = "notes\n" }, "S"},
		"a name that is too long":     {func(s *store.Stream, _ *store.Run) { s.Name = strings.Repeat("n", 65) }, "S"},
		"no name":                     {func(s *store.Stream, _ *store.Run) { s.Name = "" }, "S"},
		"a space of another form":     {func(s *store.Stream, _ *store.Run) { s.Space = "De fault" }, "S"},
		"an unknown kind":             {func(s *store.Stream, _ *store.Run) { s.Kind = 7 }, "S"},
		"no entries":                  {func(s *store.Stream, _ *store.Run) { s.Head = 0 }, "S"},
		"made before there was time":  {func(s *store.Stream, _ *store.Run) { s.CreatedAt = time.UnixMilli(-1) }, "S"},
		"a run of a distant time":     {func(_ *store.Stream, r *store.Run) { r.WrittenAt = distant }, "R"},
		"a run of a negative time":    {func(_ *store.Stream, r *store.Run) { r.WrittenAt = time.UnixMilli(-1) }, "R"},
		"a writer that is no text":    {func(_ *store.Stream, r *store.Run) { r.Writer = "\xff" }, "R"},
		"a run of nothing":            {func(_ *store.Stream, r *store.Run) { r.Count, r.Wire = 0, nil }, "R"},
		"a run of minus one entry":    {func(_ *store.Stream, r *store.Run) { r.Count = -1 }, "R"},
		"a run of too many entries":   {func(_ *store.Stream, r *store.Run) { r.Count = 1 << 62 }, "R"},
		"a run of too many bytes":     {func(_ *store.Stream, r *store.Run) { r.Bytes = 1 << 62 }, "R"},
		"a run that begins elsewhere": {func(_ *store.Stream, r *store.Run) { r.First = 2 }, "R"},
		"a run with something behind": {func(_ *store.Stream, r *store.Run) { r.Wire = append(r.Wire, 0) }, "R"},
		"another identity":            {func(s *store.Stream, _ *store.Run) { s.Identity[0]++ }, "R"},
		"a head that is not reached":  {func(s *store.Stream, _ *store.Run) { s.Head = 2 }, "E"},
		"another epoch than its last": {func(s *store.Stream, _ *store.Run) { s.Epoch = 1 }, "E"},
		"another number of bytes":     {func(s *store.Stream, _ *store.Run) { s.Bytes = 4 }, "E"},
		"another link than its last":  {func(s *store.Stream, _ *store.Run) { s.Link[0]++ }, "E"},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := one()
			test.forge(&s, &r)
			var out bytes.Buffer
			w, err := archive.NewWriter(&out, archive.Manifest{})
			if err = errors.Join(err, w.Stream(s), w.Run(r), w.Close()); err != nil {
				t.Fatal(err)
			}
			_, err = read(bytes.NewReader(out.Bytes()))
			damaged, ok := errors.AsType[*archive.DamagedError](err)
			if !ok {
				t.Fatalf("the error is %v", err)
			}
			if at := string(out.Bytes()[damaged.Offset]); at != test.at {
				t.Errorf("it is refused at a record %q, not %q: %v", at, test.at, err)
			}
		})
	}
}

// What is right by itself may be in the wrong place, or there twice.
func TestOutOfOrder(t *testing.T) {
	s, r := one()
	for name, write := range map[string]func(w *archive.Writer) error{
		"a run of no stream":     func(w *archive.Writer) error { return w.Run(r) },
		"a stream without runs":  func(w *archive.Writer) error { return w.Stream(s) },
		"a run that comes twice": func(w *archive.Writer) error { return errors.Join(w.Stream(s), w.Run(r), w.Run(r)) },
		"a stream that comes twice": func(w *archive.Writer) error {
			return errors.Join(w.Stream(s), w.Run(r), w.Stream(s), w.Run(r))
		},
		"a file behind a stream": func(w *archive.Writer) error {
			return errors.Join(w.Stream(s), w.Run(r), w.File(archive.File{Name: "identity.pem"}))
		},
	} {
		var out bytes.Buffer
		w, err := archive.NewWriter(&out, archive.Manifest{})
		if err = errors.Join(err, write(w), w.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := read(bytes.NewReader(out.Bytes())); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, archive.Manifest{})
	if err = errors.Join(err, w.Stream(s), w.Run(r), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := read(&out); err != nil {
		t.Errorf("a good one: %v", err)
	}
}
