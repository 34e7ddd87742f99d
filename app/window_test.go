//go:build !headless

package main

import (
	"errors"
	"testing"

	"hearth/relay"
)

// A second start shows the first window, however early it comes; where a relay
// runs without a window, it says so at once.
func TestRaiseFirst(t *testing.T) {
	for _, window := range []bool{true, false} {
		folder := t.TempDir()
		s := testSettings(folder, keptSettings{Port: new(0)})
		h, err := openHome(t.Context(), s, homeOptions{Logger: discard(), Window: window})
		if err != nil {
			t.Fatal(err)
		}
		_, err = openHome(t.Context(), s, homeOptions{Logger: discard()})
		if _, ok := errors.AsType[*relay.InUseError](err); !ok {
			t.Errorf("a second relay on the same data: %v", err)
		}
		raised := make(chan bool, 1)
		go func() { raised <- raiseFirst(t.Context(), folder) }()
		if window {
			r, err := hearRaises(folder)
			if err != nil {
				t.Fatal(err)
			}
			wantPulse(t, r.Raised())
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if got := <-raised; got != window {
			t.Errorf("window %t: raised %t", window, got)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
