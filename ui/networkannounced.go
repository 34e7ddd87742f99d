package ui

import (
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// interfaceWidth has room for most names of network interfaces; longer ones
// wrap.
const interfaceWidth = 140

// announcedList tells on which network interfaces the relay is announced, and on
// which not and why.
type announcedList struct {
	last    console.Neighbourhood
	loaded  bool
	content *fyne.Container
}

func newAnnouncedList() *announcedList { return &announcedList{content: stacked(0)} }

// show says whether there was anything new to show.
func (l *announcedList) show(n console.Neighbourhood) bool {
	n.Found, n.Trouble = nil, "" // told elsewhere
	if l.loaded && reflect.DeepEqual(l.last, n) {
		return false
	}
	l.last, l.loaded = n, true
	l.content.Objects = nil
	if n.Quiet != "" {
		l.content.Add(inset(newProse(n.Quiet, colorMuted), 0, 4))
	}
	for _, a := range n.Announced {
		l.content.Add(interfaceLine(a.Interface,
			newProse("Announced as “"+abridged(a.Instance, nameMost)+"”", theme.ColorNameSuccess),
			newProse(strings.Join(a.Addresses, ", "), theme.ColorNameForeground)))
	}
	for _, u := range byReason(n.Unused) {
		l.content.Add(interfaceLine(strings.Join(u.names, ", "), newProse("Not announced: "+u.reason, colorMuted)))
	}
	return true
}

// interfaceLine is what there is to say about one or several interfaces.
func interfaceLine(names string, told ...fyne.CanvasObject) fyne.CanvasObject {
	name := fixedWidth(interfaceWidth, newProse(names, theme.ColorNameForeground))
	return inset(container.NewBorder(nil, nil, container.NewVBox(name), nil,
		laid(leftMargin(gap), stacked(2, told...))), 0, 5)
}

// unusedFor are the interfaces that are left out for one reason. A machine with
// containers has dozens of those.
type unusedFor struct {
	reason string
	names  []string
}

// byReason puts together what is left out for the same reason, in the order in
// which the reasons come up.
func byReason(unused []console.UnusedInterface) (list []unusedFor) {
	for _, u := range unused {
		i := slices.IndexFunc(list, func(l unusedFor) bool { return l.reason == u.Reason })
		if i < 0 {
			i = len(list)
			list = append(list, unusedFor{reason: u.Reason})
		}
		list[i].names = append(list[i].names, u.Interface)
	}
	return list
}
