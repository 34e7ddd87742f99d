package ui

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// header says how the relay is, where it is reached, and who may.
type header struct {
	dot                           *panel
	state, address, open, waiting *words
	copy                          *copyButton
	url                           string
	problem                       *prose
	strip                         *fyne.Container
	content                       *fyne.Container
}

func newHeaderBar() *header {
	h := &header{
		state: strong("Starting"), address: code(""), open: newWords("", colorMuted), waiting: newWords("", colorMuted),
		problem: newProse("", theme.ColorNameError),
	}
	h.state.size = theme.SizeNameSubHeadingText
	h.address.color = colorMuted
	h.waiting.shrinks = true
	disc := canvas.NewRectangle(color.Transparent)
	disc.SetMinSize(fyne.NewSquareSize(10))
	h.dot = newPanel(colorMuted, colorNone, 5, disc)
	h.copy = newCopyButton("Copy", func() string { return h.url })
	h.copy.Hide()
	bar := container.New(atLeast(56), inset(stretched(12, 4, h.dot, h.state, h.address, h.copy.Button, stretched(4, 1, h.open, h.waiting)), gap, 0))
	h.strip = container.NewStack(newPanel(colorAlarm, colorNone, 0, inset(h.problem, gap, 10)))
	h.strip.Hide()
	h.content = stacked(0, newPanel(colorSurface, colorNone, 0, bar), widget.NewSeparator(), h.strip)
	return h
}

func (h *header) show(o console.Overview) {
	h.say("Running", theme.ColorNameSuccess, "")
	if o.Problem != "" {
		h.say("Trouble", theme.ColorNameError, o.Problem)
	}
	h.url = ""
	if len(o.URLs) > 0 {
		h.url = o.URLs[0]
		h.copy.Show()
	} else {
		h.copy.Hide()
	}
	h.address.set(strings.TrimPrefix(h.url, "http://"))
	if o.Open {
		h.open.paint("open to everyone on this network", theme.ColorNameError)
	} else {
		h.open.paint("this machine only", colorMuted)
	}
	h.waiting.set("· " + number(o.Waiting) + " waiting now")
	h.content.Refresh()
}

// unreachable says that nothing is known of the relay.
func (h *header) unreachable(err error) {
	h.say("Not reachable", theme.ColorNameError, sentence("the relay does not answer this window: "+err.Error()))
	h.content.Refresh()
}

func (h *header) say(state string, color fyne.ThemeColorName, problem string) {
	h.state.set(state)
	h.dot.paint(color)
	h.problem.set(problem)
	h.strip.Hidden = problem == ""
}
