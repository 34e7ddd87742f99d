package sqlite

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"hearth/relay/store"

	"golang.org/x/sync/errgroup"
)

const (
	// stretch is how many bytes of runs are read in one snapshot: a millisecond's
	// work, and enough that what surrounds it does not count.
	stretch = 1 << 20

	// restAfter is how long a check that rests works in between.
	restAfter = 2 * time.Millisecond
)

// Verify implements [store.Store]. One goroutine reads, stream by stream and a
// stretch at a time, so that the log can be folded in meanwhile; others hash.
func (r *Reader) Verify(ctx context.Context, ask store.Verify) (store.Verified, error) {
	v := &verification{Reader: r, ask: ask, began: time.Now(), woke: time.Now()}
	v.hashing.SetLimit(max(ask.Workers, 1))
	err := v.all(ctx)
	if hashing := v.hashing.Wait(); err == nil {
		err = hashing
	}
	if err != nil {
		return store.Verified{}, err
	}
	slices.SortFunc(v.found.Damaged, func(a, b *store.DamagedError) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Name, b.Name))
	})
	v.found.Took = time.Since(v.began)
	v.told(v.total)
	return v.found, nil
}

// verification is a check under way.
type verification struct {
	*Reader
	ask   store.Verify
	began time.Time
	woke  time.Time // when it last rested

	hashing errgroup.Group
	memory  sync.Pool // of stretches

	total, done uint64

	// unread says that the recent batches cannot be read, so that nothing can be
	// said of the index.
	unread bool

	mu    sync.Mutex
	found store.Verified
}

func (v *verification) all(ctx context.Context) error {
	if v.ask.Only != (store.Ref{}) {
		var f found
		var recent recentKeys
		err := v.read(ctx, func(conn *connection) (err error) {
			if f, err = v.look(conn, v.ask.Only); err == nil {
				recent, err = v.recent(conn, f.key-1)
			}
			return err
		})
		if err != nil {
			return err
		}
		v.total = f.Bytes
		return v.stream(ctx, f, recent[f.key])
	}
	totals, err := v.Totals(ctx)
	if err := v.passing(ctx, err); err != nil {
		return err
	}
	v.total = totals.Bytes
	v.told(0)
	if err := v.file(ctx); err != nil {
		return err
	}
	if err := v.automations(ctx); err != nil {
		return err
	}
	return v.streams(ctx)
}

// told tells how far the check has come.
func (v *verification) told(done uint64) {
	if v.ask.Progress != nil {
		v.ask.Progress(min(done, v.total), v.total)
	}
}

// rest pauses the check after it has worked for a while, if it is to.
func (v *verification) rest(ctx context.Context) error {
	worked := time.Since(v.woke)
	if v.ask.Rest == 0 || worked < restAfter {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(worked * time.Duration(v.ask.Rest)):
	}
	v.woke = time.Now()
	return nil
}

// hurt puts down damage to a stream.
func (v *verification) hurt(d *store.DamagedError) {
	_ = v.damage.note(d) // returns it
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Damaged = append(v.found.Damaged, d)
}

// fault puts down what is wrong beside the streams.
func (v *verification) fault(sentence string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Faults = append(v.found.Faults, sentence)
}
