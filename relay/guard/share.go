package guard

import (
	"context"
	"net/http"
	"net/netip"

	"golang.org/x/sync/semaphore"
)

// shares is how many clients it takes to hold all of a budget. One that sends or
// takes little by little holds its room for minutes; it is not to be everybody's.
const shares = 4

// sameNetwork is how many bits of an IPv6 address tell clients apart: the rest
// are the client's own to choose (RFC 4291, section 2.5.4).
const sameNetwork = 64

// client tells apart who asks, by where they are.
type client netip.Prefix

// clientOf returns who asks. A request whose sender is not known is nobody's, and
// all of those share one share.
func clientOf(r *http.Request) client { return clientAt(r.RemoteAddr) }

// clientAt returns the client at a remote address, with or without a port.
func clientAt(remote string) client {
	addr := addrOf(remote)
	bits := addr.BitLen()
	if addr.Is6() {
		bits = sameNetwork
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return client{}
	}
	return client(prefix)
}

// holding is a client's share in a budget, while somebody needs it.
type holding struct {
	client client
	room   *semaphore.Weighted
	users  int // who hold a part of it or wait for one
}

// Share returns the room that the client who asks has a share in.
func (b *Budget) Share(r *http.Request) Room { return share{b, clientOf(r)} }

// share is a client's part of a budget.
type share struct {
	budget *Budget
	client client
}

func (s share) size() int64 { return s.budget.size / shares }

// Reserve takes n bytes out of the share, of which more than all counts as all;
// see [Budget.Reserve]. Who waits for his own to come free is in nobody's way.
func (s share) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	if r, ok := s.TryReserve(n); ok {
		return r, nil
	}
	n = min(n, s.size())
	waiting, stop := context.WithTimeoutCause(ctx, roomTime, ErrBusy)
	defer stop()
	h := s.budget.enter(s.client)
	if err := h.room.Acquire(waiting, n); err != nil {
		s.budget.leave(h)
		return nil, context.Cause(waiting)
	}
	if err := s.budget.room.Acquire(waiting, n); err != nil {
		h.room.Release(n)
		s.budget.leave(h)
		return nil, context.Cause(waiting)
	}
	return &Reservation{budget: s.budget, of: h, held: n}, nil
}

// TryReserve takes n bytes out of the share if they are there and nobody waits
// for them.
func (s share) TryReserve(n int64) (_ *Reservation, ok bool) {
	n = min(n, s.size())
	if n <= 0 {
		return new(Reservation), true
	}
	h := s.budget.enter(s.client)
	if !h.room.TryAcquire(n) {
		s.budget.leave(h)
		return nil, false
	}
	if !s.budget.room.TryAcquire(n) {
		h.room.Release(n)
		s.budget.leave(h)
		return nil, false
	}
	return &Reservation{budget: s.budget, of: h, held: n}, true
}

// enter finds a client's share or makes it.
func (b *Budget) enter(c client) *holding {
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.clients[c]
	if !ok {
		h = &holding{client: c, room: semaphore.NewWeighted(b.size / shares)}
		b.clients[c] = h
	}
	h.users++
	return h
}

// leave forgets a client's share once nobody needs it.
func (b *Budget) leave(h *holding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h.users--
	if h.users == 0 {
		delete(b.clients, h.client)
	}
}
