package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/console/render"
	"hearth/relay/protocol"
)

// openDetail shows the first stream in detail.
func openDetail(s *scene) *detail {
	s.t.Helper()
	s.look()
	s.window.streams.list.choose(0)
	s.settle()
	return s.window.streams.detail
}

// Entries that were written together are joined by a line at their side, and
// others are not.
func TestBatchesAreJoined(t *testing.T) {
	s := openScene(t)
	s.write("notes", "1")
	s.write("notes", "2", "3", "4")
	s.write("notes", "5", "6")
	d := openDetail(s)
	var got []bond
	for i := range 6 {
		got = append(got, (*entryRows)(d).row(i).bond)
	}
	want := []bond{
		{below: true},
		{above: true},
		{below: true},
		{above: true, below: true},
		{above: true},
		{},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(bond{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for position, want := range map[uint64]string{1: "a batch of its own", 3: "batch 2–4", 6: "batch 5–6"} {
		d.entries.choose(int(6 - position))
		s.settle()
		reads(t, d.pane.content, want)
	}
}

// An entry is first shown as what it is; the way that the person chose stays as
// long as there is one like it.
func TestEntryIsReadAsWhatItIs(t *testing.T) {
	s := openScene(t)
	s.write("notes", `{"list":["milk","bread"]}`, "\xa2\x01\x02\x03\x04", "plain text", "\x00\xff sealed", "")
	d := openDetail(s)
	for position, want := range map[uint64][]render.Kind{
		1: {render.KindJSON, kindHex}, 2: {render.KindCBOR, kindHex}, 3: {render.KindText, kindHex}, 4: {kindHex}, 5: {kindHex},
	} {
		d.entries.choose(int(5 - position))
		s.settle()
		if diff := cmp.Diff(want, d.pane.readout.kinds()); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", position, diff)
		}
		if d.pane.readout.kind != want[0] {
			t.Errorf("entry %d is shown as %s", position, d.pane.readout.kind)
		}
	}
	d.entries.choose(4)
	s.settle()
	if got, want := d.pane.readout.lines, []string{"{", `  "list": [`, `    "milk",`, `    "bread"`, "  ]", "}"}; !slices.Equal(got, want) {
		t.Errorf("the JSON is %q", got)
	}
	test.Tap(d.pane.tabs[1])
	d.entries.choose(2)
	s.settle()
	if d.pane.readout.kind != kindHex {
		t.Errorf("after the dump was chosen, the next entry is shown as %s", d.pane.readout.kind)
	}
	d.entries.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if d.pane.content.Visible() || (*entryRows)(d).chosen() != -1 {
		t.Error("the entry is still open")
	}
}

// An entry is saved whole, however much of it is shown.
func TestEntryIsSavedWhole(t *testing.T) {
	s := openScene(t)
	whole := strings.Repeat("0123456789", 20_000)
	s.write("notes", whole)
	d := openDetail(s)
	d.entries.choose(0)
	s.settle()
	reads(t, d.pane.content, "the beginning of 200 kB")
	test.Tap(d.pane.save.Button)
	reads(t, s.canvas.Overlays().Top(), "Save")
	s.canvas.Overlays().Top().Hide()
	path := filepath.Join(t.TempDir(), fileName(d.stream.Name, 1, d.pane.readout.kind))
	file, err := storage.Writer(storage.NewFileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	d.pane.save.to(file, saved{ref: d.stream.StreamRef, position: 1})
	s.settle()
	reads(t, d.pane.content, "Saved as notes-1.txt, 200,000 bytes.")
	if got, err := os.ReadFile(path); err != nil || string(got) != whole {
		t.Errorf("%d bytes are saved, %v", len(got), err)
	}

	file, err = storage.Writer(storage.NewFileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	d.pane.save.to(file, saved{ref: d.stream.StreamRef, position: 2}) // which does not exist
	s.settle()
	reads(t, d.pane.content, "not saved")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("half a file is left: %v", err)
	}
}

// The file's name is one on every system.
func TestFileName(t *testing.T) {
	for _, test := range []struct {
		stream string
		kind   render.Kind
		want   string
	}{
		{"notes", render.KindJSON, "notes-7.json"},
		{"..a/b:c", kindHex, "a-b-c-7.bin"},
	} {
		if got := fileName(test.stream, 7, test.kind); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// The detail names the newest epochs with their positions, and all of them when
// asked.
func TestEpochs(t *testing.T) {
	s := openScene(t)
	for epoch := range uint32(4) {
		s.post("notes", protocol.Batch{Epoch: epoch + 1, Entries: protocol.NewEntries([]byte("a"), []byte("b"))}.Append(nil))
	}
	d := openDetail(s)
	reads(t, d.content, "4 from 7 · 3 from 5")
	if !d.epochs.all.Visible() {
		t.Error("there is no way to the others")
	}
	test.Tap(d.epochs.all)
	s.settle()
	reads(t, s.canvas.Overlays().Top(), "Epochs of notes", "From position on")
	s.window.escape()
	if s.canvas.Overlays().Top() != nil {
		t.Error("escape leaves them open")
	}
	rows := &epochRows{starts: []console.EpochStart{{Epoch: 4, Position: 7}, {Epoch: 1, Position: 1}}, head: 8}
	if diff := cmp.Diff([]string{"1", "1", "6"}, rows.row(1).cells); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.post("notes", protocol.Batch{Epoch: 9, Entries: protocol.NewEntries([]byte("a"))}.Append(nil))
	s.look()
	reads(t, d.content, "9 from 9 · 4 from 7")
}

// A cursor that is pasted gets each of the four answers, and what is none is
// told as that.
func TestIsItMine(t *testing.T) {
	s := openScene(t)
	s.write("calendar", "a")
	s.write("notes", "a", "b")
	s.look()
	v := s.window.streams
	v.list.choose(1)
	s.settle()
	notes, calendar := v.all[1], v.all[0]
	entries, err := s.window.shell.console.Entries(t.Context(), notes.StreamRef, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	older := notes
	older.Head, older.Link = 1, entries[0].Link
	ahead := notes
	ahead.Head = 5
	diverged := notes
	diverged.Link = older.Link
	m := newMine(s.window.shell, notes, v.named)
	v.detail.asking = m.ask(v.detail.content)
	for _, test := range []struct {
		pasted string
		want   []string
	}{
		{cursor(notes), []string{"Yes", "everything", "entries"}},
		{"  " + cursor(older) + "\n", []string{"Yes", "go on", "1 of them"}},
		{cursor(ahead), []string{"missing here", "position 5", "cursor_ahead"}},
		{cursor(diverged), []string{"parted", "cursor_diverged"}},
		{cursor(calendar), []string{"No", "“calendar”", "stream_replaced"}},
		{"5.nonsense", []string{"No answer", "cursor"}},
	} {
		m.cursor.SetText(test.pasted)
		s.settle()
		reads(t, m.content, test.want...)
	}
	m.cursor.SetText("")
	s.settle()
	if m.answered.Visible() {
		t.Error("an empty field has an answer")
	}
	m.cursor.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.canvas.Overlays().Top() != nil {
		t.Error("escape leaves the dialog open")
	}
}

// In a low window the facts about a stream make room for an open entry, and come
// back when it is closed.
func TestFactsMakeRoom(t *testing.T) {
	s := openScene(t)
	s.write("notes", strings.Repeat("a", 500))
	d := openDetail(s)
	d.content.Resize(d.content.Size().SubtractWidthHeight(0, d.content.Size().Height-450))
	if d.facts.Hidden {
		t.Error("the facts are gone without need")
	}
	d.entries.choose(0)
	s.settle()
	if !d.facts.Hidden || d.pane.lines.Size().Height < 50 {
		t.Errorf("the facts are there: %v; the entry has %v", !d.facts.Hidden, d.pane.lines.Size())
	}
	d.pane.close()
	if d.facts.Hidden {
		t.Error("the facts are not back")
	}
}
