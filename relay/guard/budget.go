package guard

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrBusy says that there is no room in memory for a request just now.
var ErrBusy = errors.New("the relay has no room for this just now: try again in a moment")

// roomTime is how long a request waits for room in memory. Bodies and pages
// come and go in milliseconds on a quick network; where others take longer than
// this, trying again later serves the client better.
const roomTime = 10 * time.Second

// little is up to how many bytes a request needs little room: it holds what
// people write, and a thousand of them fit where one large body does.
const little = 64 << 10

// Lanes are two budgets side by side: one for those who need little room, who so
// never stand behind those who need much.
type Lanes struct {
	little, much *Budget
}

// NewLanes returns two budgets of so many bytes.
func NewLanes(little, much int64) *Lanes {
	return &Lanes{little: NewBudget(little), much: NewBudget(much)}
}

// Share returns the room that the client who asks has a share in: that of the
// budget of their size.
func (l *Lanes) Share(r *http.Request) Room {
	c := clientOf(r)
	return lanes{share{l.little, c}, share{l.much, c}}
}

// Reserve takes n bytes out of the budget of their size; see [Budget.Reserve].
func (l *Lanes) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	return lanes{l.little, l.much}.Reserve(ctx, n)
}

// lanes are where little and where much room is reserved.
type lanes struct {
	little, much Room
}

func (l lanes) of(n int64) Room {
	if n <= little {
		return l.little
	}
	return l.much
}

func (l lanes) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	return l.of(n).Reserve(ctx, n)
}

func (l lanes) TryReserve(n int64) (*Reservation, bool) { return l.of(n).TryReserve(n) }

// Budget bounds the memory of what is on its way in or out. It may be used by
// any goroutine.
type Budget struct {
	size int64
	room *semaphore.Weighted

	mu      sync.Mutex
	clients map[client]*holding // those who hold room or wait for it
}

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget {
	return &Budget{size: size, room: semaphore.NewWeighted(size), clients: make(map[client]*holding)}
}

// Reserve takes n bytes out of the budget, in the order in which it is asked.
// More than all of it counts as all. The error is ErrBusy if no room came free
// in time, or the context's.
func (b *Budget) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	if r, ok := b.TryReserve(n); ok {
		return r, nil
	}
	n = min(n, b.size)
	waiting, stop := context.WithTimeoutCause(ctx, roomTime, ErrBusy)
	defer stop()
	if err := b.room.Acquire(waiting, n); err != nil {
		return nil, context.Cause(waiting)
	}
	return &Reservation{budget: b, held: n}, nil
}

// TryReserve takes n bytes out of the budget if they are there and nobody waits
// for them. More than all of it counts as all.
func (b *Budget) TryReserve(n int64) (_ *Reservation, ok bool) {
	n = min(n, b.size)
	if !b.room.TryAcquire(n) {
		return nil, false
	}
	return &Reservation{budget: b, held: n}, true
}

// Reservation is a part of a budget.
type Reservation struct {
	budget *Budget
	of     *holding // whose share it is part of; nil if nobody's
	mu     sync.Mutex
	held   int64
}

// Shrink gives back what is held beyond n bytes.
func (r *Reservation) Shrink(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n >= r.held {
		return
	}
	r.budget.room.Release(r.held - n)
	if r.of != nil {
		r.of.room.Release(r.held - n)
		if n <= 0 {
			r.budget.leave(r.of)
		}
	}
	r.held = n
}

// Release gives back all that is still held.
func (r *Reservation) Release() { r.Shrink(0) }
