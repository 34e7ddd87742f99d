package relay

import (
	"context"
	"runtime"
	"time"

	"hearth/relay/console"
	"hearth/relay/store"
)

// view is the relay as the window sees it.
type view struct {
	look
	relay *Relay
}

var (
	_ console.Relay    = view{}
	_ console.Archives = view{}
)

// Console returns what a window may know of the relay. How the relay is reached
// is known only to whoever lets it listen; he adds the addresses.
func (r *Relay) Console() console.Relay { return r.view() }

func (r *Relay) view() view {
	// A check takes half of the processors, and leaves the others to those who are
	// served.
	return view{look: look{dir: r.dir, store: r.store, workers: runtime.GOMAXPROCS(0)/2 - 1, backups: r.backups}, relay: r}
}

// Overview implements [console.Relay].
func (v view) Overview(ctx context.Context) (console.Overview, error) {
	o, err := v.overview(ctx)
	if err != nil {
		return console.Overview{}, err
	}
	o.Name = v.relay.options.Name
	o.ID = v.relay.ID()
	o.Version = v.relay.options.Version
	o.Started = v.relay.started
	o.Open = v.relay.open.Load()
	o.Waiting = int(v.relay.seen.waiting.Load())
	o.Refused = v.relay.seen.refusals.count()
	if checked := v.relay.checked.Load(); checked != nil {
		o.Checked = *checked
	}
	state := v.backups.State()
	o.BackupFailed = backupFailure(state)
	if len(state.Kept) > 0 {
		o.BackedUp = state.Kept[0].Made
	}
	o.Problem = problem(o)
	return o, nil
}

// scarce is below how many free bytes the owner is told: a few of the largest
// batches, each of which is written twice, and room to tidy up.
const scarce = 256 << 20

// problem says what is wrong with a relay that has these figures.
func problem(o console.Overview) string {
	if o.DiskFree > 0 && o.DiskFree < scarce {
		return "The disk is nearly full: soon nothing more can be written. Free some space; what is stored stays safe."
	}
	return ""
}

// Verify implements [console.Relay].
func (v view) Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	checked, err := v.look.Verify(ctx, only, progress)
	if err == nil {
		v.relay.tellChecked(only, checked)
	}
	return checked, err
}

// Streams implements [console.Relay].
func (v view) Streams(ctx context.Context, after console.StreamRef, limit int) ([]console.Stream, error) {
	list, err := v.look.Streams(ctx, after, limit)
	now := time.Now()
	for i := range list {
		list[i].Hour = v.relay.seen.activity.hourOf(now, store.Ref(list[i].StreamRef))
	}
	return list, err
}

// Stream implements [console.Relay].
func (v view) Stream(ctx context.Context, ref console.StreamRef) (console.Stream, error) {
	s, err := v.look.Stream(ctx, ref)
	s.Hour = v.relay.seen.activity.hourOf(time.Now(), store.Ref(ref))
	return s, err
}

// Activity implements [console.Relay].
func (v view) Activity(context.Context) (console.Activity, error) {
	return v.relay.seen.activity.recent(time.Now()), nil
}

// Refusals implements [console.Relay].
func (v view) Refusals(context.Context) ([]console.Refusal, error) {
	return v.relay.seen.refusals.recent(), nil
}

// Changes implements [console.Relay].
func (v view) Changes() (changed <-chan struct{}, stop func()) {
	s := v.relay.hub.SubscribeAll()
	return s.Woken(), s.Stop
}
