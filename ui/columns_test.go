package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The column without a width takes what is left; when that is too little, the
// columns of the highest rank go, and come back when there is room.
func TestColumnsPlace(t *testing.T) {
	c := columns{least: 100, list: []column{
		{title: "name"}, {title: "entries", width: 60}, {title: "epoch", width: 40, rank: 2}, {title: "size", width: 50, rank: 1},
	}}
	for _, test := range []struct {
		width float32
		want  []span
	}{
		{400, []span{{16, 170}, {202, 60}, {278, 40}, {334, 50}}},
		{300, []span{{16, 126}, {158, 60}, {}, {234, 50}}},
		{250, []span{{16, 142}, {174, 60}, {}, {}}},
		{150, []span{{16, 42}, {74, 60}, {}, {}}}, // rank 0 stays, whatever happens
		{40, []span{{16, 0}, {32, 60}, {}, {}}},
	} {
		if diff := cmp.Diff(test.want, c.place(test.width), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("in a row of %v (-want +got):\n%s", test.width, diff)
		}
	}
}

// Whatever the width, columns never overlap, and what is wide enough for all
// ends one gap before the row does.
func TestColumnsNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := float32(rapid.IntRange(0, 3000).Draw(t, "width"))
		for _, c := range []columns{streamColumns, entryColumns, readoutColumns, epochColumns} {
			end := float32(0)
			for i, s := range c.place(width) {
				if s.width == 0 {
					continue
				}
				if s.x < end {
					t.Fatalf("column %d begins at %v, and the one before ends at %v", i, s.x, end)
				}
				end = s.x + s.width
			}
			if width > 700 && end != width-gap {
				t.Fatalf("the last column ends at %v of %v", end, width)
			}
		}
	})
}

// A text that does not fit ends in an ellipsis, or has one in its middle and keeps
// both ends, and fits then.
func TestEllipsis(t *testing.T) {
	style := fyne.TextStyle{}
	for _, text := range []string{"notes", "a-name-that-is-as-long-as-a-name-may-be", "жаркое лето", ""} {
		full := fyne.MeasureText(text, 13, style).Width
		for _, middle := range []bool{false, true} {
			if got := ellipsis(text, middle, full, 13, style); got != text {
				t.Errorf("%q becomes %q where it fits", text, got)
			}
		}
		if text == "" {
			continue
		}
		narrow := full - 1
		got := ellipsis(text, false, narrow, 13, style)
		if letters := []rune(got); letters[len(letters)-1] != '…' || fyne.MeasureText(got, 13, style).Width > narrow {
			t.Errorf("%q becomes %q where it does not fit", text, got)
		}
		got = ellipsis(text, true, narrow, 13, style)
		begin, end, _ := strings.Cut(got, "…")
		ends := begin != "" && end != "" && strings.HasPrefix(text, begin) && strings.HasSuffix(text, end)
		if fits := fyne.MeasureText(got, 13, style).Width <= narrow; !ends || !fits {
			t.Errorf("%q becomes %q where it does not fit", text, got)
		}
	}
}
