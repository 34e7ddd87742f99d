package relay_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay"
	"hearth/relay/archive"
	"hearth/relay/console"
	"hearth/relay/store"
)

func inDefault(name string) console.StreamRef {
	return console.StreamRef{Space: "default", Name: name}
}

type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func (h *home) exported(t fataler, names ...string) []byte {
	t.Helper()
	var refs []console.StreamRef
	for _, name := range names {
		refs = append(refs, inDefault(name))
	}
	var out bytes.Buffer
	if err := h.Archives().Export(context.Background(), &out, refs); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (h *home) imported(t fataler, file []byte) []console.Imported {
	t.Helper()
	streams, err := h.Archives().Import(context.Background(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return streams
}

// streamsOf is what of an archive does not depend on where and when it was made.
func streamsOf(file []byte) []byte {
	const magic, head, sum = 16, 1 + 4, 32
	return file[magic+head+int(binary.BigEndian.Uint32(file[magic+1:])) : len(file)-sum]
}

// drawBatches writes batches of every kind to a stream, in epochs that rise.
func drawBatches(t *rapid.T, h *home, name string, epoch *uint32) {
	for range rapid.IntRange(1, 5).Draw(t, "batches") {
		*epoch += rapid.Uint32Range(0, 2).Draw(t, "epoch")
		begins := rapid.SampledFrom([]string{"", "S\x01", "L\x01"}).Draw(t, "begins")
		var entries [][]byte
		for range rapid.IntRange(1, 4).Draw(t, "entries") {
			data := begins + fmt.Sprint(rapid.Uint64().Draw(t, "data"))
			size := rapid.SampledFrom([]int{1, 1, 3, 100_000}).Draw(t, "size")
			entries = append(entries, []byte(strings.Repeat(data, 1+size/20)))
		}
		if begins == "" && rapid.Bool().Draw(t, "empty") {
			entries = append(entries, []byte{})
		}
		body, err := cbor.Marshal(batchMessage{Epoch: *epoch, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		var written writtenMessage
		status, err := ask(h.client, http.MethodPost, h.url+"/v1/streams/"+name+"/entries", body, &written)
		if err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v", status, err)
		}
	}
}

// What is exported and imported is the same stream: identity, head, link, times
// and every cursor; exported again it is the same to the byte. Where a part of it
// is there already, the rest follows; where all is, nothing happens.
func TestThereAndBack(t *testing.T) {
	from, to, parts := open(t, t.TempDir()), open(t, t.TempDir()), open(t, t.TempDir())
	names := 0
	rapid.Check(t, func(t *rapid.T) {
		names++
		name, epoch := fmt.Sprint("stream-", names), uint32(0)
		drawBatches(t, from, name, &epoch)
		early := from.exported(t, name)
		drawBatches(t, from, name, &epoch)
		late := from.exported(t, name)
		want := from.stream(t, name)

		got := to.imported(t, late)
		if diff := cmp.Diff([]console.Imported{{StreamRef: inDefault(name), Archived: want.Head, Head: want.Head}}, got); diff != "" {
			t.Fatalf("imported (-want +got):\n%s", diff)
		}
		if !bytes.Equal(streamsOf(late), streamsOf(to.exported(t, name))) {
			t.Fatal("exported again it is another file")
		}
		before := parts.imported(t, early)[0].Head
		if got := parts.imported(t, late)[0]; got.Before != before || got.Head != want.Head {
			t.Fatalf("behind %d: %+v", before, got)
		}
		if got := parts.imported(t, early)[0]; got.Before != want.Head || got.Head != want.Head {
			t.Fatalf("the earlier part again: %+v", got)
		}
		for _, h := range []*home{to, parts} {
			got := h.stream(t, name)
			got.Hour, want.Hour = console.Hour{}, console.Hour{}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("the stream (-want +got):\n%s", diff)
			}
			seq := rapid.Uint64Range(1, want.Head).Draw(t, "cursor")
			entries, err := from.Console().Entries(context.Background(), inDefault(name), seq+1, 1)
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := h.Console().Check(context.Background(), inDefault(name), fmt.Sprintf("%d.%s.%s", seq, want.Identity, entries[0].Link))
			if err != nil || verdict.Answer != console.AnswerEntries || verdict.Behind != want.Head-seq {
				t.Fatalf("a cursor at %d: %+v, %v", seq, verdict, err)
			}
		}
	})
	for _, h := range []*home{to, parts} {
		v, err := h.Console().Verify(t.Context(), console.StreamRef{}, nil)
		if err != nil || !v.Sound() || v.Streams != names {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func (h *home) stream(t fataler, name string) console.Stream {
	t.Helper()
	s, err := h.Console().Stream(context.Background(), inDefault(name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An archive with a stream that is not the one here changes nothing, also not
// what else is in it, and the owner hears why and what to do.
func TestImportConflict(t *testing.T) {
	from := open(t, t.TempDir())
	from.append(t, "notes", 0, []byte("one"), []byte("two"))
	from.append(t, "others", 0, []byte("one"))
	early := from.exported(t, "notes")
	from.append(t, "notes", 0, []byte("here"))
	file := from.exported(t, "others", "notes")
	for name, test := range map[string]struct {
		prepare func(*home)
		why     string
	}{
		"another one": {func(h *home) { h.append(t, "notes", 0, []byte("one"), []byte("two")) }, "another one of that name"},
		"as far": {func(h *home) {
			h.imported(t, early)
			h.append(t, "notes", 0, []byte("there"))
		}, "differ at position 3 or before"},
		"further": {func(h *home) {
			h.imported(t, early)
			h.append(t, "notes", 0, []byte("there"), []byte("and more"))
		}, "differ at position 3 or before"},
	} {
		t.Run(name, func(t *testing.T) {
			to := open(t, t.TempDir())
			test.prepare(to)
			before := to.exported(t, "notes")
			_, err := to.Archives().Import(t.Context(), bytes.NewReader(file))
			refused, ok := errors.AsType[*console.ImportError](err)
			if !ok || !strings.Contains(refused.Reason, test.why) || refused.Todo == "" {
				t.Fatalf("the error is %v", err)
			}
			if !bytes.Equal(streamsOf(before), streamsOf(to.exported(t, "notes"))) {
				t.Error("the stream changed")
			}
			if _, err := to.Console().Stream(t.Context(), inDefault("others")); !errors.Is(err, console.ErrNotFound) {
				t.Errorf("another stream was imported: %v", err)
			}
		})
	}
}

// A head that lies within a batch of the archive is none that the stream ever had,
// though no link covers where batches end.
func TestImportTorn(t *testing.T) {
	from, to := open(t, t.TempDir()), open(t, t.TempDir())
	from.append(t, "notes", 0, []byte("one"), []byte("two"))
	to.imported(t, from.exported(t, "notes"))
	from.append(t, "notes", 0, []byte("three"))
	torn := endless(t, from.exported(t, "notes"), 2)
	if _, err := to.Archives().Import(t.Context(), bytes.NewReader(torn)); !isA[*console.ImportError](err) {
		t.Errorf("the error is %v", err)
	}
	if got := to.stream(t, "notes"); got.Head != 2 {
		t.Errorf("the stream is %+v", got)
	}
	empty := open(t, t.TempDir())
	if got := empty.imported(t, torn); got[0].Head != 3 { // it can have been written so
		t.Errorf("where there is none: %+v", got)
	}
}

// endless returns an archive in which no batch ends at a position.
func endless(t *testing.T, file []byte, seq uint64) []byte {
	t.Helper()
	r, err := archive.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, r.Manifest())
	for err == nil {
		var record archive.Record
		if record, err = r.Next(); err != nil {
			break
		}
		if record.Stream != nil {
			err = w.Stream(*record.Stream)
			continue
		}
		run := *record.Run
		run.Wire = nil
		for e, damage := range (store.Page{Wire: [][]byte{record.Run.Wire}}).All() {
			e.EndsBatch = e.EndsBatch && e.Seq != seq
			run.Wire, err = e.Append(run.Wire), errors.Join(err, damage)
		}
		err = errors.Join(err, w.Run(run))
	}
	if closing := w.Close(); !errors.Is(err, io.EOF) || closing != nil {
		t.Fatal(err, closing)
	}
	return out.Bytes()
}

// A file that is no whole archive changes nothing, is refused with the place of
// the fault, and leaves nothing in the data folder.
func TestImportHostile(t *testing.T) {
	from := open(t, t.TempDir())
	for i := range 5 {
		from.append(t, "notes", uint32(i), []byte("S\x01one"), bytes.Repeat([]byte("two"), 100))
	}
	file := from.exported(t, "notes")
	dir := t.TempDir()
	to := open(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		hurt := bytes.Clone(file)
		at := rapid.IntRange(16, len(file)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			hurt[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			hurt = hurt[:at]
		default:
			hurt = append(hurt, hurt[:at]...)
		}
		_, err := to.Archives().Import(context.Background(), bytes.NewReader(hurt))
		refused, ok := errors.AsType[*console.ImportError](err)
		if !ok || !strings.Contains(refused.Reason, "at byte ") || refused.Todo == "" {
			t.Fatalf("the error is %v", err)
		}
	})
	if _, err := to.Console().Stream(t.Context(), inDefault("notes")); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("the stream: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "import*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got := to.imported(t, file); got[0].Head != 10 {
		t.Errorf("the whole one: %+v", got)
	}
}

// What is not there is not exported, and neither is anything beside it; the data of
// a relay that does not run is exported like that of one that does.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	r, err := relay.Open(t.Context(), dir, relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, t.TempDir())
	h.append(t, "notes", 0, []byte("one"))
	file := h.exported(t, "notes")
	if _, err := r.Archives().Import(t.Context(), bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	both := []console.StreamRef{inDefault("notes"), inDefault("none")}
	if err := r.Archives().Export(t.Context(), &out, both); !errors.Is(err, console.ErrNotFound) || out.Len() > 0 {
		t.Errorf("%v, and %d bytes", err, out.Len())
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopped, err := relay.Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	err = stopped.Export(t.Context(), &out, both[:1])
	if err := errors.Join(err, stopped.Close()); err != nil || !bytes.Equal(streamsOf(file), streamsOf(out.Bytes())) {
		t.Errorf("of a stopped relay: %v, %d bytes", err, out.Len())
	}
}

// A backup is an archive of all streams; what else is in it is passed over, and an
// encrypted one is told as such.
func TestImportBackup(t *testing.T) {
	from, to, folder := open(t, t.TempDir()), open(t, t.TempDir()), t.TempDir()
	from.append(t, "notes", 0, []byte("one"))
	from.append(t, "tasks", 0, []byte("two"), []byte("three"))
	b, err := from.Console().BackUp(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(folder, b.Name))
	if err != nil {
		t.Fatal(err)
	}
	want := []console.Imported{
		{StreamRef: inDefault("notes"), Archived: 1, Head: 1}, {StreamRef: inDefault("tasks"), Archived: 2, Head: 2},
	}
	if diff := cmp.Diff(want, to.imported(t, file)); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	_, err = to.Archives().Import(t.Context(), strings.NewReader("age-encryption.org/v1\n-> X25519 "))
	if !isA[*console.ImportError](err) || !strings.Contains(err.Error(), "it is encrypted") {
		t.Errorf("an encrypted one: %v", err)
	}
}
