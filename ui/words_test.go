package ui

import (
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// Running text costs no fonts of its own: a window that is open for weeks, in
// which texts come and go, does not grow by megabytes with each.
func TestProseSharesFonts(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	w := test.NewTempWindow(t, nil)
	w.Resize(fyne.NewSize(400, 300))
	show := func() {
		w.SetContent(remark("A text that takes more than a single line of the window."))
		w.Canvas().Capture()
	}
	show() // the fonts that all share
	before := heap()
	for range 20 {
		show()
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("20 short texts took %d MB", grown>>20)
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Running text is as high as its lines, without the border that Fyne gives texts.
func TestProseHasNoBorder(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	p := remark("word")
	test.NewTempWindow(t, p)
	line := fyne.MeasureText("word", p.Theme().Size(p.style.SizeName), p.style.TextStyle)
	p.Resize(fyne.NewSize(line.Width+2, line.Height))
	if got := p.MinSize(); got.Height > line.Height+1 {
		t.Errorf("what fits into a line is %v high, want %v", got.Height, line.Height)
	}
}
