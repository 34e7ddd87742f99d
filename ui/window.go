package ui

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// screen is one matter of the window.
type screen interface {
	title() string
	content() fyne.CanvasObject

	// load reads what the screen shows, aside from the UI thread, and returns
	// what puts it there.
	load(ctx context.Context) (show func(), err error)

	// age lets the times that are shown grow older.
	age()

	// restless says that the matter changes without a pulse of the console.
	restless() bool
}

// window is the whole of it: rail, header, and one screen at a time.
type window struct {
	shell   *shell
	aside   *aside
	frame   fyne.Window
	asked   chan struct{}
	current atomic.Int32

	figures  console.Overview
	reached  bool // the figures are those of now
	header   *header
	connect  *connect
	helping  *dialog.CustomDialog // nil before it was asked for
	rail     *rail
	overview *overview
	streams  *streams
	refusals *refusals
	network  *network
	settings *settings
	screens  []screen
	life     *life // nil until the window lives on a desktop
	faded    faded
	stage    *fyne.Container
	trouble  *prose
	notice   *fyne.Container
	content  fyne.CanvasObject
}

func newWindow(s *shell, a *aside, w fyne.Window, o Options) *window {
	v := &window{shell: s, aside: a, frame: w, asked: make(chan struct{}, 1), streams: newStreams(s), network: newNetwork(s)}
	stage = w
	s.look = v.look
	s.settled = func(console.Values) {}
	s.openStream = func(ref console.StreamRef) {
		v.streams.open(ref)
		v.visit(v.streams)
	}
	v.connect = newConnect(w, func(failed func(error)) { v.settings.letIn(true, failed) }, func() {
		v.visit(v.network)
		v.network.test.start()
	})
	v.header = newHeaderBar(func() { v.visit(v.overview) }, v.connect.open, v.lead, o.Service)
	v.overview = newOverview(s, v.streams, v.network, v.lead, v.connect.open)
	v.refusals = newRefusals(s, v.lead, func(n int) {
		v.rail.items[v.place(v.refusals)].setBadge(n)
		v.judge()
	})
	v.settings = newSettings(s, w, o.Folder, o.Service != "")
	v.screens = []screen{v.overview, v.streams, v.refusals, v.network, v.settings}
	var titles []string
	for _, screen := range v.screens {
		titles = append(titles, screen.title())
	}
	v.rail = newRail(o.Version, titles, v.choose, v.help)
	v.trouble = newProse("", theme.ColorNameError)
	again := newIconButton("Try again", theme.ViewRefreshIcon(), v.look)
	v.notice = container.NewBorder(nil, inset(widget.NewSeparator(), 0, smallGap), nil, again, v.trouble)
	v.notice.Hide()
	v.stage = container.NewStack()
	right := container.NewBorder(v.header.content, nil, nil, nil, inset(container.NewBorder(v.notice, nil, nil, nil, v.stage), gap, gap))
	v.content = laid(sideBySide{}, v.rail.content, widget.NewSeparator(), right)
	v.choose(0)
	v.listen()
	return v
}

// place says where in the rail a screen is.
func (v *window) place(s screen) int { return slices.Index(v.screens, s) }

// visit shows a screen.
func (v *window) visit(s screen) { v.choose(v.place(s)) }

// choose shows the screen that is at a place in the rail.
func (v *window) choose(i int) {
	v.current.Store(int32(i))
	v.rail.choose(i)
	v.header.above(v.screens[i] == v.overview)
	v.say("")
	v.stage.Objects = []fyne.CanvasObject{v.screens[i].content()}
	v.stage.Refresh()
	v.faded.freshen(v.screens[i])
	v.screens[i].age()
	v.look()
}

// look asks for a fresh look without delay.
func (v *window) look() {
	select {
	case v.asked <- struct{}{}:
	default: // one is on its way
	}
}

// follow keeps the window in line with the relay until the context is done.
func (v *window) follow(ctx context.Context) {
	changed, stop := v.shell.console.Changes()
	defer stop()
	pace(ctx, changed, v.asked, func() { v.aside.do(v.load(ctx)) }, func() {
		v.aside.do(v.age)
	})
}

// load reads everything that is visible, and returns what shows it.
func (v *window) load(ctx context.Context) func() {
	overview, overviewErr := guarded(func() (console.Overview, error) { return v.shell.console.Overview(ctx) })
	current := v.current.Load()
	screen := v.screens[current]
	show, err := func() {}, error(nil)
	unseen := v.hidden() // then nothing but the tray is to be kept in line
	if !unseen {
		show, err = guarded(func() (func(), error) { return screen.load(ctx) })
	}
	count := func() {}
	if screen != v.refusals || unseen { // they are counted in the rail all the same
		if f, err := guarded(func() (func(), error) { return v.refusals.load(ctx) }); err == nil {
			count = f
		}
	}
	return func() {
		defer func() { v.hear(overview, overviewErr) }()
		if overviewErr == nil {
			overviewErr = shown(func() { v.showOverview(overview); count(); v.judge() })
		}
		if overviewErr != nil {
			v.reached = false
			v.header.unreachable(overviewErr)
		}
		if v.current.Load() != current || unseen {
			return // the person is elsewhere by now
		}
		if err == nil {
			err = shown(func() { show(); v.judge() })
		}
		// A service that does not answer is told of above, and tried again anyhow.
		if err != nil && (v.reached || v.header.service == "") {
			v.say(sentence(err.Error()))
		} else {
			v.say("")
		}
	}
}

func (v *window) showOverview(o console.Overview) {
	v.figures, v.reached = o, true
	v.rail.show(o)
	v.network.reachable(o.URLs)
	if len(o.URLs) > 0 {
		v.streams.reachable(o.URLs[0])
	}
}

// say puts a sentence above the screen, or takes it away.
func (v *window) say(trouble string) {
	v.trouble.set(trouble)
	if v.notice.Hidden == (trouble == "") {
		return
	}
	v.notice.Hidden = trouble == ""
	v.notice.Refresh()
}

// age lets the times on the screen grow older, and looks again at what changes
// without a word.
func (v *window) age() {
	if v.hidden() {
		return
	}
	screen := v.screens[v.current.Load()]
	if err := shown(screen.age); err != nil {
		v.say(sentence(err.Error()))
	}
	if screen.restless() {
		v.look()
	}
}

// newShell makes what the parts of a window lean on.
func newShell(c console.Console, a *aside) *shell {
	return &shell{console: c, later: a.later, now: time.Now, moves: a.idle.move}
}
