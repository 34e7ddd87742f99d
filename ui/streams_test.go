package ui

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
	"hearth/relay/protocol"
)

// Without streams the screen says what to do next; with the first write it
// lists the stream.
func TestStreamsBeginEmpty(t *testing.T) {
	s := openScene(t)
	s.window.streams.reachable("http://127.0.0.1:2451")
	s.look()
	reads(t, s.window.content, "No streams yet", "http://127.0.0.1:2451", "0 streams")
	s.write("notes", "one", "two")
	s.look()
	reads(t, s.window.content, "notes", "just now", "Select a stream", "1 stream", "2 entries")
	readsNot(t, s.window.content, "No streams yet")
}

// Choosing a stream shows what it is and its entries, newest first; choosing an
// entry shows its bytes.
func TestStreamInDetail(t *testing.T) {
	s := openScene(t)
	s.write("calendar", "x")
	s.write("notes", "first", strings.Repeat("b", 1200), "third")
	s.look()
	v := s.window.streams
	v.list.choose(1)
	s.settle()
	stream := v.detail.stream
	reads(t, v.detail.content, "notes", stream.Identity, "link "+stream.Link[:12], "1.2 kB", "5 B")
	if got := texts(v.detail.content); strings.Index(got, "\n3\n") > strings.Index(got, "\n1\n") {
		t.Errorf("the newest entry is not first:\n%s", got)
	}

	if _, err := protocol.ParseCursor(cursor(stream)); err != nil {
		t.Errorf("the cursor %q is not one: %v", cursor(stream), err)
	}
	v.detail.entries.choose(2)
	s.settle()
	reads(t, v.detail.content, "Entry 1 · 5 bytes", "batch 1–3 · no key")
	if got := v.detail.pane.readout.row(0).cells[0]; got != "first" {
		t.Errorf("a text is shown as %q", got)
	}
	test.Tap(v.detail.pane.tabs[1])
	reads(t, v.detail.content, "0000 66 69 72 73 74 first")
}

// Copy buttons put the whole on the clipboard, however short it is shown.
func TestCopy(t *testing.T) {
	s := openScene(t)
	s.write("notes", "first")
	s.look()
	s.window.streams.list.choose(0)
	s.settle()
	stream := s.window.streams.detail.stream
	b := newCopyButton("", func() string { return cursor(stream) })
	test.Tap(b.Button)
	if got, want := fyne.CurrentApp().Clipboard().Content(), cursor(stream); got != want {
		t.Errorf("the clipboard has %q, want %q", got, want)
	}
}

// The selection belongs to a stream, not to a row: others that come, and a
// filter that hides it, do not move it.
func TestSelectionFollowsTheStream(t *testing.T) {
	s := openScene(t)
	s.write("notes", "one")
	s.look()
	v := s.window.streams
	v.list.choose(0)
	s.settle()
	s.write("calendar", "x") // comes before it in the list
	s.write("notes", "two")
	s.look()
	if got := (*streamRows)(v).chosen(); got != 1 {
		t.Errorf("row %d is selected, want 1", got)
	}
	if v.detail.stream.Name != "notes" || v.detail.stream.Head != 2 {
		t.Errorf("the detail shows %+v", v.detail.stream)
	}
	reads(t, v.detail.content, "just now")

	test.Type(v.filter, "CAL")
	if len(v.shown) != 1 || (*streamRows)(v).chosen() != -1 {
		t.Errorf("the filter lets %d through", len(v.shown))
	}
	reads(t, v.body, "1 of 2", "calendar")
	v.filter.SetText("")
	if got := (*streamRows)(v).chosen(); got != 1 {
		t.Errorf("row %d is selected after the filter, want 1", got)
	}
}

// Entries are asked for in pages around what is visible, never all of them, and
// scrolling keeps its place while new ones come.
func TestEntriesComeInPages(t *testing.T) {
	s := openScene(t)
	const total = 3_000
	var batch []string
	for i := range total {
		batch = append(batch, fmt.Sprint("entry ", i+1))
	}
	s.write("notes", batch...)
	s.look()
	v := s.window.streams
	v.list.choose(0)
	s.settle()
	d := v.detail
	if got := len(d.pager.pages); got != 1 {
		t.Errorf("%d pages were read for one screen", got)
	}
	d.entries.ScrollTo(2_000)
	s.settle()
	if got := len(d.pager.pages); got > 3 {
		t.Errorf("%d pages were read for two screens", got)
	}
	place := d.entries.GetScrollOffset()
	s.write("notes", "one more", "and another")
	s.look()
	if got, want := d.entries.GetScrollOffset(), place+2*(fineRow+1); got != want {
		t.Errorf("the list stands at %v after two new entries, want %v", got, want)
	}

	d.entries.ScrollToTop()
	s.settle()
	first, ok := d.pager.at(total + 2)
	if !ok || first.Size != len("and another") {
		t.Errorf("the newest entry is %+v, %v", first, ok)
	}
	for i := range total { // every entry, whatever page it is on
		position := uint64(i + 1)
		if _, ok := d.pager.at(position); !ok {
			s.settle()
		}
		e, ok := d.pager.at(position)
		if want := len(fmt.Sprint("entry ", position)); !ok || e.Position != position || e.Size != want {
			t.Fatalf("entry %d is %+v, %v", position, e, ok)
		}
	}
}

// A long list of streams is read page by page.
func TestManyStreams(t *testing.T) {
	s := openScene(t)
	const total = streamsPage + 5
	for i := range total {
		s.write(fmt.Sprintf("s%04d", i), "x")
	}
	s.look()
	if got := len(s.window.streams.all); got != total {
		t.Errorf("%d streams are listed, want %d", got, total)
	}
	reads(t, s.window.rail.content, "1,005 streams")
}

// While a stream grows no row is empty, not even for a moment: what is new shows
// once it is there.
func TestGrowingStreamHasNoEmptyRows(t *testing.T) {
	s := openScene(t)
	s.write("notes", "one")
	s.look()
	v := s.window.streams
	v.list.choose(0)
	s.settle()
	head := 1
	// Within a page, over its end, over two ends, and from end to end.
	for _, grow := range []int{1, 100, 40, 2 * pageRows, 3*pageRows + 7, pageRows - 20} {
		s.write("notes", make([]string, grow)...)
		s.window.load(t.Context())()
		for range 2 { // before the new entries have come, and after
			for i := range min(30, head) {
				if got := (*entryRows)(v.detail).row(i).cells; got[2] == "…" {
					t.Errorf("row %d of %d is empty: %q", i, head, got)
				}
			}
			s.settle()
		}
		head += grow
		if got := v.detail.stream.Head; got != uint64(head) {
			t.Errorf("the head is %d, want %d", got, head)
		}
	}
}

// A stream can be opened from elsewhere: the filter gives way and the list
// scrolls there, also if nothing had been read before.
func TestOpenStream(t *testing.T) {
	s := openScene(t)
	for i := range 60 {
		s.write(fmt.Sprintf("stream-%02d", i), "one")
	}
	for _, name := range []string{"stream-55", "stream-02"} {
		s.window.visit(s.window.network)
		s.window.shell.openStream(console.StreamRef{Space: defaultSpace, Name: name})
		s.look()
		reads(t, s.window.streams.detail.content, name)
		reads(t, s.window.streams.list, name)
		s.window.streams.filter.SetText("nothing is called so")
	}
}
