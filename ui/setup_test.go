package ui

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/protocol"
)

// surroundings is what a console has beside its relay: the network and the
// settings, as plain values.
type surroundings struct {
	neighbourhood console.Neighbourhood
	checks        []console.Check
	values        console.Values
	changes       []console.Change
	log           []console.LogLine
	answer        string
	asked         string
	found         console.Check
	err           error
}

func (s *surroundings) Neighbourhood(context.Context) (console.Neighbourhood, error) {
	return s.neighbourhood, s.err
}

func (s *surroundings) SelfTest(context.Context) ([]console.Check, error) { return s.checks, s.err }

func (s *surroundings) Ask(_ context.Context, address string) (console.Check, error) {
	s.asked = address
	return s.found, s.err
}

func (s *surroundings) Settings(context.Context) (console.Values, error) { return s.values, nil }

func (s *surroundings) Change(_ context.Context, c console.Change) (string, error) {
	s.changes = append(s.changes, c)
	return s.answer, s.err
}

func (s *surroundings) Log(context.Context) ([]console.LogLine, error) { return s.log, nil }

// scene is the window on a real relay, with a hand on its clock: work that is
// done aside waits for settle, and the window looks when told.
type scene struct {
	*surroundings
	t      testing.TB
	relay  *relay.Relay
	window *window
	canvas fyne.Canvas
	frame  fyne.Window
	now    time.Time
	work   []func()
}

func openScene(t testing.TB) *scene {
	t.Helper()
	r, err := relay.Open(t.Context(), t.TempDir(), relay.Options{Name: "shelf", Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s := &scene{surroundings: &surroundings{}, t: t, relay: r, now: time.Now()}
	s.open(struct {
		console.Relay
		*surroundings
	}{r.Console(), s.surroundings})
	return s
}

// open makes the window on a console.
func (s *scene) open(c console.Console) {
	app := test.NewTempApp(s.t)
	app.Settings().SetTheme(hearthTheme{})
	w := test.NewTempWindow(s.t, canvas.NewRectangle(nil))
	w.SetPadded(false)
	s.canvas, s.frame = w.Canvas(), w
	sh := &shell{console: c, later: s.later, now: func() time.Time { return s.now }, moves: new(idle).move}
	s.window = newWindow(sh, &aside{ctx: s.t.Context()}, w, Options{Version: "1.2.3"})
	s.window.visit(s.window.streams) // what most tests are about
	w.SetContent(s.window.content)
	w.Resize(fyne.NewSize(1180, 760))
}

func (s *scene) later(work func(context.Context) (func(), error), failed func(error)) {
	s.work = append(s.work, func() {
		show, err := guarded(func() (func(), error) { return work(s.t.Context()) })
		if err != nil {
			failed(err)
			return
		}
		show()
	})
}

// settle does what is to be done aside, and what follows from it.
func (s *scene) settle() {
	s.t.Helper()
	for n := 0; len(s.work) > 0; n++ {
		if n == 1000 {
			s.t.Fatal("there is no end of work")
		}
		work := s.work[0]
		s.work = s.work[1:]
		work()
	}
}

// look lets the window look at the relay.
func (s *scene) look() {
	s.t.Helper()
	s.window.load(s.t.Context())()
	s.settle()
}

// write appends a batch as an app on this machine does.
func (s *scene) write(stream string, entries ...string) {
	s.t.Helper()
	var data [][]byte
	for _, e := range entries {
		data = append(data, []byte(e))
	}
	if status := s.post(stream, protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}.Append(nil)); status != http.StatusOK {
		s.t.Fatalf("writing %s is answered with %d", stream, status)
	}
}

func (s *scene) post(stream string, body []byte) (status int) {
	s.t.Helper()
	q := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://127.0.0.1/v1/streams/"+stream+"/entries", bytes.NewReader(body))
	q.RemoteAddr = "127.0.0.1:40000"
	q.Header.Set("Content-Type", "application/cbor")
	answer := httptest.NewRecorder()
	s.relay.ServeHTTP(answer, q)
	return answer.Code
}

// texts is what a person reads in something, line by line.
func texts(o fyne.CanvasObject) string {
	var lines []string
	visitAll(o, o.Size().Max(o.MinSize()), func(o fyne.CanvasObject) {
		if text, ok := o.(*canvas.Text); ok && text.Text != "" {
			lines = append(lines, text.Text)
		}
	})
	return strings.Join(lines, "\n")
}

// visitAll lays out what is visible and visits it, as test.LaidOutObjects does with
// all there is.
func visitAll(o fyne.CanvasObject, size fyne.Size, visit func(fyne.CanvasObject)) {
	if !o.Visible() {
		return
	}
	visit(o)
	var inside []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		if o.Layout != nil {
			o.Layout.Layout(o.Objects, size)
		}
		inside = o.Objects
	case fyne.Widget:
		r := o.CreateRenderer()
		r.Layout(size)
		inside = r.Objects()
	}
	for _, o := range inside {
		visitAll(o, o.Size(), visit)
	}
}

// reads checks what a person reads in something.
func reads(t *testing.T, o fyne.CanvasObject, want ...string) {
	t.Helper()
	// Wrapped text comes in lines, so that a sentence is looked for without them.
	got := strings.Join(strings.Fields(texts(o)), " ")
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in what is shown:\n%s", w, got)
		}
	}
}

func readsNot(t *testing.T, o fyne.CanvasObject, unwanted string) {
	t.Helper()
	if got := strings.Join(strings.Fields(texts(o)), " "); strings.Contains(got, unwanted) {
		t.Errorf("%q is in what is shown:\n%s", unwanted, got)
	}
}

// findButton returns the button with a label.
func findButton(t *testing.T, o fyne.CanvasObject, label string) *widget.Button {
	t.Helper()
	for _, o := range test.LaidOutObjects(o) {
		if b, ok := o.(*widget.Button); ok && b.Text == label {
			return b
		}
	}
	t.Fatalf("there is no button %q", label)
	return nil
}
