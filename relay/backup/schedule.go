package backup

import (
	"context"
	"time"
)

const (
	// restTime is for how long after its start a relay makes no backup: it leaves the
	// machine to those who connect, and shares the time to be mounted.
	restTime = 2 * time.Minute

	// retryPause is after how long a backup that failed is tried again: a share that
	// was away comes back when it does.
	retryPause = 10 * time.Minute

	// askTime is for how long after the plan was changed none is made by itself: whoever
	// changes it may ask for one.
	askTime = 10 * time.Second

	// chooseTime is how long a folder that is chosen may take to answer: a disk that
	// slept takes most of that to wake up.
	chooseTime = 10 * time.Second

	// lookEvery is how often the clock on the wall is looked at: it may have been
	// set, and the machine may have slept, which no timer counts.
	lookEvery = time.Minute

	// leaveTime is how long a stop waits for a backup to break off. Only a share that
	// hangs takes longer, and that is not waited for.
	leaveTime = time.Second
)

// Run makes backups when it is time to, until ctx ends. A time that was missed, or
// several, is made up for once.
func (k *Keeper) Run(ctx context.Context) {
	rested := time.Now().Add(restTime)
	look := rested // when to look for the folder, though no backup is due; zero for not
	if !aside(ctx, k.Look) {
		return
	}
	k.changed()
	for {
		now := time.Now()
		next := k.schedule(now, rested)
		wait := time.Duration(-1)
		if !next.IsZero() {
			wait = min(max(0, time.Until(next)), lookEvery)
		}
		switch {
		case wait == 0:
			begin := func() {
				k.Look() // the share may have come back, with newer ones than are known
				if next := k.schedule(time.Now(), rested); !next.IsZero() && !next.After(time.Now()) {
					_, _ = k.BackUp(ctx, "", nil) // it tells why it failed
				}
			}
			if !aside(ctx, begin) {
				return
			}
		case wait > 0 && !look.IsZero() && !now.Before(look):
			// A share that is away is told before it is needed, and its return as well. One
			// that is there is left alone: its disks may sleep.
			var away bool
			if !aside(ctx, func() { away = k.look(true) }) {
				return
			}
			k.changed()
			if look = (time.Time{}); away {
				look = now.Add(retryPause)
			}
		case !k.sleep(ctx, wait):
			return
		}
	}
}

// schedule settles when the next backup is to begin, and returns it; zero if none
// is, or one is being made.
func (k *Keeper) schedule(now, rested time.Time) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next = time.Time{}
	if k.plan.Every == 0 {
		return k.next
	}
	var last time.Time
	if len(k.kept) > 0 {
		last = k.kept[len(k.kept)-1].Made
	}
	k.next = due(last, k.plan.Every, now)
	for _, not := range []time.Time{rested, k.again} {
		if k.next.Before(not) {
			k.next = not
		}
	}
	if k.running {
		return time.Time{}
	}
	return k.next
}

// due returns when a backup is due that comes every so often, after the last one.
func due(last time.Time, every time.Duration, now time.Time) time.Time {
	if last.IsZero() || last.After(now.Add(every)) { // or the clock was set back
		return now
	}
	return last.Add(every)
}

// sleep waits for a time, without end if it is negative, or until there is
// something new. It says false once ctx has ended.
func (k *Keeper) sleep(ctx context.Context, wait time.Duration) bool {
	var over <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-k.replan:
	case <-over:
	}
	return true
}

// aside does something that may hang on a share, and says whether it is to go on:
// once ctx has ended it waits only a little.
func aside(ctx context.Context, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return ctx.Err() == nil
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(leaveTime):
	}
	return false
}
