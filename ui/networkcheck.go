package ui

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// selfTest finds out, when asked, what keeps other devices from the relay.
type selfTest struct {
	shell   *shell
	changed func()          // the room that is taken is another one
	reveal  func()          // brings what is shown into view
	cancel  func()          // ends the run; nil while there is none
	run     int             // counts the runs: what an ended one finds is not shown
	checks  []console.Check // of the last run
	at      time.Time       // when that ended; zero if none has

	button  *widget.Button
	told    *prose
	below   *fyne.Container // the progress of a run, or what it found
	content *fyne.Container
}

// besideButton is the room above and below a line of text that puts it level with
// a button's label.
const besideButton = 7

// selfTestIntro is told before the first run.
const selfTestIntro = "Tries what a device needs to find this relay and to reach it. It takes a few seconds and changes nothing."

func newSelfTest(s *shell, changed, reveal func()) *selfTest {
	t := &selfTest{shell: s, changed: changed, reveal: reveal, told: newProse(selfTestIntro, colorMuted), below: stacked(0)}
	t.button = newButton("Test the network", t.start)
	t.content = stacked(0,
		inset(container.NewBorder(nil, nil, nil, container.NewVBox(t.button), laid(layout.NewCustomPaddedLayout(besideButton, besideButton, 0, gap), t.told)), gap, 10),
		t.below,
	)
	return t
}

// start begins a run aside from the UI thread.
func (t *selfTest) start() {
	if t.cancel != nil {
		return
	}
	t.run++
	run := t.run
	halted, halt := context.WithCancel(context.Background())
	bar := widget.NewProgressBarInfinite() // a new one each time: it moves from when it is drawn
	rest := t.shell.moves()
	t.cancel = func() {
		halt()
		bar.Stop()
		rest()
		t.cancel = nil
		t.button.Enable()
	}
	t.button.Disable()
	t.told.paint("Asking the devices on the network, and going to each address of the relay…", colorMuted)
	t.put(laid(layout.NewCustomPaddedLayout(0, 10, gap, gap),
		stretched(gap, 0, laid(atLeast(barHeight), bar), newButton("Cancel", t.giveUp))))
	t.reveal()
	t.shell.later(func(ctx context.Context) (func(), error) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(halted, stop)()
		checks, err := t.shell.console.SelfTest(ctx)
		if err != nil {
			return nil, err
		}
		return func() { t.end(run, func() { t.show(checks) }) }, nil
	}, func(err error) {
		t.end(run, func() {
			t.checks, t.at = nil, time.Time{}
			t.told.paint(sentence(fmt.Sprintf("the network cannot be tested: %v", err)), theme.ColorNameError)
			t.put()
		})
	})
}

// barHeight is enough to see the bar move.
const barHeight = 6

// end ends a run and tells what came of it, unless it was given up.
func (t *selfTest) end(run int, tell func()) {
	if run != t.run || t.cancel == nil {
		return
	}
	t.cancel()
	tell()
}

// giveUp ends the run; what an earlier one found shows again.
func (t *selfTest) giveUp() {
	if t.cancel == nil {
		return
	}
	t.cancel()
	t.told.paint("The test was cancelled.", colorMuted)
	t.list()
}

// show tells what a run found.
func (t *selfTest) show(checks []console.Check) {
	t.checks, t.at = checks, t.shell.now()
	t.age()
	t.list()
}

// age tells how the last run ended, and when that was.
func (t *selfTest) age() {
	if t.at.IsZero() || t.cancel != nil {
		return
	}
	failed, unknown := 0, 0
	for _, c := range t.checks {
		switch c.Outcome {
		case console.OutcomeBad:
			failed++
		case console.OutcomeUnknown:
			unknown++
		}
	}
	summary, color := "All of it is fine.", theme.ColorNameSuccess
	switch {
	case failed == 0 && unknown > 0:
		summary, color = "Nothing is wrong as far as can be seen from here.", theme.ColorNameForeground
	case failed == 1:
		summary, color = "One thing wants a look.", theme.ColorNameForeground
	case failed > 1:
		summary, color = number(uint64(failed))+" things want a look.", theme.ColorNameForeground
	}
	t.told.paint(summary+" Tested "+ago(t.at, t.shell.now())+".", color)
}

// list shows what the last run found.
func (t *selfTest) list() {
	var lines []fyne.CanvasObject
	for _, c := range t.checks {
		lines = append(lines, widget.NewSeparator(), checkLine(c))
	}
	t.put(lines...)
}

func (t *selfTest) put(lines ...fyne.CanvasObject) {
	t.below.Objects = lines
	t.changed()
}

// checkLine tells one check: how it came out, what was seen, and what to do.
func checkLine(c console.Check) fyne.CanvasObject {
	word := newWords("OK", theme.ColorNameSuccess)
	switch c.Outcome {
	case console.OutcomeBad:
		word = newWords("Not OK", theme.ColorNameError)
	case console.OutcomeUnknown:
		word = newWords("Not seen", colorMuted)
	}
	word.style.Bold = true
	title := newProse("", theme.ColorNameForeground)
	title.style.TextStyle.Bold = true
	title.set(c.Title)
	told := stacked(3, title, newProse(c.Detail, colorMuted))
	if c.Todo != "" {
		told.Add(unindented(selectable(c.Todo)))
	}
	if c.Command != "" {
		told.Add(newProse("Run this in a terminal:", theme.ColorNameForeground))
		told.Add(newPanel(theme.ColorNameBackground, colorNone, 6, inset(typed(c.Command), smallGap, 0)))
	}
	return inset(container.NewBorder(nil, nil, container.NewVBox(fixedWidth(checkWidth, word)), nil, told), gap, 9)
}

// checkWidth has room for the words that say how a check came out.
const checkWidth = 64

// typed is a command, to be copied: it is too long to type off.
func typed(command string) fyne.CanvasObject {
	label := selectable(command)
	label.TextStyle.Monospace = true
	copied := newCopyButton("", func() string { return command })
	return container.NewBorder(nil, nil, nil, container.NewCenter(copied.Button), unindented(label))
}

// selectable is text of which a person may want a part elsewhere.
func selectable(text string) *widget.Label {
	label := widget.NewLabel(text)
	label.Selectable = true
	label.Wrapping = fyne.TextWrapWord
	return label
}
