package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hearth/relay/store"
)

// batchesAtOnce is how many rows of the index of batches are read in one
// snapshot: a few milliseconds' work.
const batchesAtOnce = 10_000

// walked is a stream that is being checked.
type walked struct {
	found
	walk *store.Walk

	recent map[batchKey]bool // the batches that the index may not have yet
	unread bool              // whether those are unknown

	left atomic.Int32 // the stretches that are not hashed, and one while it is read

	mu     sync.Mutex
	damage *store.DamagedError // the first one that is known
	parts  []part
}

// part is where a stretch of a stream ends, with what the batches that begin in
// it have to be in the index. They are summed up, since the index is in another
// order than the stream.
type part struct {
	last uint64
	sum  uint64
}

// stream checks a stream up to the head that it had when it was found: entries up
// to there never change, whatever is written meanwhile. Its recent batches were read
// in the same snapshot: what is not among them was in the index then, and still is.
func (v *verification) stream(ctx context.Context, f found, recent map[batchKey]bool) error {
	w := &walked{found: f, walk: store.NewWalk(f.Ref, f.Kind, f.Identity), recent: recent, unread: v.unread}
	w.left.Store(1)
	for w.walk.Seq() < f.Head {
		memory, _ := v.memory.Get().(*[]byte)
		if memory == nil {
			memory = new(make([]byte, 0, stretch+maxRun))
		}
		var list []store.Run
		err := v.read(ctx, func(conn *connection) (err error) {
			list, *memory, err = runs(conn, f.key, w.walk.Seq()+1, f.Head, stretch, (*memory)[:0])
			return err
		})
		if err != nil && !isCorrupt(err) {
			return failure("reading "+f.Name, err)
		}
		before := w.walk.Bytes()
		s, damage := w.walk.Take(list)
		if damage == nil && err != nil {
			damage = &store.DamagedError{Ref: f.Ref, Seq: w.walk.Seq() + 1, Reason: err.Error()}
		}
		w.hurt(damage)
		w.part()
		if err := v.hash(ctx, w, s, memory); err != nil {
			return err
		}
		if damage != nil || len(list) == 0 {
			break
		}
		v.done += w.walk.Bytes() - before
		v.told(v.done)
		if err := v.rest(ctx); err != nil {
			return err
		}
	}
	w.hurt(w.walk.End(f.Stream))
	return v.release(ctx, w)
}

// hash checks a stretch, elsewhere if there is somebody for it, and gives its
// memory back.
func (v *verification) hash(ctx context.Context, w *walked, s store.Stretch, memory *[]byte) error {
	w.left.Add(1)
	check := func() error {
		w.hurt(s.Check())
		w.count(s.Keyed)
		v.memory.Put(memory)
		return v.release(ctx, w)
	}
	if v.ask.Workers <= 0 {
		return check()
	}
	v.hashing.Go(check)
	return nil
}

// release ends a part of the work on a stream; the last one compares the index and
// tells what was found.
func (v *verification) release(ctx context.Context, w *walked) error {
	if w.left.Add(-1) > 0 {
		return nil
	}
	if w.damage == nil && !w.unread {
		err := v.index(ctx, w)
		if isCorrupt(err) {
			w.hurt(&store.DamagedError{Ref: w.Ref, Seq: 1, Reason: "its index of batches: " + err.Error()})
		} else if err != nil {
			return failure("reading the index of "+w.Name, err)
		}
	}
	if w.damage == nil && w.Damage != nil {
		w.hurt(w.Damage) // a reader came upon it before
	}
	if w.damage != nil {
		v.hurt(w.damage)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Streams++
	v.found.Entries += w.walk.Seq()
	v.found.Bytes += w.walk.Bytes()
	return nil
}

// hurt puts down damage, should err be some, if it is before what is known.
func (w *walked) hurt(err error) {
	d, ok := errors.AsType[*store.DamagedError](err)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.damage == nil || d.Seq < w.damage.Seq {
		w.damage = d
	}
}

// part puts down that a stretch ends where the walk has come to.
func (w *walked) part() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts = append(w.parts, part{last: w.walk.Seq()})
}

// count adds batches to the parts in which they begin.
func (w *walked) count(batches []store.Keyed) {
	sums := make([]uint64, len(batches))
	for i, b := range batches {
		key := b.Key()
		sums[i] = mixed(int64(binary.BigEndian.Uint64(key[:8])), b.First)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, b := range batches {
		w.add(b.First, sums[i])
	}
}

// add adds a number to the part that a position is in. The stream's lock is held.
func (w *walked) add(seq, n uint64) {
	at, _ := slices.BinarySearchFunc(w.parts, seq, func(p part, seq uint64) int {
		if p.last < seq {
			return -1
		}
		return 1
	})
	w.parts[at].sum += n
}

// index checks that each sealed batch up to the head is in the index or among the
// recent ones, and no other ones are.
func (v *verification) index(ctx context.Context, w *walked) error {
	w.mu.Lock()
	for b := range w.recent {
		w.without(b, w.Head)
	}
	w.mu.Unlock()
	key, first := int64(math.MinInt64), int64(-1)
	for more := true; more; {
		err := v.read(ctx, func(conn *connection) (err error) {
			key, first, more, err = w.compare(conn, key, first)
			return err
		})
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	begins := uint64(1)
	for _, p := range w.parts {
		if p.sum != 0 {
			w.hurt(&store.DamagedError{Ref: w.Ref, Seq: begins, Reason: fmt.Sprintf(
				"its index of batches has other ones than there are from here to %d", p.last)})
			return nil
		}
		begins = p.last + 1
	}
	return nil
}

// compare takes rows of the index behind a place away from the sums of the parts.
// It returns the place that it has come to, and whether there may be more.
func (w *walked) compare(conn *connection, key, first int64) (lastKey, lastFirst int64, more bool, err error) {
	head, _, err := firstOf(conn, "SELECT head FROM stream WHERE key BETWEEN ? AND ?", w.key, w.key)
	if err != nil {
		return key, first, false, err
	}
	stmt := conn.Prep("SELECT key, first FROM batch WHERE stream = ? AND (key, first) > (?, ?) ORDER BY key, first LIMIT ?")
	stmt.BindInt64(1, w.key)
	stmt.BindInt64(2, key)
	stmt.BindInt64(3, first)
	stmt.BindInt64(4, batchesAtOnce)
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := 0; ; n++ {
		there, err := stmt.Step()
		if err != nil || !there {
			return key, first, n == batchesAtOnce, finish(stmt, err)
		}
		key, first = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
		if b := (batchKey{key, uint64(first)}); !w.recent[b] {
			w.without(b, uint64(head))
		}
	}
}

// without takes a batch that is indexed away from the sums of the parts; its stream
// has entries up to head. The stream's lock is held.
func (w *walked) without(b batchKey, head uint64) {
	switch {
	case b.first > head || b.first < 1:
		w.add(1, 1) // what is there of no entry spoils the first part's sum
	case b.first <= w.Head:
		w.add(b.first, -mixed(b.key, b.first))
	}
}

// mixed makes one number of a row of the index, such that the sums of different
// rows differ (the finalizer of SplitMix64, by G. Steele, D. Lea and C. Flood).
func mixed(key int64, first uint64) uint64 {
	x := uint64(key) + first*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
