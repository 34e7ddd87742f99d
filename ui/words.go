package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// words is one line of text without margins. Its colour and size are names, so
// that it follows a change of theme.
type words struct {
	widget.BaseWidget
	text  string
	color fyne.ThemeColorName
	size  fyne.ThemeSizeName
	style fyne.TextStyle

	// shrinks lets the line become as narrow as it must; what does not fit then
	// is left out at its end, or in its middle.
	shrinks, middle bool
}

func newWords(text string, color fyne.ThemeColorName) *words {
	w := &words{text: text, color: color, size: theme.SizeNameText}
	w.ExtendBaseWidget(w)
	return w
}

func caption(text string) *words {
	w := newWords(text, colorMuted)
	w.size = theme.SizeNameCaptionText
	return w
}

func strong(text string) *words {
	w := newWords(text, theme.ColorNameForeground)
	w.style.Bold = true
	return w
}

// code is for what machines made up: identities, links, addresses.
func code(text string) *words {
	w := newWords(text, theme.ColorNameForeground)
	w.style.Monospace = true
	w.size = theme.SizeNameCaptionText
	return w
}

func (w *words) set(text string) { w.paint(text, w.color) }

func (w *words) paint(text string, color fyne.ThemeColorName) {
	if w.text == text && w.color == color {
		return
	}
	w.text, w.color = text, color
	w.Refresh()
}

func (w *words) CreateRenderer() fyne.WidgetRenderer {
	r := steadied(&wordsRenderer{words: w, line: canvas.NewText("", color.Transparent)})
	r.Refresh()
	return r
}

type wordsRenderer struct {
	words *words
	line  *canvas.Text
}

func (r *wordsRenderer) Layout(size fyne.Size) {
	r.line.Text = r.words.text
	if r.words.shrinks {
		r.line.Text = ellipsis(r.words.text, r.words.middle, size.Width, r.line.TextSize, r.line.TextStyle)
	}
	height := r.line.MinSize().Height
	r.line.Move(fyne.NewPos(0, (size.Height-height)/2))
	r.line.Resize(fyne.NewSize(size.Width, height))
}

func (r *wordsRenderer) MinSize() fyne.Size {
	size := fyne.MeasureText(r.words.text, r.line.TextSize, r.line.TextStyle)
	if r.words.shrinks {
		size.Width = min(size.Width, 2*r.line.TextSize)
	}
	return size
}

func (r *wordsRenderer) Refresh() {
	th := r.words.Theme()
	r.line.Color = th.Color(r.words.color, fyne.CurrentApp().Settings().ThemeVariant())
	r.line.TextSize = th.Size(r.words.size)
	r.line.TextStyle = r.words.style
	r.Layout(r.words.Size())
	r.line.Refresh()
}

func (r *wordsRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *wordsRenderer) Destroy()                     {}

// ellipsis leaves out the end of a text, or its middle, until it is at most width
// wide.
func ellipsis(text string, middle bool, width, size float32, style fyne.TextStyle) string {
	fits := func(s string) bool { return fyne.MeasureText(s, size, style).Width <= width }
	if fits(text) {
		return text
	}
	runes := []rune(text)
	low, high := 0, len(runes) // low runes fit, high do not
	for low+1 < high {
		half := (low + high) / 2
		if fits(cut(runes, half, middle)) {
			low = half
		} else {
			high = half
		}
	}
	return cut(runes, low, middle)
}

// cut leaves n letters of a text: its beginning, or that and as much of its end.
func cut(text []rune, n int, middle bool) string {
	end := 0
	if middle {
		end = n / 2
	}
	return string(text[:n-end]) + "…" + string(text[len(text)-end:])
}

// prose is text of any length that wraps at words.
type prose struct {
	widget.BaseWidget
	text  *widget.RichText
	style widget.RichTextStyle
}

func newProse(text string, color fyne.ThemeColorName) *prose {
	p := &prose{text: widget.NewRichText(), style: widget.RichTextStyle{ColorName: color, SizeName: theme.SizeNameText}}
	p.text.Wrapping = fyne.TextWrapWord
	p.text.Segments = []widget.RichTextSegment{&widget.TextSegment{Text: text, Style: p.style}}
	p.ExtendBaseWidget(p)
	return p
}

// remark is running text that is less important than what it stands under.
func remark(text string) *prose {
	p := newProse("", colorMuted)
	p.style.SizeName = theme.SizeNameCaptionText
	p.set(text)
	return p
}

func (p *prose) set(text string) { p.paint(text, p.style.ColorName) }

func (p *prose) paint(text string, color fyne.ThemeColorName) {
	line := p.text.Segments[0].(*widget.TextSegment)
	if line.Text == text && p.style.ColorName == color {
		return
	}
	p.style.ColorName = color
	line.Text, line.Style = text, p.style
	p.text.Refresh()
}

func (p *prose) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(laid(borderless{p.text.Theme}, p.text))
}

// borderless takes back the border that Fyne leaves around its texts. A theme
// without one would do too, but Fyne loads all fonts again for each place that
// has a theme of its own, whenever that is shown, and keeps them for good.
type borderless struct {
	theme func() fyne.Theme
}

func (b borderless) border() float32 { return b.theme().Size(theme.SizeNameInnerPadding) }

func (b borderless) MinSize(text []fyne.CanvasObject) fyne.Size {
	return text[0].MinSize().SubtractWidthHeight(2*b.border(), 2*b.border())
}

func (b borderless) Layout(text []fyne.CanvasObject, size fyne.Size) {
	text[0].Move(fyne.NewPos(-b.border(), -b.border()))
	text[0].Resize(size.AddWidthHeight(2*b.border(), 2*b.border()))
}
