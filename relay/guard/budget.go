package guard

import (
	"context"
	"errors"
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

// Reserve takes n bytes out of the budget of their size; see [Budget.Reserve].
func (l *Lanes) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	if n <= little {
		return l.little.Reserve(ctx, n)
	}
	return l.much.Reserve(ctx, n)
}

// TryReserve takes n bytes out of the budget of their size; see
// [Budget.TryReserve].
func (l *Lanes) TryReserve(n int64) (_ *Reservation, ok bool) {
	if n <= little {
		return l.little.TryReserve(n)
	}
	return l.much.TryReserve(n)
}

// Budget bounds the memory of what is on its way in or out. It may be used by
// any goroutine.
type Budget struct {
	size int64
	room *semaphore.Weighted
}

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget {
	return &Budget{size: size, room: semaphore.NewWeighted(size)}
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
	mu     sync.Mutex
	held   int64
}

// Shrink gives back what is held beyond n bytes.
func (r *Reservation) Shrink(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.held {
		r.budget.room.Release(r.held - n)
		r.held = n
	}
}

// Release gives back all that is still held.
func (r *Reservation) Release() { r.Shrink(0) }
