package ui

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// publish puts events into the stream house as an app on this machine does, in one
// batch.
func (s *scene) publish(events ...string) {
	s.t.Helper()
	s.postEvents(`{"events":[{"event":` + strings.Join(events, `},{"event":`) + `}]}`)
}

// postEvents publishes what a body says.
func (s *scene) postEvents(body string) {
	s.t.Helper()
	q := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://127.0.0.1/reflex/v1/streams/house/events", strings.NewReader(body))
	q.RemoteAddr = "127.0.0.1:40000"
	q.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.relay.ServeHTTP(answer, q)
	if answer.Code != http.StatusOK {
		s.t.Fatalf("publishing is answered with %d: %s", answer.Code, answer.Body)
	}
}

// numbered are so many events of a type.
func numbered(kind string, count int) []string {
	var list []string
	for i := range count {
		list = append(list, fmt.Sprintf(`{"type":%q,"message":"it is %d"}`, kind, i))
	}
	return list
}

// openEvents shows the only stream in detail.
func openEvents(s *scene) *events {
	s.t.Helper()
	return openDetail(s).events
}

// listed are the types and the summaries of the rows, down to one.
func listed(e *events, rows int) []string {
	var list []string
	for i := range min(rows, (*eventRows)(e).count()) {
		cells := (*eventRows)(e).row(i).cells
		list = append(list, cells[0]+": "+cells[len(cells)-1])
	}
	return list
}

// A stream of events shows them newest first, each with its type, who says so when,
// and what it says; a stream of entries shows these as before.
func TestEventsAreListed(t *testing.T) {
	s := openScene(t)
	s.publish(`{"type":"door.opened","door":"front"}`, `{"type":"service.error","service":"auth","message":"token check failed"}`)
	s.write("notes", "one")
	d := openDetail(s)
	s.now = s.now.Add(3 * time.Minute)
	d.age()
	reads(t, d.content, "house", "events", "service.error", "token check failed · service auth", "user local", "min ago", "door front")
	readsNot(t, d.content, "Epochs")
	s.window.streams.list.choose(1)
	s.settle()
	reads(t, d.content, "notes", "entries", "Epochs", "3 B")
	readsNot(t, d.content, "door.opened")
	s.window.streams.list.choose(0)
	s.settle()
	reads(t, d.content, "door.opened")
}

// New events come in at the top, and what is being read keeps its place: of all
// events, and of those that a filter lets through.
func TestNewEventsKeepThePlace(t *testing.T) {
	for _, words := range []string{"", "it is"} {
		s := openScene(t)
		s.publish(numbered("a", 300)...)
		e := openEvents(s)
		e.filter.words.SetText(words)
		s.settle()
		e.list.ScrollToOffset(100 * (eventRow + 1))
		e.list.choose(100)
		s.settle()
		before := listed(e, 101)[100]
		s.publish(numbered("b", 7)...)
		s.look()
		if got := e.list.GetScrollOffset(); got != 107*(eventRow+1) {
			t.Errorf("%q: the list is at %v", words, got/(eventRow+1))
		}
		if rows := listed(e, 108); rows[107] != before || rows[0] != "b: it is 6" || (*eventRows)(e).chosen() != 107 {
			t.Errorf("%q: row 107 is %q, row 0 %q, chosen %d", words, rows[107], rows[0], (*eventRows)(e).chosen())
		}
		e.list.ScrollToTop()
		s.publish(numbered("c", 1)...)
		s.look()
		if e.list.GetScrollOffset() != 0 {
			t.Errorf("%q: the list does not show what is new", words)
		}
	}
}

