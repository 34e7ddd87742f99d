package ui

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

func streamNames(list []*console.Stream) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// Streams are sorted by what a column shows; equals stay in the order of their
// names, whichever way.
func TestArranged(t *testing.T) {
	now := time.Now()
	stream := func(name string, head uint64, epoch uint32, bytes uint64, age time.Duration, hour uint16) console.Stream {
		return console.Stream{
			StreamRef: console.StreamRef{Space: defaultSpace, Name: name}, Head: head, Epoch: epoch, Bytes: bytes,
			WrittenAt: now.Add(-age), Hour: console.Hour{59: hour},
		}
	}
	all := []console.Stream{
		stream("a", 5, 1, 300, time.Hour, 0), stream("b", 9, 2, 100, time.Minute, 7), stream("c", 5, 1, 200, time.Second, 3),
	}
	for _, test := range []struct {
		order  order
		looked string
		want   []string
	}{
		{order{byName, false}, "", []string{"a", "b", "c"}},
		{order{byName, true}, "", []string{"c", "b", "a"}},
		{order{byEntries, false}, "", []string{"a", "c", "b"}},
		{order{byEntries, true}, "", []string{"b", "a", "c"}},
		{order{byEpoch, true}, "", []string{"b", "a", "c"}},
		{order{bySize, true}, "", []string{"a", "c", "b"}},
		{order{byWrite, true}, "", []string{"c", "b", "a"}},
		{order{byHour, true}, "", []string{"b", "c", "a"}},
		{order{byHour, true}, " C ", []string{"c"}},
		{order{byHour, true}, "none like it", nil},
	} {
		if diff := cmp.Diff(test.want, streamNames(arranged(all, test.looked, test.order))); diff != "" {
			t.Errorf("%+v of %q (-want +got):\n%s", test.order, test.looked, diff)
		}
	}
	if len(streamColumns.list) != byHour+1 {
		t.Error("there is a column without an order")
	}
}

// A column's title sorts, by pointer and by keyboard, and an arrow shows how.
func TestSortByTitle(t *testing.T) {
	s := openScene(t)
	s.write("calendar", "1")
	s.write("notes", "1", "2")
	s.look()
	v := s.window.streams
	reads(t, v.body, "Name ↑")
	v.list.choose(0)
	s.settle()
	span := streamColumns.place(v.header.Size().Width)[byEntries]
	v.header.Tapped(&fyne.PointEvent{Position: fyne.NewPos(span.x+5, 10)})
	reads(t, v.body, "Entries ↓")
	if diff := cmp.Diff([]string{"notes", "calendar"}, streamNames(v.shown)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v.at != 1 || v.detail.stream.Name != "calendar" {
		t.Errorf("the selection has not followed its stream: row %d", v.at)
	}

	s.canvas.Focus(v.header)
	for _, key := range []fyne.KeyName{fyne.KeyLeft, fyne.KeyLeft, fyne.KeyReturn} { // there is nothing further left
		v.header.TypedKey(&fyne.KeyEvent{Name: key})
	}
	if v.header.order != (order{byName, false}) {
		t.Errorf("the keyboard sorts by %+v", v.header.order)
	}
	v.header.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	reads(t, v.body, "Name ↓")
	test.Tap(v.header) // in the corner, where no title is
	reads(t, v.body, "Name ↓")
}

// BenchmarkArranged sorts and filters as many streams as a large house has.
func BenchmarkArranged(b *testing.B) {
	all := make([]console.Stream, 10_000)
	for i := range all {
		all[i] = console.Stream{StreamRef: console.StreamRef{Name: fmt.Sprintf("stream-%05d", i)}, Head: uint64(i * 7919 % 10_007)}
		all[i].Hour[i%60] = uint16(i % 13)
	}
	for _, column := range []int{byName, byEntries, byHour} {
		b.Run(streamColumns.list[column].title, func(b *testing.B) {
			for b.Loop() {
				arranged(all, "stream", order{column, true})
			}
		})
	}
}
