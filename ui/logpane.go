package ui

import (
	"log/slog"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// logPane shows the program's log, the newest line first, and the whole of a
// line that is chosen.
type logPane struct {
	shell   *shell
	lines   []console.LogLine // newest first
	picked  uint64            // the number of the chosen line; 0 for none
	list    *rowList
	tally   *words
	whole   *widget.Label
	lower   *fyne.Container
	back    *widget.Button
	content fyne.CanvasObject
}

// logRowBytes is how much of a line is looked at for its row: more than any
// window has room for.
const logRowBytes = 512

var logColumns = &columns{least: 200, list: []column{
	{title: "Time", width: 66, color: colorMuted},
	{title: "Level", width: 62, color: theme.ColorNameForeground, style: fyne.TextStyle{Bold: true}},
	{title: "What happened", color: theme.ColorNameForeground},
}}

func newLogPane(s *shell, back func()) *logPane {
	v := &logPane{shell: s, tally: newWords("", colorMuted), whole: widget.NewLabel("")}
	v.whole.Wrapping = fyne.TextWrapWord
	v.whole.Selectable = true
	v.whole.TextStyle.Monospace = true
	v.list = newRowList(logColumns, rowHeight, v)
	v.back = newIconButton("Settings", theme.NavigateBackIcon(), back)
	copied := newCopyButton("Copy all", v.text)
	v.lower = container.NewBorder(widget.NewSeparator(), nil, nil, nil, inset(container.NewVScroll(v.whole), smallGap, 0))
	v.lower.Hide()
	v.content = capped(
		stretched(12, 1, v.back, v.tally, copied.Button),
		laid(topMargin(12), sheet(laid(upperAndLower{}, v.list.framed(newHeader(logColumns)), v.lower))),
	)
	return v
}

// began puts the keyboard where one reads.
func (v *logPane) began() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.list); c != nil {
		c.Focus(v.back)
	}
}

// show takes the latest lines in, the oldest first.
func (v *logPane) show(lines []console.LogLine) {
	if len(lines) == 0 || len(v.lines) > 0 && lines[len(lines)-1].Number == v.lines[0].Number {
		return
	}
	came := int(lines[len(lines)-1].Number)
	if len(v.lines) > 0 {
		came -= int(v.lines[0].Number)
	}
	v.lines = v.lines[:0]
	for i := range lines {
		v.lines = append(v.lines, lines[len(lines)-1-i])
	}
	v.tally.set("The latest " + counted(len(v.lines), "line", "lines") + ", newest first")
	v.list.Refresh()
	v.list.keepPlace(came)
}

func (v *logPane) count() int { return len(v.lines) }

func (v *logPane) row(i int) rowState {
	line := v.lines[i]
	name, tone := levelWord(line.Level)
	return rowState{
		cells: []string{line.Time.Local().Format("15:04:05"), name, line.Text[:min(len(line.Text), logRowBytes)]},
		tones: []fyne.ThemeColorName{"", tone, ""},
	}
}

func (v *logPane) chosen() int {
	if v.picked == 0 || len(v.lines) == 0 {
		return -1
	}
	i := int(v.lines[0].Number) - int(v.picked)
	if i >= len(v.lines) {
		return -1
	}
	return i
}

func (v *logPane) choose(i int) {
	line := v.lines[i]
	v.picked = line.Number
	v.whole.SetText(logText(line))
	if v.lower.Hidden {
		v.lower.Show()
		v.content.Refresh()
	}
}

// text is the whole log as it is copied, the oldest line first.
func (v *logPane) text() string {
	var b strings.Builder
	for i := range v.lines {
		b.WriteString(logText(v.lines[len(v.lines)-1-i]) + "\n")
	}
	return b.String()
}

func logText(line console.LogLine) string {
	name, _ := levelWord(line.Level)
	return line.Time.Local().Format("2006-01-02 15:04:05.000") + " " + name + " " + line.Text
}

// levelWord says what a level is called, and which colour goes with it.
func levelWord(level slog.Level) (string, fyne.ThemeColorName) {
	switch {
	case level >= slog.LevelError:
		return "error", theme.ColorNameError
	case level >= slog.LevelWarn:
		return "warning", theme.ColorNameWarning
	case level >= slog.LevelInfo:
		return "info", theme.ColorNameForeground
	default:
		return "debug", colorMuted
	}
}
