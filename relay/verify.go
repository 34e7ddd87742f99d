package relay

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hearth/relay/console"
	"hearth/relay/store"
)

const (
	// checkDelay is how long after its start a relay leaves the machine to those
	// who connect, before it begins to check what it holds.
	checkDelay = 10 * time.Second

	// checkEvery is how often everything is checked: damage is to be found while
	// there are backups from before it.
	checkEvery = 24 * time.Hour

	// checkRest is how many times as long as it works the relay's own check rests,
	// every few milliseconds: it takes a fifth of one processor.
	checkRest = 4
)

// Verify implements [console.Relay].
func (l look) Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	v, err := l.store.Verify(ctx, store.Verify{Only: store.Ref(only), Workers: l.workers, Progress: progress})
	return shownVerified(v), notFound(err)
}

func shownVerified(v store.Verified) console.Verification {
	return console.Verification{
		Streams: v.Streams, Entries: v.Entries, Bytes: v.Bytes, Took: v.Took, Whole: v.Whole,
		Damaged: shownDamage(v.Damaged), Faults: v.Faults,
	}
}

// keepChecking checks everything after the start and then every day, slowly.
func (r *Relay) keepChecking() {
	for pause := checkDelay; ; pause = checkEvery {
		select {
		case <-r.life.Done():
			return
		case <-time.After(pause):
		}
		v, err := r.store.Verify(r.life, store.Verify{Rest: checkRest})
		if err == nil {
			r.tellChecked(console.StreamRef{}, shownVerified(v))
		} else if !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrClosed) {
			r.options.Logger.Error("what the relay holds could not be checked", "error", err)
		}
	}
}

// tellChecked tells the owner of a check of everything, or of one stream.
func (r *Relay) tellChecked(only console.StreamRef, v console.Verification) {
	log := r.options.Logger
	for _, d := range v.Damaged {
		log.Error("a stream is damaged: restore it from a backup",
			"space", d.Space, "stream", d.Name, "position", d.Position, "reason", d.Reason)
	}
	for _, f := range v.Faults {
		log.Error("the database is damaged: restore it from a backup", "fault", f)
	}
	level := slog.LevelInfo
	if !v.Sound() {
		level = slog.LevelError
	}
	log.Log(r.life, level, "checked", "streams", v.Streams, "entries", v.Entries, "bytes", v.Bytes,
		"damaged", len(v.Damaged), "faults", len(v.Faults), "took", v.Took)
	if only == (console.StreamRef{}) {
		r.checked.Store(new(time.Now()))
	}
	r.tellVerified(only, v)
	r.hub.Nudge()
}
