package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// openWarning says what switching the network on means.
const openWarning = "Anyone on this network can read and write all streams, without a key. Use it only on a network whose every device you trust."

// askOpen asks before the network is let in.
func askOpen(w fyne.Window, answer func(yes bool)) {
	ask := dialog.NewCustomConfirm("Open the relay to this network?", "Open it", "Keep it closed", newProse(openWarning, theme.ColorNameForeground), safely(answer), w)
	ask.SetConfirmImportance(widget.DangerImportance)
	ask.Resize(fyne.NewSize(440, 200)) // wide enough for the sentence on three lines
	ask.Show()
}
