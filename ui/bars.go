package ui

import (
	"image"
	"image/color"
	"image/draw"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// bars is a small chart of values in a row, the newest last. It has no scale of
// its own: the tallest bar is the largest value.
type bars struct {
	widget.BaseWidget
	color  fyne.ThemeColorName
	least  fyne.Size
	values []float64
}

func newBars(least fyne.Size) *bars {
	b := &bars{color: theme.ColorNamePrimary, least: least}
	b.ExtendBaseWidget(b)
	return b
}

// set shows other values; the same ones cost nothing.
func (b *bars) set(values []float64) {
	if slices.Equal(b.values, values) {
		return
	}
	b.values = slices.Clone(values)
	b.Refresh()
}

// CreateRenderer draws the bars.
func (b *bars) CreateRenderer() fyne.WidgetRenderer { return newDrawing(b.least, b.draw) }

// draw paints an image of a size in pixels. Colours are looked up here, so that
// a change of theme needs no more than a refresh.
func (b *bars) draw(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	th, variant := b.Theme(), fyne.CurrentApp().Settings().ThemeVariant()
	bar, none := th.Color(b.color, variant), th.Color(theme.ColorNameSeparator, variant)
	for i, rise := range rises(b.values, height) {
		left, right := slot(i, len(b.values), width)
		fill := bar
		if b.values[i] <= 0 {
			fill = none
		}
		block(img, image.Rect(left, height-rise, right, height), fill)
	}
	return img
}

func block(img draw.Image, area image.Rectangle, c color.Color) {
	draw.Draw(img, area, image.NewUniform(c), image.Point{}, draw.Src)
}

// rises returns how many pixels high each bar is. Nothing is a hairline, and the
// least something can be told from it.
func rises(values []float64, height int) []int {
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	rises := make([]int, len(values))
	for i, v := range values {
		rises[i] = min(1, height)
		if v > 0 {
			rises[i] = min(height, max(2, int(v/most*float64(height)+0.5)))
		}
	}
	return rises
}

// slot says between which pixels the bar i of n is; a third of its place stays
// free, as long as there is room for that.
func slot(i, n, width int) (left, right int) {
	left, right = i*width/n, (i+1)*width/n
	if place := right - left; place > 1 {
		right -= max(1, place/3)
	}
	return left, right
}
