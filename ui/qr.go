package ui

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
	"github.com/skip2/go-qrcode"
)

// qrSide is wide enough for a telephone held over a desk, with six pixels for a
// module of the code of an address.
const qrSide = 224

// qrCode shows a text to the cameras of telephones. It is black on white in
// every theme: not all cameras read the reverse.
type qrCode struct {
	widget.BaseWidget
	text    string
	modules [][]bool // dark ones, with the quiet zone around them
}

func newQRCode() *qrCode {
	q := &qrCode{}
	q.ExtendBaseWidget(q)
	return q
}

// set shows another text. An address is far shorter than what fits, so that it
// fails for none.
func (q *qrCode) set(text string) error {
	if q.text == text {
		return nil
	}
	// Medium restores 15 % of the code: reflections on a screen, not scratches.
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return err
	}
	q.text, q.modules = text, code.Bitmap()
	q.Refresh()
	return nil
}

// CreateRenderer draws the code.
func (q *qrCode) CreateRenderer() fyne.WidgetRenderer {
	return newDrawing(fyne.NewSquareSize(qrSide), q.draw)
}

func (q *qrCode) draw(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	block(img, img.Rect, color.White)
	n := len(q.modules)
	if n == 0 {
		return img
	}
	side := min(width, height) / n // whole pixels, or edges blur
	left, top := (width-n*side)/2, (height-n*side)/2
	for y, line := range q.modules {
		for x, dark := range line {
			if dark {
				block(img, image.Rect(left+x*side, top+y*side, left+(x+1)*side, top+(y+1)*side), color.Black)
			}
		}
	}
	return img
}
