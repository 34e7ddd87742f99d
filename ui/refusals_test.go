package ui

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

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
		v.filter.SetText(test.filter)
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
