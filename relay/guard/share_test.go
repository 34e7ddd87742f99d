package guard

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

// from is a request of a client at an address.
func from(addr string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.RemoteAddr = addr
	return r
}

// Clients are told apart by their addresses, and by no part of one that they may
// choose themselves.
func TestClients(t *testing.T) {
	for name, tt := range map[string]struct {
		one, other string
		same       bool
	}{
		"another port":           {"192.0.2.1:1", "192.0.2.1:2", true},
		"another address":        {"192.0.2.1:1", "192.0.2.2:1", false},
		"IPv4 in IPv6":           {"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		"another IPv6 interface": {"[2001:db8::1]:1", "[2001:db8::ff:2]:1", true},
		"another IPv6 network":   {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		"another zone":           {"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		"unknown":                {"@", "", true},
		"unknown and known":      {"@", "192.0.2.1:1", false},
	} {
		if same := clientOf(from(tt.one)) == clientOf(from(tt.other)); same != tt.same {
			t.Errorf("%s: the same is %v", name, same)
		}
	}
}

// A client that holds room for long holds no more than a share: it waits for its
// own, in nobody's way, while others have theirs.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(400)
		slow, other := b.Share(from("192.0.2.1:1")), b.Share(from("192.0.2.2:1"))
		if _, err := slow.Reserve(t.Context(), 0); err != nil { // takes nothing
			t.Fatal(err)
		}
		first, err := slow.Reserve(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := slow.TryReserve(41); ok {
			t.Error("a client has more than its share")
		}
		got := make(chan error)
		go func() {
			r, err := slow.Reserve(t.Context(), 1000) // more than a share is a share
			if err == nil {
				r.Release()
			}
			got <- err
		}()
		synctest.Wait()
		for range 3 { // one after the other, all of its share each time
			r, err := other.Reserve(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			r.Shrink(1)
			r.Release()
			r.Release()
		}
		first.Release()
		if err := <-got; err != nil {
			t.Errorf("after room came free: %v", err)
		}
		if len(b.clients) != 0 {
			t.Errorf("%d clients are remembered that hold nothing", len(b.clients))
		}
	})
}

// Who finds no room in time, in his share or in all of it, is told to come again,
// and leaves nothing behind.
func TestSharesBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(400)
		mine := b.Share(from("192.0.2.1:1"))
		check := func(hold Room, n int64) {
			t.Helper()
			held, err := hold.Reserve(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := mine.Reserve(t.Context(), 100); !errors.Is(err, ErrBusy) {
				t.Errorf("error %v, want ErrBusy", err)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := mine.Reserve(gone, 100); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want context.Canceled", err)
			}
			held.Release()
			if len(b.clients) != 0 || !b.room.TryAcquire(400) {
				t.Error("room is lost")
			}
			b.room.Release(400)
		}
		check(mine, 1)
		check(b, 400)
	})
}

// Each lane has its shares.
func TestLanesShare(t *testing.T) {
	lanes := NewLanes(shares*little, shares*10*little)
	mine := lanes.Share(from("192.0.2.1:1"))
	for _, n := range []int64{little, 10 * little} {
		r, err := mine.Reserve(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		if _, ok := mine.TryReserve(n); ok {
			t.Errorf("a client has more than its share of those who need %d", n)
		}
		if r, ok := lanes.Share(from("192.0.2.2:1")).TryReserve(n); ok {
			defer r.Release()
		} else {
			t.Errorf("another client has no share of those who need %d", n)
		}
	}
}
