package relay

import "time"

// sweepEvery is how often those are looked for that can be forgotten, where there is
// no room for more.
const sweepEvery = time.Second

// nextUp holds what is to be told of each of some things, at most maxNews of them,
// and lets each have its turn: once in a while, and in the order in which they came.
// The zero value is empty.
type nextUp[K comparable, V any] struct {
	things map[K]*thing[V]
	queue  []K // those of which something is to be told
	swept  time.Time
}

// thing is one of them.
type thing[V any] struct {
	news   V
	queued bool
	next   time.Time // when it may have its turn
}

// get returns what is to be told of a thing, so that it can be added to; nil if there
// is no room for it.
func (u *nextUp[K, V]) get(now time.Time, key K) *V {
	t := u.things[key]
	if t == nil {
		if !u.hasRoom(now) {
			return nil
		}
		if u.things == nil {
			u.things = make(map[K]*thing[V])
		}
		t = new(thing[V])
		u.things[key] = t
	}
	if !t.queued {
		t.queued = true
		u.queue = append(u.queue, key)
	}
	return &t.news
}

// hasRoom says whether one more can be remembered.
func (u *nextUp[K, V]) hasRoom(now time.Time) bool {
	if len(u.things) >= maxNews && now.Sub(u.swept) >= sweepEvery {
		u.swept = now
		u.forget(now)
	}
	return len(u.things) < maxNews
}

// due tells of those whose turn has come, at most so many; each has its next one after
// a while.
func (u *nextUp[K, V]) due(now time.Time, while time.Duration, most int, tell func(K, V)) {
	left := u.queue[:0]
	for _, key := range u.queue {
		t := u.things[key]
		if most <= 0 || t.next.After(now) {
			left = append(left, key)
			continue
		}
		most--
		tell(key, t.news)
		*t = thing[V]{next: now.Add(while)}
	}
	clear(u.queue[len(left):])
	u.queue = left
}

// waiting says whether something is to be told.
func (u *nextUp[K, V]) waiting() bool { return len(u.queue) > 0 }

// forget forgets the things that had their turn long enough ago, and returns how many
// are left.
func (u *nextUp[K, V]) forget(now time.Time) int {
	for key, t := range u.things {
		if !t.queued && !t.next.After(now) {
			delete(u.things, key)
		}
	}
	return len(u.things)
}
