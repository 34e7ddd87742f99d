package ui

import (
	"context"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Tell shows why the program cannot start, and what to do, to someone who
// started it where nobody reads what it prints. It returns when that is closed
// or ctx is done, must be called from the main goroutine, and takes the place
// of Run.
func Tell(ctx context.Context, trouble, hint, version string) {
	a := newApp(version, hearthTheme{})
	w := a.NewWindow("Hearth")
	w.SetContent(newTelling(trouble, hint, w.Close))
	w.SetMaster()
	w.SetFixedSize(true)
	w.Resize(fyne.NewSize(480, 0)) // a sentence in a few lines
	w.CenterOnScreen()
	stop := context.AfterFunc(ctx, func() { fyne.Do(a.Driver().Quit) })
	defer stop()
	w.ShowAndRun()
}

func newTelling(trouble, hint string, quit func()) fyne.CanvasObject {
	mark := canvas.NewImageFromResource(theme.NewErrorThemedResource(icon))
	mark.FillMode = canvas.ImageFillContain
	mark.SetMinSize(fyne.NewSquareSize(32))
	title := strong("Hearth cannot start")
	title.size = theme.SizeNameSubHeadingText
	lines := stacked(smallGap, title, newProse(sentence(trouble), theme.ColorNameForeground))
	if hint != "" {
		lines.Add(newProse(sentence(hint), colorMuted))
	}
	button := newButton("Quit", quit)
	button.Importance = widget.HighImportance
	return inset(stacked(gap,
		container.NewBorder(nil, nil, container.NewVBox(inset(mark, smallGap, 0)), nil, lines),
		container.NewBorder(nil, nil, nil, button),
	), gap, gap)
}

// newApp makes the toolkit's app; there can be one to a process.
func newApp(version string, look fyne.Theme) fyne.App {
	startNoBus()
	// The toolkit makes its own folder in there, but not that of a new home.
	if cache, err := os.UserCacheDir(); err == nil {
		_ = os.MkdirAll(cache, 0o700) // the toolkit says so if it cannot be used
	}
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Hearth", Version: version, Icon: icon})
	a := app.NewWithID(appID)
	a.Settings().SetTheme(look)
	a.SetIcon(icon)
	return a
}
