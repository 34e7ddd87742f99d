package streamhttp

import (
	"context"
	"sync"
)

// lot knows the connections that net/http has let go of for a wait.
type lot struct {
	mu     sync.Mutex
	parked map[*parked]struct{}
	empty  chan struct{} // closed when the last one leaves; nil if nobody waits for that
}

func (l *lot) enter(p *parked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parked == nil {
		l.parked = make(map[*parked]struct{})
	}
	l.parked[p] = struct{}{}
}

func (l *lot) leave(p *parked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.parked, p)
	if len(l.parked) == 0 && l.empty != nil {
		close(l.empty)
		l.empty = nil
	}
}

// clear closes the connections whose wait is answered, waits until the others are
// and have closed theirs, which they do by themselves, and returns when there are
// none left; once ctx has ended it closes all that there are.
func (l *lot) clear(ctx context.Context) {
	empty := l.end(func(p *parked) bool { return p.answered.Load() })
	select {
	case <-empty:
	case <-ctx.Done():
		l.end(func(*parked) bool { return true })
	}
}

// end closes the connections of those that are meant, and returns a channel that
// is closed when nobody is left.
func (l *lot) end(meant func(*parked) bool) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.parked {
		if meant(p) {
			_ = p.conn.Close()
		}
	}
	empty := l.empty
	if empty == nil {
		empty = make(chan struct{})
		if len(l.parked) == 0 {
			close(empty)
		} else {
			l.empty = empty
		}
	}
	return empty
}