// A filter by words, by several types and by actor lets through what matches, says
// how much that is, and what there is to choose from is what was seen.
func TestEventsAreFiltered(t *testing.T) {
	s := openScene(t)
	s.publish(`{"type":"a","text":"one"}`, `{"type":"b","text":"two"}`, `{"type":"c","text":"Three"}`, `{"type":"a","text":"three"}`)
	e := openEvents(s)
	if diff := cmp.Diff([]string{"", "a", "b", "c"}, e.filter.types.offered); diff != "" {
		t.Errorf("the types (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		name string
		does func()
		want []string
		says string
	}{
		{"words", func() { e.filter.words.SetText(" THREE ") }, []string{"a: three", "c: Three"}, "2 in all 4 events"},
		{"and a type", func() { e.filter.types.press("c") }, []string{"c: Three"}, "1 in all 4 events"},
		{"no words", func() { e.filter.words.SetText("") }, []string{"c: Three"}, "1 in all 4 events"},
		{"two types", func() { e.filter.types.press("b") }, []string{"c: Three", "b: two"}, "2 in all 4 events"},
		{"an actor", func() { e.filter.actor.SetSelected("user local") }, []string{"c: Three", "b: two"}, "2 in all 4 events"},
		{"nothing", func() { e.filter.words.SetText("nowhere") }, nil, "No event matches the filter."},
		{"everything", e.filter.reset, []string{"a: three", "c: Three", "b: two", "a: one"}, "three"},
	} {
		test.does()
		s.settle()
		if diff := cmp.Diff(test.want, listed(e, 9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		reads(t, e.body, test.says)
	}
	if e.strip.Visible() {
		t.Error("without a filter it is told what it lets through")
	}
	s.publish(`{"type":"new"}`)
	s.look()
	if !slices.Contains(e.filter.types.offered, "new") {
		t.Error("a type that came is not offered")
	}
}

// A chosen type is pressed in a list that the keyboard opens and closes.
func TestTypesAreChosenWithTheKeyboard(t *testing.T) {
	s := openScene(t)
	s.publish(`{"type":"a"}`, `{"type":"b"}`)
	e := openEvents(s)
	pick := e.filter.types
	s.canvas.Focus(pick)
	pick.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	s.canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace}) // every type, as before
	s.canvas.Focus(pick.lines[2].pressable)
	s.canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	s.settle()
	if diff := cmp.Diff([]string{"b"}, pick.picked()); diff != "" || pick.Selected != "b" || len(listed(e, 9)) != 1 {
		t.Errorf("the field says %q; %s", pick.Selected, diff)
	}
	s.canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.canvas.Overlays().Top() != nil {
		t.Error("escape leaves the list open")
	}
	pick.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	s.canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if len(pick.picked()) != 0 || pick.Selected != everyType {
		t.Errorf("every type is %q", pick.picked())
	}
}

// One event shows as JSON as it was published, in its envelope, and it can be marked,
// copied and saved whole.
func TestEventIsRead(t *testing.T) {
	s := openScene(t)
	long := strings.Repeat(`"x",`, 5000) + `"end"`
	s.publish(`{"type":"a","n":1.500,"big":123456789012345678901234567890}`, `{"type":"long","list":[`+long+`]}`)
	e := openEvents(s)
	e.list.choose(1)
	s.settle()
	reads(t, e.pane.content, "Event 1 · user local")
	if got, want := e.pane.text.Text, "{\n  \"type\": \"a\",\n  \"n\": 1.500,\n  \"big\": 123456789012345678901234567890\n}"; got != want || !e.pane.text.Selectable {
		t.Errorf("it reads %s", got)
	}
	test.Tap(e.pane.tabs[asEnvelope])
	if !strings.Contains(e.pane.text.Text, `"correlation_id": "`+e.pane.event.ID) {
		t.Errorf("the envelope reads %s", e.pane.text.Text)
	}
	e.list.choose(0)
	s.settle()
	reads(t, e.pane.content, "the beginning of 20 kB")
	if n := len(e.pane.text.Text); n == 0 || n > readableMost || !strings.HasPrefix(e.pane.text.Text, "{\n  \"seq\": 2,") {
		t.Errorf("%d bytes are shown, not as the envelope that was chosen before", n)
	}
	e.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if e.pane.content.Visible() || (*eventRows)(e).chosen() != -1 {
		t.Error("the event is still open")
	}
}

// The relay's own stream is named in words, stands behind the others, and as long as
// it is the only one the screen says what to do.
func TestRelaysOwnStream(t *testing.T) {
	s := openScene(t)
	own := console.StreamRef{Space: defaultSpace, Name: console.RelayStream}
	v := s.window.streams
	v.show([]console.Stream{{StreamRef: own, Kind: console.KindEvents, Head: 1}}, false)
	reads(t, v.body, "No streams yet", relaysOwn)
	test.Tap(v.own)
	readsNot(t, v.body, "No streams yet")
	if v.selected != own || !v.detail.shown {
		t.Errorf("selected is %v", v.selected)
	}
	z := console.StreamRef{Space: defaultSpace, Name: "zebra"}
	for _, down := range []bool{false, true} {
		shown := arranged([]console.Stream{{StreamRef: own}, {StreamRef: z}}, "", order{column: byName, down: down})
		if shown[1].StreamRef != own {
			t.Errorf("the relay's own stream stands before others (down: %v)", down)
		}
	}
}

// A relay that does not answer is told of, what is shown stays, and it goes on when
// it answers again.
func TestEventsOfAnUnreachableRelay(t *testing.T) {
	s := openScene(t)
	s.publish(numbered("a", 3)...)
	e := openEvents(s)
	faulty := &faultyEvents{Console: s.window.shell.console, err: errors.New("nobody answers")}
	s.window.shell.console = faulty
	s.publish(numbered("b", 1)...)
	s.look()
	reads(t, e.body, "The events cannot be shown: nobody answers.")
	if got := listed(e, 9); len(got) != 3 {
		t.Errorf("shown are %q", got)
	}
	e.filter.words.SetText("it is")
	s.settle()
	reads(t, e.body, "The events cannot be shown: nobody answers.")
	faulty.err = nil
	test.Tap(e.further)
	s.look()
	if got := listed(e, 9); len(got) != 4 {
		t.Errorf("shown are %q", got)
	}
	readsNot(t, s.window.content, "nobody answers")
}

// A stream of events, with an event open and a filter, fits a window of 800 by 600,
// also with long names.
func TestEventsFitASmallWindow(t *testing.T) {
	s := openScene(t)
	s.publish(`{"type":"` + strings.Repeat("long", 30) + `","message":"` + strings.Repeat("word", 100) + `"}`)
	e := openEvents(s)
	for _, way := range []int{asEvent, asEnvelope, asChain} {
		e.filter.words.SetText("word")
		e.list.choose(0) // while nothing is found yet, which chooses nothing
		s.settle()
		e.list.choose(0)
		s.settle()
		e.pane.look(way)
		if got := s.window.content.MinSize(); got.Width > 800 || got.Height > 600 {
			t.Errorf("way %d: the window needs %v", way, got)
		}
	}
}
