package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"
)

// undertaking is work that takes a while: a button begins it, a bar tells how far
// it has come, and another button gives it up.
type undertaking struct {
	shell *shell
	far   func(done, total uint64) // hears how far it has come
	over  func(err error)          // hears that it failed, or was given up: context.Canceled
	shift func()                   // the room that is taken is another one

	cancel func() // ends the run; nil while there is none
	run    int    // counts the runs: what an ended one comes to is not told

	begin *widget.Button
	bar   *widget.ProgressBar
	under *fyne.Container // the bar, and the button that gives it up
}

// farEvery is how often a bar moves: smooth enough, and next to no work.
const farEvery = 200 * time.Millisecond

// newUndertaking makes one that start begins when the button is pressed.
func newUndertaking(s *shell, label string, start func()) *undertaking {
	u := &undertaking{shell: s, bar: widget.NewProgressBar()}
	u.begin = newButton(label, start)
	u.bar.TextFormatter = func() string { return "" } // it is told beside, in bytes
	u.under = laid(layout.NewCustomPaddedLayout(2, 6, 0, 0),
		stretched(gap, 0, laid(atLeast(barHeight), u.bar), newButton("Cancel", u.giveUp)))
	u.under.Hide()
	return u
}

// start begins a run aside from the UI thread. What the work returns tells what
// came of it.
func (u *undertaking) start(work func(ctx context.Context, progress func(done, total uint64)) (tell func(), err error)) {
	if u.cancel != nil {
		return
	}
	u.run++
	run := u.run
	halted, halt := context.WithCancel(context.Background())
	u.cancel = func() {
		halt()
		u.cancel = nil
		u.show(false)
	}
	u.bar.SetValue(0)
	u.show(true)
	var told time.Time
	progress := func(done, total uint64) {
		now := u.shell.now()
		if now.Sub(told) < farEvery {
			return
		}
		told = now
		u.shell.later(func(context.Context) (func(), error) {
			return func() { u.move(run, done, total) }, nil
		}, func(error) {}) // the next one tells
	}
	u.shell.later(func(ctx context.Context) (func(), error) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(halted, stop)()
		tell, err := work(ctx, progress)
		return func() { u.end(run, tell) }, err
	}, func(err error) { u.end(run, func() { u.over(err) }) })
}

// show shows that a run is under way, or that none is.
func (u *undertaking) show(running bool) {
	if running {
		u.begin.Disable()
		u.under.Show()
	} else {
		u.begin.Enable()
		u.under.Hide()
	}
	u.shift()
}

func (u *undertaking) move(run int, done, total uint64) {
	if run != u.run || u.cancel == nil {
		return
	}
	if total > 0 {
		u.bar.SetValue(float64(done) / float64(total))
	}
	u.far(done, total)
}

// end ends a run and tells what came of it, unless it was given up.
func (u *undertaking) end(run int, tell func()) {
	if run != u.run || u.cancel == nil {
		return
	}
	u.cancel()
	tell()
}

func (u *undertaking) giveUp() {
	if u.cancel != nil {
		u.cancel()
		u.over(context.Canceled)
	}
}
