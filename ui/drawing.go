package ui

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// drawing renders a widget that is drawn pixel by pixel, so that it is sharp at
// every scale.
type drawing struct {
	least  fyne.Size
	raster *canvas.Raster
}

// newDrawing makes one of at least a size; draw gets a size in pixels. If it
// fails, its place stays empty.
func newDrawing(least fyne.Size, draw func(width, height int) image.Image) fyne.WidgetRenderer {
	return steadied(&drawing{least, canvas.NewRaster(func(width, height int) image.Image {
		drawn, err := guarded(func() (image.Image, error) { return draw(width, height), nil })
		if err != nil {
			return image.NewNRGBA(image.Rect(0, 0, width, height))
		}
		return drawn
	})})
}

func (d *drawing) Layout(size fyne.Size)        { d.raster.Resize(size) }
func (d *drawing) MinSize() fyne.Size           { return d.least }
func (d *drawing) Refresh()                     { d.raster.Refresh() }
func (d *drawing) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{d.raster} }
func (d *drawing) Destroy()                     {}
