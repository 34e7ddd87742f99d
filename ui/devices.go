package ui

import (
	"net/netip"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

const (
	// devicesFew is how many devices are shown until the person asks for all:
	// about a home's.
	devicesFew = 8

	// present is how long ago a device was seen that is called here now. Apps
	// that wait for changes come back within a minute.
	present = 2 * time.Minute
)

var deviceColumns = columns{least: 120, list: []column{
	{title: "Device", width: 150, style: fyne.TextStyle{Bold: true}, color: theme.ColorNameForeground},
	{title: "Did", color: theme.ColorNameForeground},
	{title: "Seen", width: 84, color: colorMuted},
	{title: "Writes", width: 76, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 1},
	{title: "Reads", width: 76, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 1},
}}

// deviceList is the clients that were seen lately.
type deviceList struct {
	now     func() time.Time
	devices []console.Device
	all     bool // the person wants to see all

	tally   *words
	rows    []*row
	lines   *fyne.Container
	none    *fyne.Container
	more    *widget.Button
	content fyne.CanvasObject
}

func newDeviceList(now func() time.Time) *deviceList {
	l := &deviceList{now: now, tally: caption(""), lines: stacked(0)}
	l.none = inset(newProse("No app has come by since Hearth was started. Give an app one of the relay's addresses, and its device shows here.", colorMuted), gap, 10)
	l.more = newButton("", func() { l.all = !l.all; l.fill() })
	l.more.Importance = widget.LowImportance
	l.more.Hide()
	l.content = stacked(0, l.none, l.lines, l.more)
	return l
}

func (l *deviceList) show(devices []console.Device) {
	l.devices = devices
	l.fill()
}

// fill brings the rows in line with the devices and with the time.
func (l *deviceList) fill() {
	n := len(l.devices)
	if !l.all {
		n = min(n, devicesFew)
	}
	for len(l.rows) < n {
		r := newRow(&deviceColumns, fineRow)
		if len(l.rows) == 0 {
			l.lines.Add(newHeader(&deviceColumns))
		}
		l.rows = append(l.rows, r)
		l.lines.Add(widget.NewSeparator())
		l.lines.Add(r)
	}
	here, now := 0, l.now()
	for _, d := range l.devices {
		if now.Sub(d.Seen) < present {
			here++
		}
	}
	for i, r := range l.rows {
		if i < n {
			d := l.devices[i]
			cells := []string{deviceName(d), did(d), ago(d.Seen, now), number(d.Writes), number(d.Reads)}
			if !slices.Equal(r.state.cells, cells) {
				r.set(rowState{cells: cells})
			}
		}
		l.lines.Objects[2*i+1].(*widget.Separator).Hidden, r.Hidden = i >= n, i >= n
	}
	l.lines.Hidden = n == 0
	l.none.Hidden = n > 0
	l.tally.set("")
	if n > 0 {
		l.tally.set(number(here) + " here now")
	}
	l.more.Hidden = len(l.devices) <= devicesFew
	label := "Show all " + number(len(l.devices))
	if l.all {
		label = "Show fewer"
	}
	if l.more.Text != label {
		l.more.SetText(label)
	}
}

// deviceName is what the device is called: its address, and its key if it has one.
func deviceName(d console.Device) string {
	name := d.Client
	if a, err := netip.ParseAddr(d.Client); err == nil && a.IsLoopback() {
		name = "this machine"
	}
	if name == "" {
		name = "unknown"
	}
	if d.Key != "" {
		name += " · key " + d.Key
	}
	return name
}

// did is what the device did when it was seen.
func did(d console.Device) string {
	stream := d.Stream
	if stream == "" {
		stream = "a stream"
	}
	switch d.Action {
	case console.ActionWrite:
		return "wrote to " + stream
	case console.ActionRead:
		return "read " + stream
	case console.ActionWait:
		return "waited for changes"
	case console.ActionFollow:
		return "followed " + stream
	case console.ActionRefused:
		if d.Stream == "" {
			return "was refused"
		}
		return "was refused " + d.Stream
	default:
		return "used the relay"
	}
}
