package ui

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"github.com/google/go-cmp/cmp"
)

// The largest value is as high as the chart; nothing is a hairline, and the
// least something is more than that.
func TestRises(t *testing.T) {
	for _, test := range []struct {
		values []float64
		height int
		want   []int
	}{
		{nil, 20, []int{}},
		{[]float64{0, 0}, 20, []int{1, 1}},
		{[]float64{0, 5, 10}, 20, []int{1, 10, 20}},
		{[]float64{1, 65535}, 20, []int{2, 20}},
		{[]float64{0, 1}, 1, []int{1, 1}},
		{[]float64{0, 1}, 0, []int{0, 0}},
	} {
		if diff := cmp.Diff(test.want, rises(test.values, test.height)); diff != "" {
			t.Errorf("%v in %d pixels (-want +got):\n%s", test.values, test.height, diff)
		}
	}
}

// Bars share all of the width, leave gaps where there is room, and never
// overlap.
func TestSlots(t *testing.T) {
	for _, width := range []int{0, 1, 59, 60, 61, 84, 120, 600, 1201} {
		end := 0
		for i := range 60 {
			left, right := slot(i, 60, width)
			if left < end || right < left || right > width {
				t.Fatalf("in %d pixels bar %d is from %d to %d, the last one ended at %d", width, i, left, right, end)
			}
			end = right
		}
		if width >= 60 && end < width-width/60 {
			t.Errorf("the bars take %d of %d pixels", end, width)
		}
	}
}

// The chart is drawn in the colours of the theme that holds when it is drawn.
func TestBarsFollowTheTheme(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(hearthTheme{})
	b := newBars(fyne.NewSize(40, 20))
	b.set([]float64{0, 4})
	corner := func() color.Color { return b.draw(40, 20).At(20, 0) }
	if want := (hearthTheme{}).Color(theme.ColorNamePrimary, theme.VariantLight); corner() != want {
		t.Errorf("the bar is %v, want %v", corner(), want)
	}
	test.ApplyTheme(t, nightly{})
	if want := (hearthTheme{}).Color(theme.ColorNamePrimary, theme.VariantDark); corner() != want {
		t.Errorf("the bar is %v in the dark, want %v", corner(), want)
	}
	if got := b.draw(40, 20).At(0, 0); got != (color.NRGBA{}) {
		t.Errorf("above a hairline it is %v", got)
	}
}
