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

// addressMost is how many letters of an address the header has room for; IPv6
// ones can be longer, and are told whole where a device is connected.
const addressMost = 28

// header says in a sentence whether all is well, and if not, why and what to do;
// where the relay is reached, and who may.
type header struct {
	follow  func(lead)
	service string

	dot                           *panel
	state, address, open, waiting *words
	look                          *pressable // leads to what wants a look
	looking                       bool       // that is what shows below
	others                        *words     // how many addresses there are beside the first
	more                          *pressable // leads to them
	copy                          *copyButton
	url                           string
	problem                       *prose
	solve                         *widget.Button // leads to where the problem is solved
	to                            lead
	strip                         *fyne.Container
	content                       *fyne.Container
}

// newHeaderBar makes a header; look shows all that needs the owner, connect how a
// device is connected, and follow leads to where something is solved.
// service is what to do when the relay is a service that does not answer.
func newHeaderBar(look, connect func(), follow func(lead), service string) *header {
	h := &header{
		follow: follow, service: service,
		state: strong("Starting"), address: code(""), open: newWords("", colorMuted), waiting: newWords("", colorMuted),
		problem: newProse("", theme.ColorNameError),
	}
	h.state.size = theme.SizeNameSubHeadingText
	h.address.color = colorMuted
	h.waiting.shrinks = true
	disc := canvas.NewRectangle(color.Transparent)
	disc.SetMinSize(fyne.NewSquareSize(10))
	h.dot = newPanel(colorMuted, colorNone, 5, disc)
	see := caption("See what")
	see.color = theme.ColorNamePrimary
	h.look = newPressable(inset(see, 7, 3), look)
	h.look.setChosen(true) // looks like something to press
	h.look.Hide()
	h.copy = newCopyButton("", func() string { return h.url })
	h.copy.Hide()
	h.others = caption("")
	h.others.color = theme.ColorNamePrimary
	h.more = newPressable(inset(h.others, 5, 3), connect)
	h.more.Hide()
	join := newButton("Connect a device", connect)
	join.Importance = widget.HighImportance
	told := stacked(0,
		laid(atLeast(24), beside(10, h.dot, h.state, h.look)),
		laid(atLeast(28), stretched(4, 4, h.address, h.copy.Button, h.more, h.open, h.waiting)),
	)
	bar := inset(stretched(12, 0, told, join), gap, 8)
	h.solve = newButton("", func() { h.follow(h.to) })
	trouble := container.NewBorder(nil, nil, nil, container.NewCenter(h.solve), h.problem)
	h.strip = container.NewStack(newPanel(colorAlarm, colorNone, 0, inset(trouble, gap, 10)))
	h.strip.Hide()
	h.content = stacked(0, newPanel(colorSurface, colorNone, 0, bar), widget.NewSeparator(), h.strip)
	return h
}

// show tells where the relay is reached, by whom, and what needs the owner.
func (h *header) show(o console.Overview, list []matter) {
	h.judge(list)
	h.url = ""
	if len(o.URLs) > 0 {
		h.url = o.URLs[0]
		h.copy.Show()
	} else {
		h.copy.Hide()
	}
	h.others.set("+ " + number(max(0, len(o.URLs)-1)) + " more")
	h.more.Hidden = len(o.URLs) < 2
	h.address.set(shortened(strings.TrimPrefix(h.url, "http://"), addressMost))
	if o.Open {
		h.open.paint("open to this network", theme.ColorNameError)
	} else {
		h.open.paint("this machine only", colorMuted)
	}
	waiting := "· " + number(o.Waiting) + " waiting now"
	if h.service != "" {
		waiting += " · a service, which goes on without this window"
	}
	h.waiting.set(waiting)
	h.content.Refresh()
}

// judge says whether all is well.
func (h *header) judge(list []matter) {
	n := pressing(list)
	switch {
	case n == 0:
		h.say("All is well", theme.ColorNameSuccess, "")
	case list[0].weight == alarm:
		m := list[0]
		h.say("Something is wrong", theme.ColorNameError, strings.TrimSpace(m.title+" "+m.todo))
		h.to = m.lead
		h.solve.SetText(m.button)
		h.solve.Show()
	case n == 1:
		h.say("Running, and one thing wants a look", theme.ColorNameWarning, "")
	default:
		h.say("Running, and "+number(n)+" things want a look", theme.ColorNameWarning, "")
	}
	h.look.Hidden = n == 0 || h.looking
}

// above takes in whether what wants a look shows below the header.
func (h *header) above(looking bool) {
	h.looking = looking
	if looking {
		h.look.Hide()
	}
}

// unreachable says that nothing is known of the relay.
func (h *header) unreachable(err error) {
	h.say("Not reachable", theme.ColorNameError, strings.TrimSpace(sentence("the relay does not answer this window: "+err.Error())+" "+h.service))
	h.solve.Hide()
	h.look.Hide()
	h.content.Refresh()
}

func (h *header) say(state string, color fyne.ThemeColorName, problem string) {
	h.state.set(state)
	h.dot.paint(color)
	h.problem.set(problem)
	h.strip.Hidden = problem == ""
}
