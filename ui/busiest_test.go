package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"hearth/relay/console"
)

// Where the room is short, the chart of a busy stream leaves it to the name.
func TestBusyNamesComeFirst(t *testing.T) {
	openScene(t)
	l := newBusyList(func(console.StreamRef) {})
	name := "photos-of-the-summer"
	l.show([]console.Stream{{StreamRef: console.StreamRef{Name: name}, Hour: console.Hour{1, 2}}})
	for width, want := range map[float32]bool{busyLeast - 40: false, 2 * busyLeast: true} {
		l.content.Resize(fyne.NewSize(width, 100))
		reads(t, l.content, name)
		if shown := l.rows[0].hour.Visible(); shown != want {
			t.Errorf("at a width of %v the chart is shown: %v", width, shown)
		}
	}
}
