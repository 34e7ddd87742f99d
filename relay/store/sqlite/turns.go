package sqlite

import (
	"time"

	"hearth/relay/store"
)

const (
	// maxTurn is how many bytes of large batches one transaction takes, in the
	// encoding of the wire, but for an entry that is larger by itself: some 10 ms
	// of work. A longer turn writes no more bytes a second.
	maxTurn = 1 << 20

	// small is up to how many bytes a batch never waits for its turn.
	small = 64 << 10

	// respite is for how many times as long as a turn of large batches those with
	// small ones have the writer for themselves after it: one that was short enough
	// to be waited for keeps two thirds of the time.
	respite = 0.5

	// longRespite is that after a turn that was longer than shortTurn. An entry of
	// 16 MiB cannot be divided and takes a tenth of a second and more; of a hundred
	// small batches that one client sends, fewer than one comes upon that, and large
	// ones keep a third of the time.
	longRespite = 2
	shortTurn   = 30 * time.Millisecond
)

// turns divides the writer's time between large batches and small ones: after
// each turn of large ones that those with small ones had to wait for, they have
// it to themselves for a while. Where there are none, large ones do not wait.
type turns struct {
	until time.Time // the end of that while

	// The turn that has just ended: how long it took, and whether small batches
	// stood behind it.
	took   time.Duration
	waited bool
}

// room returns how many bytes of large batches the next transaction may take.
func (u *turns) room() int {
	if u.rest() > 0 {
		return 0
	}
	return maxTurn
}

// rest returns how long large batches have to wait for their turn.
func (u *turns) rest() time.Duration { return time.Until(u.until) }

// ended notes a turn that began at a time, and the group that it served.
func (u *turns) ended(begin time.Time, group []*request) {
	u.took, u.waited = time.Since(begin), anySmall(group)
}

// settle decides what follows the turn that has just ended, if one has, from who
// is there now.
func (u *turns) settle(group []*request) {
	if u.took > 0 && (u.waited || anySmall(group)) {
		u.until = time.Now().Add(respiteAfter(u.took))
	}
	u.took = 0
}

// respiteAfter returns how long those with small batches have the writer for
// themselves after a turn that took so long.
func respiteAfter(took time.Duration) time.Duration {
	if took > shortTurn {
		return longRespite * took
	}
	return time.Duration(respite * float64(took))
}

// anySmall says whether a group holds a batch that needs no turn: it is small,
// and stands behind no large one of its stream.
func anySmall(group []*request) bool {
	var behind map[store.Ref]bool
	for _, r := range group {
		switch {
		case r.op.large():
			if behind == nil {
				behind = make(map[store.Ref]bool)
			}
			behind[r.op.ref()] = true
		case !behind[r.op.ref()]:
			return true
		}
	}
	return false
}
