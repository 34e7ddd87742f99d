package reflexhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearth/relay/access"
	"hearth/relay/store"
)

func (*refusals) Following(context.Context, access.Visitor, store.Ref) {}

func (*refusals) Followed(context.Context, access.Visitor, store.Ref, uint64, int, time.Duration) {}

// publish publishes n events of about so many bytes, all to one stream.
func (b *bubble) publish(n, size int) {
	b.t.Helper()
	event := `{"event":{"type":"a","text":"` + strings.Repeat("x", size) + `"}}`
	body := `{"events":[` + strings.Repeat(event+",", n-1) + event + `]}`
	if a := b.ask("POST", eventsOf("build"), body); a.status != 200 {
		b.t.Fatalf("publishing: %s", a.body)
	}
}

// follow follows that stream.
func (b *bubble) follow(members string) *raw {
	b.t.Helper()
	c := b.dial().shakeHands(b.t, "localhost", liveOf("build"))
	c.send(b.t, fin|textMessage, `{"protocol":"reflexr.v1"`+members+`}`)
	c.hear(b.t, "welcome")
	return c
}

// replayed reads a replay, in which the events have to follow a position, and
// returns where it ends.
func (c *raw) replayed(t testing.TB, after uint64) uint64 {
	t.Helper()
	for {
		payload := c.message(t)
		if typeOf(t, payload) == "replay_complete" {
			return after
		}
		var e struct{ Seq uint64 }
		if err := json.Unmarshal(payload, &e); err != nil || e.Seq != after+1 {
			t.Fatalf("the event %d comes behind %d: %v", e.Seq, after, err)
		}
		after++
	}
}

// Who does not say hello in ten seconds is closed with 4408, also in the midst of
// it, and holds nothing.
func TestNoHello(t *testing.T) {
	for name, said := range map[string]string{
		"nothing": "", "half a frame": string(masked(fin|textMessage, hello)[:9]), "half a message": string(masked(textMessage, hello[:9])),
		"pings alone": string(masked(fin|pingCode, "")),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				c := b.dial().shakeHands(t, "localhost", liveOf("build"))
				c.say(t, said)
				time.Sleep(9 * time.Second)
				synctest.Wait()
				if n := len(b.refusals.list); n > 0 {
					t.Errorf("refused early: %+v", b.refusals.list)
				}
				if code, _ := c.closed(t); code != 4408 {
					t.Errorf("closed with %d", code)
				}
				c.ends(t)
				b.allIsFree()
			})
		})
	}
}

// A hello that waits for room when its time is up is no refusal, and no mistake on the
// relay's side.
func TestLateHello(t *testing.T) {
	inBubble(t, func(b *bubble) {
		all, err := b.budget.Reserve(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		c := b.dial().shakeHands(t, "localhost", liveOf("build"))
		time.Sleep(time.Second)
		c.send(t, fin|textMessage, hello)
		if code, _ := c.closed(t); code != 4408 {
			t.Errorf("closed with %d", code)
		}
		c.ends(t)
		all.Release()
		b.allIsFree()
		if n := len(b.refusals.list); n > 0 {
			t.Errorf("on record: %+v", b.refusals.list)
		}
	})
}

// A replay goes at the client's pace. One that stands still for an hour, again and
// again and in the midst of frames of any size, gets all of it, and holds no room
// meanwhile.
func TestReplayStands(t *testing.T) {
	inBubble(t, func(b *bubble) {
		const small, large = 3000, 3
		b.publish(small, 100)
		b.publish(large, 300_000)
		c := b.follow("")
		for range 3 {
			time.Sleep(time.Hour)
			synctest.Wait()
			b.allIsFree()
			after := uint64(0)
			for range 10 {
				var e struct{ Seq uint64 }
				if err := json.Unmarshal(c.hear(t, "event"), &e); err != nil {
					t.Fatal(err)
				}
				after = e.Seq
			}
			if after == 0 {
				t.Error("nothing was replayed")
			}
		}
		if end := c.replayed(t, 30); end != small+large {
			t.Errorf("the replay ends at %d", end)
		}
	})
}

// A live client that takes nothing for ten seconds is closed with 4429, which it
// gets when it reads on, behind whole frames.
func TestSlowLive(t *testing.T) {
	for name, size := range map[string]int{"small": 10, "large": 300_000} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				b.publish(3, 10)
				c := b.follow("")
				c.replayed(t, 0)
				b.publish(5, size)
				_, _, err := c.frame()
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if size < 1000 {
					b.allIsFree()
				}
				code, events := c.closed(t)
				if code != 4429 || events > 4 {
					t.Errorf("closed with %d after %d events", code, events)
				}
				c.send(t, fin|closeCode, "\x11\x4d")
				c.ends(t)
				b.allIsFree()
			})
		})
	}
}

