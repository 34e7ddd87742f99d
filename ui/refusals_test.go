package ui

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// What the relay refused is told in sentences, and counted in the rail until it
// is marked as seen; when it comes again, it counts again.
func TestRefusalsAreToldAndCounted(t *testing.T) {
	s := openScene(t)
	s.look()
	s.window.visit(s.window.refusals)
	s.look()
	reads(t, s.window.content, "Nothing was refused")

	if status := s.post("notes", []byte("no CBOR")); status != 400 {
		t.Fatalf("nonsense is answered with %d", status)
	}
	s.look()
	v := s.window.refusals
	e := console.Explain(v.all[0])
	reads(t, v.body, e.Title, e.Todo, "bad_request", "status 400", "127.0.0.1 · write to notes · just now", "new")
	badge := s.window.rail.items[2]
	if badge.badge.Hidden || badge.count.text != "1" {
		t.Errorf("the badge says %q", badge.count.text)
	}

	test.Tap(v.mark)
	if !badge.badge.Hidden {
		t.Error("the badge still counts what was marked as seen")
	}
	readsNot(t, v.body, "● new")
	s.post("notes", []byte("no CBOR"))
	s.look()
	if badge.badge.Hidden || badge.count.text != "1" {
		t.Errorf("the badge says %q after a repeat", badge.count.text)
	}
	reads(t, v.body, "2 times")
}

// Refusals are counted in the rail whatever screen is shown.
func TestRefusalsCountOnEveryScreen(t *testing.T) {
	s := openScene(t)
	s.post("notes", []byte("no CBOR"))
	s.look()
	if got := s.window.rail.items[2].count.text; got != "1" {
		t.Errorf("the badge says %q", got)
	}
}

// The filter looks at what is told as well as at the code and the client; a long
// list is shown a part at a time.
func TestRefusalsFilterAndMore(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.refusals)
	v := s.window.refusals
	var list []console.Refusal
	for i := range 2*refusalsStep + 1 {
		list = append(list, console.Refusal{Code: "epoch_behind", Status: 409, Stream: fmt.Sprint("s", i), Client: "192.0.2.7", Last: s.now})
	}
	list[3].Code = "unauthorized"
	list[4].Client = "192.0.2.99"
	v.show(list)
	if v.inUse() != refusalsStep {
		t.Errorf("%d are shown at first", v.inUse())
	}
	test.Tap(v.more)
	test.Tap(v.more)
	if v.inUse() != len(list) || v.more.Visible() {
		t.Errorf("%d of %d are shown at last", v.inUse(), len(list))
	}
	for _, test := range []struct {
		filter string
		want   int
	}{
		{"UNAUTH", 1}, {"not known here", 1}, {"192.0.2.99", 1}, {"out of date", len(list) - 1}, {"nothing like it", 0},
	} {
		v.filter.words.SetText(test.filter)
		if len(v.shown) != test.want {
			t.Errorf("%q shows %d, want %d", test.filter, len(v.shown), test.want)
		}
	}
	reads(t, v.body, "No refusal matches")
}

// Who did what, when and how often.
func TestCircumstances(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		refusal console.Refusal
		want    string
	}{
		{
			console.Refusal{Client: "192.0.2.7", Action: console.ActionWrite, Stream: "notes", Last: now, Times: 1},
			"192.0.2.7 · write to notes · just now",
		},
		{
			console.Refusal{Client: "192.0.2.7", Key: "a1b2c3d4", Action: console.ActionWait, Stream: "notes", Last: now.Add(-2 * time.Hour), Times: 1200},
			"192.0.2.7 · key a1b2c3d4 · wait for notes · 2 h ago · 1,200 times",
		},
	} {
		if got := circumstances(test.refusal, now); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// What was refused can be narrowed down by code, stream and address, and all of
// them together; the choice stays while refusals come and go.
func TestRefusalsByField(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.refusals)
	v := s.window.refusals
	list := []console.Refusal{
		{Code: "cursor_ahead", Stream: "notes", Client: "192.0.2.7", Last: s.now},
		{Code: "epoch_behind", Stream: "notes", Client: "192.0.2.9", Last: s.now},
		{Code: "epoch_behind", Stream: "calendar", Client: "192.0.2.9", Last: s.now},
		{Code: "host_refused", Client: "192.0.2.9", Last: s.now},
	}
	v.show(list)
	code, stream, client := v.filter.picks[0], v.filter.picks[1], v.filter.picks[2]
	if diff := cmp.Diff([]string{"Every stream", "calendar", "notes"}, stream.choice.Options); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, step := range []struct {
		pick  *pick
		value string
		want  int
	}{
		{code, "epoch_behind", 2}, {stream, "notes", 1}, {client, "192.0.2.7", 0}, {code, "Every code", 1}, {stream, "Every stream", 1},
	} {
		step.pick.choice.SetSelected(step.value)
		if len(v.shown) != step.want {
			t.Errorf("after %q %d are shown, want %d", step.value, len(v.shown), step.want)
		}
	}
	reads(t, v.body, "1 of 4", "Clear filters")
	v.show(list[1:])
	if client.choice.Selected != "192.0.2.7" || len(v.shown) != 0 {
		t.Errorf("the filter changed by itself to %q", client.choice.Selected)
	}
	reads(t, v.body, "No refusal matches")
	test.Tap(v.filter.clear)
	if len(v.shown) != 3 || v.filter.clear.Visible() {
		t.Errorf("%d are shown without a filter", len(v.shown))
	}
}

// Where there is something to do there is a button that leads to it.
func TestRefusalsLeadOn(t *testing.T) {
	s := openScene(t)
	s.write("calendar", "one")
	s.write("notes", "one")
	s.look()
	v := s.window.refusals
	s.window.visit(v)
	v.show([]console.Refusal{
		{Code: "cursor_ahead", Space: defaultSpace, Stream: "notes", Last: s.now}, {Code: "not_found", Last: s.now}, {Code: "internal", Last: s.now},
	})
	if v.rows[1].remedy.Visible() {
		t.Errorf("there is a way to %q where nothing is to be done", v.rows[1].remedy.Text)
	}
	test.Tap(v.rows[0].remedy)
	s.look()
	if s.window.screens[s.window.current.Load()] != s.window.streams || s.window.streams.detail.stream.Name != "notes" {
		t.Errorf("the button leads to %+v", s.window.streams.detail.stream)
	}
	test.Tap(v.rows[2].remedy)
	if s.window.screens[s.window.current.Load()] != s.window.settings {
		t.Error("the button does not lead to the log")
	}
}

// Filters take as many lines as they need, beside what is in the corner.
func TestFlowed(t *testing.T) {
	box := func(width float32) *canvas.Rectangle {
		r := canvas.NewRectangle(nil)
		r.SetMinSize(fyne.NewSize(width, 30))
		return r
	}
	corner, body, a, b, c := box(100), box(50), box(200), box(200), box(200)
	for _, test := range []struct {
		width float32
		b, c  fyne.Position
		top   float32
	}{
		{800, fyne.NewPos(208, 0), fyne.NewPos(416, 0), 46},
		{600, fyne.NewPos(208, 0), fyne.NewPos(0, 38), 84},
		{320, fyne.NewPos(0, 38), fyne.NewPos(0, 76), 122},
	} {
		flowed{}.Layout([]fyne.CanvasObject{corner, body, a, b, c}, fyne.NewSize(test.width, 500))
		if b.Position() != test.b || c.Position() != test.c || body.Position().Y != test.top {
			t.Errorf("in %v they are at %v and %v above %v", test.width, b.Position(), c.Position(), body.Position().Y)
		}
	}
}
