package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/assets"
	"hearth/relay/console"
)

// railWidth has room for the totals at its foot.
const railWidth = 176

var icon = fyne.NewStaticResource("hearth.svg", assets.Icon)

// rail is the list of screens at the side, with the totals at its foot.
type rail struct {
	items                           []*railItem
	version, streams, entries, disk *words
	content                         fyne.CanvasObject
}

func newRail(version string, titles []string, choose func(int), help func()) *rail {
	r := &rail{version: caption("Hearth " + version), streams: caption(""), entries: caption(""), disk: caption("")}
	for _, w := range []*words{r.version, r.streams, r.entries, r.disk} {
		w.shrinks = true
	}
	mark := canvas.NewImageFromResource(theme.NewPrimaryThemedResource(icon))
	mark.FillMode = canvas.ImageFillContain
	mark.SetMinSize(fyne.NewSquareSize(24))
	name := strong("Hearth")
	name.size = theme.SizeNameSubHeadingText
	top := stacked(4, inset(beside(10, mark, name), 10, 10))
	for i, title := range titles {
		item := newRailItem(title, func() { choose(i) })
		r.items = append(r.items, item)
		top.Add(item.pressable)
	}
	keys := newPressable(inset(stretched(smallGap, 0, caption("Shortcuts"), caption("F1")), 10, 5), help)
	foot := stacked(4, keys, widget.NewSeparator(), inset(stacked(2, r.version, r.streams, r.entries, r.disk), 10, 6))
	r.content = newPanel(colorSurface, colorNone, 0, fixedWidth(railWidth, inset(container.NewBorder(top, foot, nil, nil), smallGap, smallGap)))
	return r
}

func (r *rail) choose(i int) {
	for j, item := range r.items {
		item.setChosen(i == j)
	}
}

func (r *rail) show(o console.Overview) {
	r.streams.set(counted(o.Streams, "stream", "streams"))
	r.entries.set(counted(o.Entries, "entry", "entries"))
	disk := byteSize(o.DiskUsed) + " used"
	if o.DiskFree > 0 {
		disk += " · " + byteSize(o.DiskFree) + " free"
	}
	r.disk.set(disk)
}

// railItem is one screen in the rail.
type railItem struct {
	*pressable
	title *words
	count *words
	badge *panel
}

func newRailItem(title string, tapped func()) *railItem {
	i := &railItem{title: newWords(title, theme.ColorNameForeground), count: newWords("", theme.ColorNameForegroundOnError)}
	i.count.size = theme.SizeNameCaptionText
	i.count.style.Bold = true
	i.badge = newPanel(theme.ColorNameError, colorNone, 9, inset(i.count, 6, 1))
	i.badge.Hide()
	i.pressable = newPressable(laid(atLeast(34), inset(stretched(smallGap, 0, i.title, i.badge), 10, 0)), tapped)
	return i
}

// badgeMost is the largest number that a badge spells out.
const badgeMost = 99

func (i *railItem) setBadge(n int) {
	text := number(n)
	if n > badgeMost {
		text = number(badgeMost) + "+"
	}
	i.count.set(text)
	if i.badge.Hidden = n == 0; !i.badge.Hidden {
		i.badge.Refresh()
	}
	i.Refresh()
}

func (i *railItem) setChosen(chosen bool) {
	i.pressable.setChosen(chosen)
	i.title.style.Bold, i.title.color = chosen, theme.ColorNameForeground
	if chosen {
		i.title.color = theme.ColorNamePrimary
	}
	i.title.Refresh()
}
