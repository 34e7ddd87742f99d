package ui

import (
	"context"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// network is the screen of how the relay is reached and announced, and of what
// else is there.
type network struct {
	shell   *shell
	last    console.Neighbourhood
	urls    []string
	reached bool // the addresses are known

	reach     *fyne.Container
	announced *announcedList
	test      *selfTest
	found     *foundList
	typed     *typedRelay
	trouble   *prose
	testing   fyne.CanvasObject // the section of the self-test
	scroll    *container.Scroll
	body      fyne.CanvasObject
}

func newNetwork(s *shell) *network {
	v := &network{
		shell: s, reach: stacked(0), announced: newAnnouncedList(), found: newFoundList(s.now),
		trouble: newProse("", theme.ColorNameWarning),
	}
	v.test = newSelfTest(s, func() { v.body.Refresh() }, func() { v.reveal() })
	v.typed = newTypedRelay(s, func() { v.body.Refresh() })
	v.trouble.Hide()
	v.testing = section("Can other devices find and reach it?", unpadded(v.test.content))
	v.scroll = scroll(stacked(gap,
		v.trouble,
		section("Where apps reach this relay", v.reach),
		section("How it is announced", v.announced.content),
		v.testing,
		section("Relays on this network", unpadded(stacked(0, v.found.content, widget.NewSeparator(), v.typed.content))),
	))
	v.body = besideBar(v.scroll)
	return v
}

// section is a sheet with a heading.
func section(title string, content fyne.CanvasObject) fyne.CanvasObject {
	return sheet(stacked(0, inset(strong(title), gap, 10), widget.NewSeparator(), inset(content, gap, 6)))
}

func (v *network) title() string              { return "Network" }
func (v *network) content() fyne.CanvasObject { return v.body }
func (v *network) restless() bool             { return true } // the network changes without a word

func (v *network) load(ctx context.Context) (func(), error) {
	n, err := v.shell.console.Neighbourhood(ctx)
	if err != nil {
		return nil, fmt.Errorf("the network cannot be looked at: %w", err)
	}
	return func() { v.show(n) }, nil
}

// reachable tells the screen where clients reach the relay.
func (v *network) reachable(urls []string) {
	if v.reached && slices.Equal(v.urls, urls) {
		return
	}
	v.reached, v.urls = true, slices.Clone(urls)
	v.reach.Objects = nil
	for _, url := range urls {
		remark := ""
		if isLocal(url) {
			remark = "this machine only"
		}
		v.reach.Add(address(url, remark))
	}
	if len(urls) == 0 {
		v.reach.Add(inset(newProse("The relay listens nowhere just now. Its log says why.", theme.ColorNameError), 0, 4))
	}
	v.body.Refresh()
}

// address is a URL that can be copied, with what there is to say about it.
func address(url, remark string) fyne.CanvasObject {
	text := code(url)
	text.shrinks = true
	copied := newCopyButton("", func() string { return url })
	return laid(atLeast(30), stretched(smallGap, 0, text, caption(remark), copied.Button))
}

func (v *network) show(n console.Neighbourhood) {
	v.last = n
	troubled := v.trouble.Hidden == (n.Trouble != "")
	v.trouble.set(n.Trouble)
	v.trouble.Hidden = n.Trouble == ""
	// Both have their turn, whether or not the other one changed.
	announced, found := v.announced.show(n), v.found.show(n.Found)
	if troubled || announced || found {
		v.body.Refresh()
	}
}

// reveal scrolls to the self-test if its end is below what can be seen: that is
// where its progress shows.
func (v *network) reveal() {
	top, height := v.testing.Position().Y, v.testing.Size().Height
	if top+height > v.scroll.Offset.Y+v.scroll.Size().Height {
		v.scroll.ScrollToOffset(fyne.NewPos(0, top))
	}
}

func (v *network) age() {
	v.found.age()
	v.test.age()
}
