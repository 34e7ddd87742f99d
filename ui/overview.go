package ui

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// overview is the first screen: what needs the owner, and what the relay has
// been doing.
type overview struct {
	shell    *shell
	streams  *streams // the screens that know the rest
	network  *network
	figures  console.Overview
	activity console.Activity
	loaded   bool
	minute   time.Time // the newest that is shown

	attention        *attention
	welcome          *fyne.Container
	writes, reads    *timeChart
	held, used, free *words
	full             *prose
	checked          *words
	check            *check
	busy             *busyList
	devices          *deviceList
	parts            *fyne.Container
	shape            fyne.Size // of the parts when they were laid out
	body             fyne.CanvasObject
	stage            *fyne.Container
}

func newOverview(s *shell, st *streams, n *network, follow func(lead), connect func()) *overview {
	v := &overview{
		shell: s, streams: st, network: n, attention: newAttention(follow),
		writes: newTimeChart("Writes", "write", "writes", theme.ColorNamePrimary),
		reads:  newTimeChart("Reads", "read", "reads", colorMuted),
		held:   newWords("", theme.ColorNameForeground), used: newWords("", theme.ColorNameForeground), free: newWords("", theme.ColorNameForeground),
		full: newProse("", theme.ColorNameForeground), busy: newBusyList(s.openStream), devices: newDeviceList(s.now),
	}
	v.checked, v.check = newWords("", theme.ColorNameForeground), newCheckUp(s, "Check everything", v.tell)
	for _, w := range []*words{v.held, v.used, v.free, v.checked} {
		w.shrinks = true
	}
	join := newButton("Connect a device", connect)
	join.Importance = widget.HighImportance
	v.welcome = container.NewStack(sheet(emptyState("Nothing has been written yet",
		newProse("Give an app the address of this relay. What it writes shows here, and its other devices get it from here.", colorMuted),
		flush(join),
	)))
	v.welcome.Hide()
	storage := stacked(0, fact("Entries", 0, v.held), fact("On disk", 0, v.used), fact("Free", 0, v.free), fact("Full in", 0, v.full),
		laid(atLeast(buttonHeight), stretched(smallGap, 1, fixedWidth(factWidth, newWords("Checked", colorMuted)), v.checked, v.check.begin)),
		v.check.under, v.check.told)
	busy := inset(stretched(smallGap, 0, strong("Most active streams"), caption("writes in the last hour")), gap, 10)
	devices := inset(stretched(smallGap, 0, strong("Devices"), v.devices.tally), gap, 10)
	v.parts = stacked(gap,
		v.welcome,
		sheet(stacked(0, inset(strong("Needs attention"), gap, 10), widget.NewSeparator(), v.attention.content)),
		laid(halves{}, sheet(v.writes.content), sheet(v.reads.content)),
		laid(halves{}, section("Storage", storage), sheet(stacked(0, busy, widget.NewSeparator(), inset(v.busy.content, smallGap, 6)))),
		sheet(stacked(0, devices, widget.NewSeparator(), v.devices.content)),
	)
	v.body = scrolled(v.parts)
	v.stage = container.NewStack(container.NewVBox(newWords("Looking at the relay…", colorMuted)))
	return v
}

func (v *overview) title() string              { return "Overview" }
func (v *overview) content() fyne.CanvasObject { return v.stage }
func (v *overview) restless() bool             { return false }

// load reads what clients do, and what the screens of streams and of the network
// show: the overview is made of that.
func (v *overview) load(ctx context.Context) (func(), error) {
	activity, err := v.recent(ctx)
	if err != nil {
		return nil, err
	}
	showStreams, err := v.streams.load(ctx)
	if err != nil {
		return nil, err
	}
	showNetwork, err := v.network.load(ctx)
	if err != nil {
		return nil, err
	}
	return func() {
		showStreams()
		showNetwork()
		v.busy.show(v.streams.all)
		if !v.loaded {
			v.loaded = true
			v.stage.Objects = []fyne.CanvasObject{v.body}
			v.shape = fyne.Size{} // it has not been laid out here
		}
		v.show(activity)
	}, nil
}

func (v *overview) recent(ctx context.Context) (console.Activity, error) {
	activity, err := v.shell.console.Activity(ctx)
	if err != nil {
		return activity, fmt.Errorf("what apps have been doing cannot be told: %w", err)
	}
	return activity, nil
}

// show shows what apps have been doing.
func (v *overview) show(a console.Activity) {
	v.activity = a
	starts, writes, reads := make([]time.Time, len(a.Minutes)), make([]int, len(a.Minutes)), make([]int, len(a.Minutes))
	for i, m := range a.Minutes {
		starts[i], writes[i], reads[i] = m.Start, m.Writes, m.Reads
		v.minute = m.Start
	}
	v.writes.show(starts, writes)
	v.reads.show(starts, reads)
	v.devices.show(a.Devices)
	v.tell()
}

// know takes in the figures of the relay and what needs its owner.
func (v *overview) know(o console.Overview, list []matter) {
	v.figures = o
	v.attention.show(list)
	v.tell()
}

// tell tells what follows from figures and activity.
func (v *overview) tell() {
	o := v.figures
	v.held.set(fmt.Sprintf("%s in %s, %s", number(o.Entries), counted(o.Streams, "stream", "streams"), byteSize(o.Bytes)))
	v.used.set(byteSize(o.DiskUsed))
	v.free.set("not known on this system")
	if o.DiskFree > 0 {
		v.free.set(byteSize(o.DiskFree))
	}
	v.full.set(sentence(fullIn(o.DiskFree, v.activity.Minutes, v.shell.now().Sub(o.Started))))
	v.checked.set(checkedWhen(o, v.shell.now()))
	v.welcome.Hidden = o.Streams > 0
	// Each part shows by itself what is new in it; together they are laid out
	// anew only when one has become higher or lower.
	if shape := v.parts.MinSize(); v.shape != shape {
		v.shape = shape
		v.stage.Refresh()
	}
}

// age lets times grow older and looks at what no pulse tells of: reads. A new
// minute moves all charts.
func (v *overview) age() {
	if !v.loaded {
		return
	}
	v.devices.fill()
	v.checked.set(checkedWhen(v.figures, v.shell.now()))
	if v.shell.now().Sub(v.minute) >= time.Minute {
		v.shell.look()
		return
	}
	v.shell.later(func(ctx context.Context) (func(), error) {
		activity, err := v.recent(ctx)
		return func() { v.show(activity) }, err
	}, func(error) {}) // the next look tells
}

// checkedWhen says when every chain was last walked. A relay does that by itself,
// soon after its start and then every day.
func checkedWhen(o console.Overview, now time.Time) string {
	if o.Checked.IsZero() {
		return "not yet"
	}
	return ago(o.Checked, now)
}
