package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// withLocalAddr is the context of a request that came in at an address.
func withLocalAddr(r *http.Request, addr string) context.Context {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		panic(err)
	}
	return context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(tcp))
}

// Nobody gets more than there is; who waits gets it when it comes free, and is
// told to come again when it does not.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		all, err := b.Reserve(t.Context(), 1000) // more than all is all
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := b.Reserve(t.Context(), 1); !errors.Is(err, ErrBusy) {
			t.Errorf("error %v, want ErrBusy", err)
		}
		if waited := time.Since(start); waited != roomTime {
			t.Errorf("waited %v, want %v", waited, roomTime)
		}

		got := make(chan error)
		go func() {
			part, err := b.Reserve(t.Context(), 60)
			if err == nil {
				part.Release()
			}
			got <- err
		}()
		synctest.Wait()
		all.Shrink(40)
		if err := <-got; err != nil {
			t.Errorf("after room came free: %v", err)
		}
		all.Shrink(70) // does not grow
		all.Release()
		all.Release()
		again, err := b.Reserve(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		again.Release()
	})
}

// A client that goes away while it waits for room leaves the queue.
func TestBudgetCancelled(t *testing.T) {
	b := NewBudget(1)
	all, err := b.Reserve(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Reserve(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// Who needs little room gets it also while those who need much wait for theirs.
func TestLanes(t *testing.T) {
	lanes := NewLanes(little, 10*little)
	all, err := lanes.Reserve(t.Context(), 10*little)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	waiting, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := lanes.Reserve(waiting, little+1)
		gone <- err
	}()
	few, err := lanes.Reserve(t.Context(), little)
	if err != nil {
		t.Fatalf("little room: %v", err)
	}
	few.Release()
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("much room: %v, want none", err)
	}
}
