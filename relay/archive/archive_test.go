package archive_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hearth/relay/archive"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// made is what an archive is made of.
type made struct {
	Manifest archive.Manifest
	Files    []archive.File
	Types    []store.Type
	Commands []store.Remembered
	Streams  []store.Stream
	Runs     [][]store.Run // of each stream
	Carried  [][]store.Carried
	Spaces   []store.Carried
	Keyed    []uint64 // where sealed batches and events with given ids are
}

// draw makes something to archive.
func draw(t *rapid.T) made {
	m := made{Manifest: archive.Manifest{
		Made: time.UnixMilli(rapid.Int64Range(0, 1<<40).Draw(t, "made")).UTC(), Relay: rapid.String().Draw(t, "relay"),
	}}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		m.Files = append(m.Files, archive.File{
			Name: rapid.StringMatching(`[a-z.]{1,20}`).Draw(t, "file"), Data: rapid.SliceOf(rapid.Byte()).Draw(t, "data"),
		})
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé.]{1,20}`), 0, 2, rapid.ID).Draw(t, "types") {
		schema := []byte(rapid.SampledFrom([]string{"true", "{}", "{ \"type\": \"object\" }"}).Draw(t, "schema"))
		m.Types = append(m.Types, store.Type{Space: "default", Name: name, Schema: schema, ChangedAt: time.UnixMilli(8).UTC()})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "commands") {
		m.Commands = append(m.Commands, store.Remembered{
			Seq: uint64(i + 1), Key: [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "key")),
			At: time.UnixMilli(rapid.Int64Range(0, 1<<40).Draw(t, "at")).UTC(), Result: []byte(`{"outcome":{}}`),
		})
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,64}`), 0, 3, rapid.ID).Draw(t, "names") {
		stream, runs, keyed := drawStream(t, name)
		m.Streams, m.Runs, m.Keyed = append(m.Streams, stream), append(m.Runs, runs), append(m.Keyed, keyed...)
		m.Carried = append(m.Carried, drawCarried(t, stream))
	}
	m.Spaces = drawSpaces(t)
	return m
}

func drawStream(t *rapid.T, name string) (s store.Stream, runs []store.Run, keyed []uint64) {
	s = store.Stream{
		Ref: store.Ref{Space: "default", Name: name}, Kind: store.Kind(rapid.IntRange(0, 1).Draw(t, "kind")),
		Identity:  protocol.Identity(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "identity")),
		CreatedAt: time.UnixMilli(5).UTC(), WrittenAt: time.UnixMilli(6).UTC(),
	}
	chain := protocol.NewChain(0, protocol.Genesis(s.Identity))
	for range rapid.IntRange(1, 4).Draw(t, "batches") {
		count := rapid.IntRange(1, 5).Draw(t, "entries")
		seal := rapid.Bool().Draw(t, "sealed or given")
		if s.Kind == store.Entries {
			s.Epoch += rapid.Uint32Range(0, 2).Draw(t, "epoch")
			if seal {
				keyed = append(keyed, chain.Seq()+1)
			}
		}
		for i := range count {
			data := rapid.SliceOf(rapid.ByteRange(0, 9)).Draw(t, "data")
			switch {
			case s.Kind == store.Events:
				id := string(store.Mark{}.AppendID(nil, chain.Seq()+1))
				if seal {
					id = rapid.StringMatching(`["é\\a-z]{1,9}`).Draw(t, "id")
					keyed = append(keyed, chain.Seq()+1)
				}
				data = event(name, chain.Seq()+1, id, time.UnixMicro(int64(chain.Seq())), fmt.Sprintf(`{"type":"said","what":"%x"}`, data))
			case seal:
				data = append([]byte("S\x01"), data...)
			}
			if len(runs) == 0 || rapid.Bool().Draw(t, "a new run") {
				runs = append(runs, store.Run{
					First: chain.Seq() + 1, WrittenAt: time.UnixMilli(7).UTC(), Writer: rapid.StringMatching("[0-9a-f]{0,8}").Draw(t, "writer"),
				})
			}
			e := protocol.Entry{Epoch: s.Epoch, Data: data, EndsBatch: i == count-1}
			e.Link = chain.Next(e.Epoch, data)
			e.Seq = chain.Seq()
			r := &runs[len(runs)-1]
			r.Count, r.Bytes, r.Wire = r.Count+1, r.Bytes+len(data), e.Append(r.Wire)
			s.Bytes += uint64(len(data))
		}
	}
	s.Head, s.Link = chain.Seq(), chain.Link()
	return s, runs, keyed
}

