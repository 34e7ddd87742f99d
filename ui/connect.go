package ui

import (
	"net/netip"
	"net/url"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// connect is the dialog that tells how a device reaches the relay: all its
// addresses, and one of them as a code for a camera.
type connect struct {
	frame   fyne.Window
	letIn   func(failed func(error)) // lets the network in
	test    func()                   // finds out what keeps a device away
	urls    []string
	public  bool // the network may come in
	chosen  string
	refused error // why the network could not be let in

	dialog *dialog.CustomDialog // nil while it is closed
	code   *qrCode
	body   *fyne.Container
}

func newConnect(frame fyne.Window, letIn func(failed func(error)), test func()) *connect {
	return &connect{frame: frame, letIn: letIn, test: test, code: newQRCode(), body: container.NewStack()}
}

// show takes in where the relay is reached; an open dialog follows.
func (c *connect) show(o console.Overview) {
	if slices.Equal(c.urls, o.URLs) && c.public == o.Open {
		return
	}
	if c.public != o.Open {
		c.chosen, c.refused = "", nil // what was best before is not now
	}
	c.urls, c.public = slices.Clone(o.URLs), o.Open
	if c.dialog != nil {
		c.fill()
	}
}

// open shows the dialog, once.
func (c *connect) open() {
	if c.dialog != nil || c.frame.Canvas().Overlays().Top() != nil {
		return
	}
	c.frame.Canvas().Unfocus() // so that Esc reaches the window
	c.fill()
	c.dialog = dialog.NewCustom("Connect a device", "Close", c.body, c.frame)
	c.dialog.SetOnClosed(safe(func() { c.dialog = nil }))
	c.dialog.Resize(fyne.NewSize(620, 0))
	c.dialog.Show()
}

// fill tells the addresses as they are now.
func (c *connect) fill() {
	if !slices.Contains(c.urls, c.chosen) {
		c.chosen = ""
		if len(c.urls) > 0 {
			c.chosen = c.urls[0]
		}
	}
	lines := stacked(2)
	for _, u := range c.urls {
		lines.Add(c.address(u))
	}
	if len(c.urls) == 0 {
		lines.Add(newProse("The relay listens nowhere just now. Its log and the Network screen say why.", theme.ColorNameError))
	}
	first := "Type one of these addresses into the app on the device, or scan the code with it."
	if !c.public {
		first = "An app on this machine reaches the relay here:"
	}
	told := stacked(12, newProse(first, theme.ColorNameForeground), lines)
	c.hint(told)
	side := c.side()
	c.body.Objects = []fyne.CanvasObject{container.NewBorder(nil, nil, container.NewVBox(side), nil, laid(layout.NewCustomPaddedLayout(0, gap, gap, 0), told))}
	c.body.Refresh()
}

// address is a line with an address: choose it for the code, or copy it.
func (c *connect) address(u string) fyne.CanvasObject {
	text := code(u)
	text.shrinks = true
	line := []fyne.CanvasObject{text}
	if isLocal(u) {
		line = append(line, caption("this machine only"))
	}
	choose := newPressable(laid(atLeast(32), inset(stretched(smallGap, 0, line...), 10, 0)), func() {
		c.chosen = u
		c.fill()
	})
	choose.setChosen(u == c.chosen)
	return container.NewBorder(nil, nil, nil, newCopyButton("", func() string { return u }).Button, choose)
}

// hint says what stands in the way of a device, or what it may do.
func (c *connect) hint(told *fyne.Container) {
	if c.public {
		told.Add(newProse("Anyone on this network can read and write all streams: there is no key.", theme.ColorNameError))
		told.Add(newProse("A device that finds nothing here is on another network, or a firewall on this machine keeps it out.", colorMuted))
		told.Add(flush(newButton("Test the network", func() {
			c.dialog.Hide()
			c.test()
		})))
		return
	}
	told.Add(newProse("Other devices cannot reach it yet. To let them in, open the relay to this network first.", colorMuted))
	told.Add(flush(newButton("Open to this network…", c.ask)))
	if c.refused != nil {
		told.Add(newProse(sentence(c.refused.Error()), theme.ColorNameError))
	}
}

// ask asks whether the network may come in, and goes on with the addresses.
func (c *connect) ask() {
	c.dialog.Hide()
	askOpen(c.frame, func(yes bool) {
		c.refused = nil
		if yes {
			c.letIn(c.fail)
		}
		c.open()
	})
}

// fail tells why the network could not be let in.
func (c *connect) fail(err error) {
	c.refused = err
	if c.dialog != nil {
		c.fill()
	}
}

// side is the code of the chosen address, or why there is none.
func (c *connect) side() fyne.CanvasObject {
	if c.chosen == "" || isLocal(c.chosen) {
		why := newProse("No code: this address leads a device to itself, not to this machine.", colorMuted)
		return fixedWidth(qrSide, laid(atLeast(qrSide), newPanel(theme.ColorNameButton, colorNone, rounding, inset(why, gap, gap))))
	}
	if err := c.code.set(c.chosen); err != nil {
		return fixedWidth(qrSide, newProse(sentence("the code cannot be drawn: "+err.Error()), theme.ColorNameError))
	}
	return c.code
}

// isLocal says whether an address is reached from this machine only.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
