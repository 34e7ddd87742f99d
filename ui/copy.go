package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// copiedFor is how long a button says that it has copied: long enough to be
// seen, short enough to be true.
const copiedFor = 1500 * time.Millisecond

// copyButton puts a text on the clipboard and says so by its icon.
type copyButton struct {
	*widget.Button
	text func() string
	said *fyne.Animation
}

// newCopyButton makes a button with a label; without one it is just an icon.
func newCopyButton(label string, text func() string) *copyButton {
	b := &copyButton{text: text}
	b.Button = newIconButton(label, theme.ContentCopyIcon(), b.copy)
	if label == "" {
		b.Importance = widget.LowImportance
	}
	// An animation, because it ends on the UI thread.
	b.said = fyne.NewAnimation(copiedFor, func(done float32) {
		if done == 1 {
			b.SetIcon(theme.ContentCopyIcon())
		}
	})
	return b
}

func (b *copyButton) copy() {
	text := b.text()
	if text == "" {
		return
	}
	fyne.CurrentApp().Clipboard().SetContent(text)
	b.said.Stop()
	b.SetIcon(theme.ConfirmIcon())
	b.said.Start()
}
