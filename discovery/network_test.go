package discovery

import (
	"testing"
	"time"
)

// Promise: a machine that slept joins its networks anew and takes nothing of before for granted; one that did not leaves its
// sockets alone.
func TestFollowAfterSleep(t *testing.T) {
	n := newNetwork(loopback(t))
	defer n.close()
	now := time.Now()
	first := n.follow(now)
	if len(first) != 1 || first[0].was != nil || first[0].is == nil {
		t.Fatalf("at first: %+v", first)
	}
	if again := n.follow(now.Add(lookEvery)); len(again) > 0 {
		t.Errorf("without a change: %+v", again)
	}
	after := n.follow(now.Add(time.Hour))
	if len(after) != 2 {
		t.Fatalf("after a sleep: %+v", after)
	}
	for _, ch := range after {
		if (ch.was == nil) == (ch.is == nil) {
			t.Errorf("the old network is taken for the new one: %+v", ch)
		}
	}
}
