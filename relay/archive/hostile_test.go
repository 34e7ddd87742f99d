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

// Nor does a stream of events get in with what is none, which readers would be
// served as it is.
func TestHostileEvents(t *testing.T) {
	forge := func(data string, epoch uint32) error {
		s := store.Stream{
			Ref: store.Ref{Space: "default", Name: "orders"}, Kind: store.Events, Head: 1, Epoch: epoch, Bytes: uint64(len(data)),
			CreatedAt: time.UnixMilli(5), WrittenAt: time.UnixMilli(6),
		}
		s.Link = protocol.NewChain(0, protocol.Genesis(s.Identity)).Next(epoch, []byte(data))
		e := protocol.Entry{Seq: 1, Epoch: epoch, Link: s.Link, Data: []byte(data), EndsBatch: true}
		r := store.Run{First: 1, Count: 1, Bytes: len(data), WrittenAt: time.UnixMilli(6), Wire: e.Append(nil)}
		var out bytes.Buffer
		w, err := archive.NewWriter(&out, archive.Manifest{})
		if err = errors.Join(err, w.Stream(s), w.Run(r), w.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = read(&out)
		return err
	}
	good := string(event("orders", 1, "1", time.UnixMilli(6), `{"type":"said"}`))
	if err := forge(good, 0); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"no JSON at all":              "hello",
		"JSON of another form":        "{}",
		"another position":            strings.Replace(good, `"seq":1`, `"seq":2`, 1),
		"another stream":              strings.Replace(good, `"orders"`, `"order"`, 1),
		"no id":                       strings.Replace(good, `"id":"1"`, `"id":""`, 1),
		"a long id":                   strings.Replace(good, `"id":"1"`, `"id":"`+strings.Repeat("1", 257)+`"`, 1),
		"an id with NUL":              strings.Replace(good, `"id":"1"`, `"id":"\u0000"`, 1),
		"a chain without a name":      strings.Replace(good, `"correlation_id":"1"`, `"correlation_id":""`, 1),
		"an event that is no JSON":    strings.Replace(good, `{"type":"said"}`, `{"type":"said","a":}`, 1),
		"an event with blanks":        strings.Replace(good, `{"type":"said"}`, `{"type":"said", "a":1}`, 1),
		"a name that comes twice":     strings.Replace(good, `{"type":"said"}`, `{"type":"said","a":1,"a":2}`, 1),
		"a member behind the event":   strings.Replace(good, `{"type":"said"}`, `{"type":"said"},"more":{}`, 1),
		"bytes that are no UTF-8":     strings.Replace(good, `said`, "\xff", 1),
		"an actor that is no object":  strings.Replace(good, `{"kind":"user","id":"local"}`, `"local"`, 1),
		"an actor with blanks":        strings.Replace(good, `{"kind":"user",`, `{"kind": "user",`, 1),
		"a line break between events": strings.Replace(good, `"causation":null`, `"causation":{`+"\n"+`}`, 1),
	} {
		if err := forge(data, 0); err == nil {
			t.Errorf("%s is taken: %s", name, data)
		}
	}
	if err := forge(good, 1); err == nil {
		t.Error("an event in an epoch is taken")
	}
}

// Types and commands are what a relay could have put there, or the archive is none.
func TestHostileBeside(t *testing.T) {
	typ := store.Type{Space: "default", Name: "said", Schema: []byte("{}"), ChangedAt: time.UnixMilli(5)}
	command := store.Remembered{At: time.UnixMilli(5), Result: []byte(`{"outcome":{}}`)}
	s, r := one()
	for name, write := range map[string]func(w *archive.Writer, typ store.Type, c store.Remembered) error{
		"a space of another form": func(w *archive.Writer, typ store.Type, _ store.Remembered) error { typ.Space = "A"; return w.Type(typ) },
		"no name":                 func(w *archive.Writer, typ store.Type, _ store.Remembered) error { typ.Name = ""; return w.Type(typ) },
		"a long name": func(w *archive.Writer, typ store.Type, _ store.Remembered) error {
			typ.Name = strings.Repeat("n", store.MaxTypeName+1)
			return w.Type(typ)
		},
		"a name with a line break": func(w *archive.Writer, typ store.Type, _ store.Remembered) error {
			typ.Name = "a\nb"
			return w.Type(typ)
		},
		"a schema that is none": func(w *archive.Writer, typ store.Type, _ store.Remembered) error {
			typ.Schema = []byte("{")
			return w.Type(typ)
		},
		"a type that comes twice": func(w *archive.Writer, typ store.Type, _ store.Remembered) error {
			return errors.Join(w.Type(typ), w.Type(typ))
		},
		"a type behind a stream": func(w *archive.Writer, typ store.Type, _ store.Remembered) error {
			return errors.Join(w.Stream(s), w.Run(r), w.Type(typ))
		},
		"a result that is none": func(w *archive.Writer, _ store.Type, c store.Remembered) error {
			c.Result = []byte("1")
			return w.Command(c)
		},
		"no result": func(w *archive.Writer, _ store.Type, c store.Remembered) error { c.Result = nil; return w.Command(c) },
		"a long result": func(w *archive.Writer, _ store.Type, c store.Remembered) error {
			c.Result = []byte(`{"outcome":"` + strings.Repeat("x", store.MaxResult) + `"}`)
			return w.Command(c)
		},
		"a command of a distant time": func(w *archive.Writer, _ store.Type, c store.Remembered) error {
			c.At = time.UnixMilli(-1)
			return w.Command(c)
		},
		"a command behind a stream": func(w *archive.Writer, _ store.Type, c store.Remembered) error {
			return errors.Join(w.Stream(s), w.Run(r), w.Command(c))
		},
	} {
		var out bytes.Buffer
		w, err := archive.NewWriter(&out, archive.Manifest{})
		if err = errors.Join(err, write(w, typ, command), w.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := read(&out); err == nil {
			t.Errorf("%s is taken", name)
		}
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
