package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hearth/relay/protocol"
)

const (
	// wakes is how often one waiter is woken in a look, and manyWakes how often
	// many are.
	wakes     = 50
	manyWakes = 5

	// parkTime and parkTimeEach are how long waiters get until all of them wait.
	parkTime     = 5 * time.Millisecond
	parkTimeEach = 200 * time.Microsecond
)

// wakeScenarios take the time from before an append is sent until the last of
// those who waited for it has read his answer.
func wakeScenarios() []scenario {
	one, many := waking{waiters: 1, times: wakes}, waking{waiters: 1000, times: manyWakes}
	return []scenario{{
		name: "wake-1", title: "append → the waiter is answered", unit: milliseconds, run: served(one.run),
	}, {
		name: "wake-1000", title: "append → the last of 1,000 waiters is answered", unit: milliseconds, run: served(many.run),
	}}
}

// waking is how many wait, and how often.
type waking struct {
	waiters, times int
}

func (k waking) run(ctx context.Context, s *server, _ extent) (outcome, error) {
	w, err := newWaitingRoom(s, k.waiters)
	if err != nil {
		return outcome{}, err
	}
	defer w.close()
	took := make([]time.Duration, 0, k.times)
	values := make([]float64, 0, k.times)
	for range k.times {
		if err := w.enter(); err != nil {
			return outcome{}, err
		}
		time.Sleep(parkTime + time.Duration(k.waiters)*parkTimeEach)
		d, err := w.wake()
		if err := errors.Join(err, ctx.Err()); err != nil {
			return outcome{}, err
		}
		took = append(took, d)
		values = append(values, d.Seconds()*1e3)
	}
	return outcome{value: median(values), p99: p99(took)}, nil
}

// waitingRoom is clients who wait for one stream, and one who writes to it.
type waitingRoom struct {
	server  *server
	writer  *conn
	request *appendRequest
	reader  reader
	waiters []*conn
}

func newWaitingRoom(s *server, waiters int) (*waitingRoom, error) {
	w := &waitingRoom{server: s, request: s.append(stream, 1, smallEntry)}
	var err error
	if w.writer, err = dial(s.address); err != nil {
		return nil, err
	}
	if _, err := w.writer.do(w.request.next()); err != nil {
		w.close()
		return nil, err
	}
	if err := w.admit(waiters); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// admit connects more waiters.
func (w *waitingRoom) admit(waiters int) error {
	for range waiters {
		c, err := dial(w.server.address)
		if err != nil {
			return err
		}
		w.waiters = append(w.waiters, c)
	}
	return nil
}

func (w *waitingRoom) close() {
	w.writer.close()
	for _, c := range w.waiters {
		c.close()
	}
}

// enter lets all of them wait for what comes after the newest entry.
func (w *waitingRoom) enter() error {
	var after *protocol.Cursor
	if w.reader.begun && w.server.target.kind != ceiling {
		after = &w.reader.at
	} else {
		w.reader = reader{}
	}
	body, err := w.writer.do(w.server.page(stream, after, 1))
	if err != nil {
		return err
	}
	if _, err := w.reader.take(body); err != nil {
		return err
	}
	wait := w.server.get(fmt.Sprintf("/v1/wait?watch=%s:%s&timeout=60", stream, w.reader.at))
	for _, c := range w.waiters {
		if err := c.send(wait); err != nil {
			return err
		}
	}
	return nil
}

// wake writes an entry and returns how long it took until all of them knew. Their
// answers are read one after the other: the last one counts, and a thousand
// goroutines that have to be woken first would take longer than some servers.
func (w *waitingRoom) wake() (time.Duration, error) {
	begun := time.Now()
	if err := w.writer.send(w.request.next()); err != nil {
		return 0, err
	}
	for _, c := range w.waiters {
		if err := c.woken(); err != nil {
			return 0, err
		}
	}
	took := time.Since(begun)
	_, err := w.writer.answer()
	return took, err
}

// noHeads is the answer to a wait whose time is up.
var noHeads = protocol.Encode(protocol.Heads{})

// woken reads the answer to a wait, which has something to tell.
func (c *conn) woken() error {
	body, err := c.answer()
	if err == nil && len(body) <= len(noHeads) {
		err = errors.New("a waiter was answered with nothing")
	}
	return err
}
