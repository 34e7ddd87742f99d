package reflexhttp_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// inUse says how many bytes are in use, once all that is not is collected.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what lies in pools outlasts one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A thousand who follow one stream cost kilobytes each, their test's end of the
// connection included, and all get what is appended.
func TestCrowd(t *testing.T) {
	h := start(t)
	const followers, events = 1000, 10
	const most = 64 << 10 // bytes each; the race detector takes a part of them
	before := inUse()
	list := make([]*raw, followers)
	for i := range list {
		list[i] = h.dialRaw(t, liveOf("build"), masked(fin|textMessage, hello)...)
		list[i].hear(t, "welcome")
		list[i].hear(t, "replay_complete")
	}
	if took := (inUse() - before) / followers; took > most {
		t.Errorf("a follower costs %d bytes", took)
	}
	var reading sync.WaitGroup
	for _, c := range list {
		reading.Go(func() {
			for seq := range events {
				_, got, err := c.frame()
				if want := fmt.Sprintf(`{"type":"event","seq":%d,`, seq+1); !strings.HasPrefix(string(got), want) {
					t.Errorf("%s, want %s; %v", got, want, err)
				}
			}
		})
	}
	for range events {
		h.publish(t, "build", count(1))
	}
	reading.Wait()
}

// Those who never say hello cost kilobytes and keep nobody out; should the relay
// stop, they are told so as all others are.
func TestSilentCrowd(t *testing.T) {
	h := start(t)
	const silent = 2000
	const most = 64 << 10
	before := inUse()
	list := make([]*raw, silent)
	for i := range list {
		list[i] = h.dialRaw(t, liveOf("build"))
	}
	if took := (inUse() - before) / silent; took > most {
		t.Errorf("a silent client costs %d bytes", took)
	}
	h.publish(t, "build", count(1))
	h.follow(t, liveOf("build"), "").events(t, 0, 1)
	var stopping sync.WaitGroup
	stopping.Go(h.stop)
	for _, c := range list {
		if code, _ := c.closed(t); code != 1001 {
			t.Errorf("closed with %d", code)
		}
		_ = c.Close()
	}
	stopping.Wait()
}

// Replays of whatever length, however slowly they are read, take bounded memory:
// here four of 13 MB each.
func TestReplayMemory(t *testing.T) {
	h := start(t)
	const events, followers, most = 40_000, 4, 6 << 20
	event := `{"event":{"type":"a","text":"` + strings.Repeat("x", 100) + `"}}`
	body := `{"events":[` + strings.Repeat(event+",", 4999) + event + `]}`
	for range events / 5000 {
		h.publish(t, "build", body)
	}
	before := inUse()
	list := make([]*raw, followers)
	for i := range list {
		list[i] = h.dialRaw(t, liveOf("build"), masked(fin|textMessage, hello)...)
		list[i].hear(t, "welcome")
	}
	step := func(c *raw, n int) {
		for range n {
			c.message(t)
		}
	}
	for part := range 10 {
		for i, c := range list {
			if i > 0 || part == 0 { // the first one stands still
				step(c, events/10)
			}
		}
		// What is being read just now, for those who do not stand still, comes and goes.
		took := inUse() - before
		for deadline := time.Now().Add(10 * time.Second); took > most && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
			took = inUse() - before
		}
		if took > most {
			t.Errorf("after %d tenths, %d bytes are in use", part+1, took)
		}
	}
	step(list[0], events-events/10)
	for _, c := range list {
		c.hear(t, "replay_complete")
	}
}