// event is the envelope of an event.
func event(stream string, seq uint64, id string, ts time.Time, event string) []byte {
	origin := fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"user","id":"local"},"causation":null`, stream)
	quoted := store.AppendID(nil, id)
	return store.AppendEnvelope(nil, seq, quoted, store.AppendTime(nil, ts), origin, quoted, []byte(event))
}

// write makes the archive.
func (m made) write(t fataler) []byte {
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, m.Manifest)
	for _, f := range m.Files {
		err = errors.Join(err, w.File(f))
	}
	for _, typ := range m.Types {
		err = errors.Join(err, w.Type(typ))
	}
	for _, c := range m.Commands {
		err = errors.Join(err, w.Command(c))
	}
	for i, s := range m.Streams {
		err = errors.Join(err, w.Stream(s))
		for _, r := range m.Runs[i] {
			err = errors.Join(err, w.Run(r))
		}
		for _, c := range m.Carried[i] {
			err = errors.Join(err, w.Carried(c))
		}
	}
	for _, c := range m.Spaces {
		err = errors.Join(err, w.Carried(c))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type fataler interface{ Fatal(args ...any) }

// read takes an archive apart.
func read(in io.Reader) (m made, err error) {
	r, err := archive.NewReader(in)
	if err != nil {
		return m, err
	}
	m.Manifest = r.Manifest()
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return m, nil
		case err != nil:
			return m, err
		case record.File != nil:
			m.Files = append(m.Files, *record.File)
		case record.Type != nil:
			m.Types = append(m.Types, *record.Type)
		case record.Command != nil:
			m.Commands = append(m.Commands, *record.Command)
		case record.Stream != nil:
			m.Streams, m.Runs, m.Carried = append(m.Streams, *record.Stream), append(m.Runs, nil), append(m.Carried, nil)
		case record.Carried != nil && (record.Carried.Rule != nil || record.Carried.Schedule != nil):
			m.Spaces = append(m.Spaces, *record.Carried)
		case record.Carried != nil:
			m.Carried[len(m.Carried)-1] = append(m.Carried[len(m.Carried)-1], *record.Carried)
		default:
			run := *record.Run
			run.Wire = bytes.Clone(run.Wire)
			last := len(m.Runs) - 1
			m.Runs[last] = append(m.Runs[last], run)
			for _, b := range record.Keyed {
				m.Keyed = append(m.Keyed, b.First)
			}
		}
	}
}

// What goes into an archive comes out of it, to the last byte.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := draw(t)
		got, err := read(bytes.NewReader(want.write(t)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-in +out):\n%s", diff)
		}
	})
}

// An archive of the first version of the format is read for ever; types, commands and
// what rules have left have no place in one.
func TestEarlierFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := draw(t)
		data := want.write(t)
		data[14] = 1 // the version
		sum := sha256.Sum256(data[:len(data)-sha256.Size])
		copy(data[len(data)-sha256.Size:], sum[:])
		got, err := read(bytes.NewReader(data))
		if len(want.Types)+len(want.Commands)+len(want.Spaces)+len(slices.Concat(want.Carried...)) > 0 {
			if err == nil {
				t.Fatal("it holds what it cannot hold")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-in +out):\n%s", diff)
		}
	})
}

// Whatever happens to an archive on its way shows: a bit that turns over, an end
// that is missing, and something behind it.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := draw(t).write(t)
		hurt := bytes.Clone(whole)
		at := rapid.IntRange(0, len(whole)-1).Draw(t, "where")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			hurt[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			hurt = hurt[:at]
		case 2:
			hurt = append(hurt, hurt[:at+1]...)
		}
		_, err := read(bytes.NewReader(hurt))
		if _, ok := errors.AsType[*archive.DamagedError](err); !ok {
			t.Fatalf("damage at %d of %d: %v", at, len(whole), err)
		}
	})
}

// The error of a disk is not taken for damage.
func TestReadError(t *testing.T) {
	why := errors.New("the disk is gone")
	if _, err := read(io.MultiReader(bytes.NewReader(made{}.write(t)[:20]), failing{why})); !errors.Is(err, why) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzReader(f *testing.F) {
	f.Add(made{}.write(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := read(bytes.NewReader(data))
		if _, damaged := errors.AsType[*archive.DamagedError](err); err != nil && !damaged {
			t.Fatal(err)
		}
	})
}
