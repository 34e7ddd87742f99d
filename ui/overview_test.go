package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
)

func openOverview(t *testing.T) *scene {
	t.Helper()
	s := openScene(t)
	s.window.visit(s.window.overview)
	s.look()
	return s
}

// An overview without anything says what to do next.
func TestOverviewBeginsEmpty(t *testing.T) {
	s := openOverview(t)
	reads(t, s.window.overview.content(), "Nothing has been written yet", "Connect a device",
		"Nothing was written in the last hour", "No app has come by", "Nothing now.")
	s.write("notes", "one")
	s.look()
	readsNot(t, s.window.overview.content(), "Nothing has been written yet")
}

// The overview tells what was written and read, by whom, and where the most
// happens; a stream there leads to the stream.
func TestOverviewTellsWhatHappens(t *testing.T) {
	s := openOverview(t)
	s.write("calendar", "one")
	for range 3 {
		s.write("notes", "one", "two")
	}
	q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/v1/streams/notes/entries", http.NoBody)
	q.RemoteAddr = "127.0.0.1:40000"
	s.relay.ServeHTTP(httptest.NewRecorder(), q)
	s.look()
	v := s.window.overview
	reads(t, v.writes.content, "4 in the last hour")
	reads(t, v.reads.content, "1 in the last hour")
	reads(t, v.busy.content, "notes 3 calendar 1")
	reads(t, v.devices.content, "this machine read notes just now 4 1")
	reads(t, v.content(), "7 in 2 streams", "1 here now", "Too early to tell.")

	test.Tap(v.busy.rows[0].pressable)
	s.look()
	if s.window.current.Load() != int32(s.window.place(s.window.streams)) {
		t.Error("the stream is not opened")
	}
	reads(t, s.window.streams.detail.content, "notes")
}

// The bar that the pointer is on is told in words; without a pointer it is the
// present minute.
func TestChartTellsTheBarPointedAt(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	c := newTimeChart("Writes", "write", "writes", colorMuted)
	c.content.Resize(fyne.NewSize(2*gap+400, 200))
	start := time.Date(2026, 11, 30, 14, 0, 0, 0, time.Local)
	c.show([]time.Time{start, start.Add(time.Minute)}, []int{7, 1})
	reads(t, c.content, "8 in the last hour, 7 at most", "1 write this minute")
	for x, want := range map[float32]string{0: "7 writes at 14:00", 399: "1 write at 14:01", 400: "1 write at 14:01"} {
		c.bars.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(x, 10)}})
		reads(t, c.content, want)
	}
	c.bars.MouseOut()
	reads(t, c.content, "this minute")
}

// However many devices there are, a few are shown until all are wanted; who was
// here is told from who is.
func TestManyDevices(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	now := time.Now()
	l := newDeviceList(func() time.Time { return now })
	var devices []console.Device
	for i := range 30 {
		devices = append(devices, console.Device{
			Client: fmt.Sprintf("192.0.2.%d", i), Seen: now.Add(-time.Duration(i) * time.Minute), Action: console.ActionWait, Writes: i,
		})
	}
	l.show(devices)
	l.content.Resize(fyne.NewSize(700, 400))
	reads(t, l.content, "192.0.2.7", "7 min ago", "waited for changes", "Show all 30")
	readsNot(t, l.content, "192.0.2.8 ")
	reads(t, l.tally, "2 here now")
	test.Tap(l.more)
	reads(t, l.content, "192.0.2.29", "Show fewer")
	l.show(devices[:1])
	readsNot(t, l.content, "192.0.2.29")
	readsNot(t, l.content, "Show")
}

// Reads make no pulse: the overview sees them as it ages, and a new minute moves
// the charts.
func TestOverviewAges(t *testing.T) {
	s := openOverview(t)
	s.write("notes", "one")
	s.window.overview.age()
	s.settle()
	reads(t, s.window.overview.writes.content, "1 in the last hour")
	<-s.window.asked // what the first look left
	s.now = s.now.Add(2 * time.Minute)
	s.window.overview.age()
	select {
	case <-s.window.asked:
	default:
		t.Error("a new minute is not looked at")
	}
}