// What else waits for its turn when a live client stands still does not come into the
// midst of the frame of which that has a part.
func TestSlowLiveWithResults(t *testing.T) {
	inBubble(t, func(b *bubble) {
		c := b.follow("")
		c.replayed(t, 0)
		b.publish(1, 10)
		_ = c.SetReadDeadline(time.Time{})
		part := make([]byte, 10)
		n, err := c.Conn.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		c.send(t, fin|pingCode, "x")
		c.send(t, fin|textMessage, "junk")
		time.Sleep(time.Minute)
		c.in.Reset(io.MultiReader(bytes.NewReader(part[:n]), c.Conn))
		if code, events := c.closed(t); code != 4429 || events != 1 {
			t.Errorf("closed with %d after %d events", code, events)
		}
	})
}

// Whoever sends commands and does not read the results holds no room with either.
func TestResultsStand(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.publish(3000, 100)
		c := b.follow("")
		go func() {
			for i := range 30 { // more than wait for their turn
				frame := fmt.Sprintf(`{"command_id":"%d","command":{"type":"publish","event":{"type":"a"}}}`, i)
				if _, err := c.Write(masked(fin|textMessage, frame)); err != nil {
					return // the test is over
				}
				time.Sleep(10 * time.Millisecond) // or no time would pass when the relay stops, and passes over all that comes
			}
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		b.allIsFree()
	})
}

// A live client that takes a little every nine seconds is slow, but reads: it gets
// whole frames, and its pings and results between them.
func TestSlowReader(t *testing.T) {
	inBubble(t, func(b *bubble) {
		c := b.follow("")
		c.replayed(t, 0)
		c.send(t, fin|pingCode, "x")
		c.send(t, fin|textMessage, "junk")
		b.publish(1, 4000)
		b.publish(1, 9000)
		_ = c.SetReadDeadline(time.Time{})
		buffer := make([]byte, 200)
		var got bytes.Buffer
		for got.Len() < 13_000 {
			time.Sleep(9 * time.Second)
			n, err := c.Conn.Read(buffer)
			if err != nil {
				t.Fatalf("after %d bytes: %v", got.Len(), err)
			}
			got.Write(buffer[:n])
		}
		c.in.Reset(io.MultiReader(&got, c.Conn))
		for range 2 {
			if e := c.next(t, "event"); !json.Valid(e) {
				t.Errorf("no JSON: %.200s", e)
			}
		}
	})
}

// next reads until a message of a type.
func (c *raw) next(t testing.TB, kind string) []byte {
	t.Helper()
	for {
		first, payload, err := c.frame()
		if err != nil {
			t.Fatal(err)
		}
		if first == fin|textMessage && typeOf(t, payload) == kind {
			return payload
		}
	}
}

// Who stands still for minutes after that is not waited for any longer.
func TestGone(t *testing.T) {
	inBubble(t, func(b *bubble) {
		c := b.follow("")
		c.replayed(t, 0)
		b.publish(1, 10)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		b.allIsFree()
		if _, _, err := c.frame(); err == nil {
			t.Error("the connection is still there")
		}
	})
}

// A client on which nothing passes is asked for a sign of life, keeps its
// connection with that, and loses it without, with a code that says what to do.
func TestPings(t *testing.T) {
	inBubble(t, func(b *bubble) {
		c := b.follow("")
		c.replayed(t, 0)
		pings := func(n int, answer bool) {
			for i := range n {
				began := time.Now()
				first, payload, err := c.frame()
				if err != nil || first != fin|pingCode {
					t.Fatalf("after %v %x %q, want ping %d; %v", time.Since(began), first, payload, i, err)
				}
				if answer {
					c.send(t, fin|pongCode, string(payload))
				}
			}
		}
		pings(20, true)
		pings(4, false)
		if code, _ := c.closed(t); code != 4429 {
			t.Errorf("closed with %d", code)
		}
	})
}

// A mistake in the program closes the sockets that it concerns with 1011, and goes
// on record.
func TestSocketPanic(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.publish(3, 10)
		c := b.follow(`,"resume_after_seq":3`)
		c.replayed(t, 3)
		b.broken.Store(true)
		slow := b.follow(`,"resume_after_seq":1`)
		if code, _ := slow.closed(t); code != 1011 {
			t.Errorf("closed with %d", code)
		}
		b.broken.Store(false)
		b.publish(1, 10)
		if e := c.hear(t, "event"); !strings.Contains(string(e), `"seq":4`) {
			t.Errorf("the event %s", e)
		}
		// So does one that comes up while what is new is read for everybody.
		b.broken.Store(true)
		b.publish(1, 10)
		if code, _ := c.closed(t); code != 1011 {
			t.Errorf("closed with %d", code)
		}
		if len(b.refusals.list) != 2 {
			t.Errorf("%d refusals are on record", len(b.refusals.list))
		}
	})
}
