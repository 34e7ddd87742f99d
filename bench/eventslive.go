package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// subscribers is how many follow a stream live.
	subscribers = 16

	// liveRate is how many events a second are published meanwhile, evenly by as
	// many publishers as take turns: one waits for each answer.
	liveRate       = 1000
	livePublishers = 4
)

// sentMember precedes the time at which an event was due, in nanoseconds.
const sentMember = `"sent":`

// followLive publishes at a steady rate and returns how long it took until 99 of
// 100 frames were read, from when their events were due: what a late request costs
// those behind it counts too.
func followLive(ctx context.Context, s *server, size extent) (outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	end := time.Now().Add(size.warm + size.look)
	var all sync.WaitGroup
	tallies := make([][]time.Duration, subscribers)
	errs := make([]error, subscribers+livePublishers)
	ready := make(chan struct{}, subscribers)
	total := int((size.warm + size.look).Seconds() * liveRate)
	for i := range subscribers {
		all.Go(func() { tallies[i], errs[i] = follow(ctx, s, total, ready) })
	}
	for range subscribers {
		select {
		case <-ready:
		case <-time.After(startTime):
			return outcome{}, errors.New("the subscribers do not get to follow")
		}
	}
	begun := time.Now()
	for i := range livePublishers {
		all.Go(func() {
			errs[subscribers+i] = publishSteadily(ctx, s, begun, i, total)
		})
	}
	all.Wait()
	if err := firstOf(errs); err != nil {
		return outcome{}, err
	}
	if late := time.Since(end); late > size.look {
		return outcome{}, fmt.Errorf("the load came %s late", late)
	}
	var took []time.Duration
	for _, t := range tallies {
		took = append(took, t...)
	}
	slow := p99(took)
	return outcome{value: slow.Seconds() * 1e3, p99: slow}, nil
}

// publishSteadily publishes every so manieth of the events, each when it is due.
func publishSteadily(ctx context.Context, s *server, begun time.Time, first, total int) error {
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	for i := first; i < total && ctx.Err() == nil; i += livePublishers {
		due := begun.Add(time.Duration(i) * time.Second / liveRate)
		time.Sleep(time.Until(due))
		event := fmt.Sprintf(`{"event":{"type":"service.error","service":"auth","severity":8,%s%d}}`, sentMember, due.UnixNano())
		if _, err := c.do(s.publish(event)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// follow reads frames of a live stream until it has seen a number of events, and
// returns how old each was.
func follow(ctx context.Context, s *server, total int, ready chan<- struct{}) ([]time.Duration, error) {
	c, _, err := websocket.Dial(ctx, "ws://"+s.address+"/reflex/v1/streams/"+stream+"/live", //nolint:bodyclose // the library's
		&websocket.DialOptions{Subprotocols: []string{"reflexr.v1"}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.CloseNow() }()
	if err := c.Write(ctx, websocket.MessageText, []byte(`{"type":"hello","protocol":"reflexr.v1"}`)); err != nil {
		return nil, err
	}
	took := make([]time.Duration, 0, total)
	for len(took) < total {
		_, frame, err := c.Read(ctx)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		if bytes.HasPrefix(frame, []byte(`{"type":"replay_complete"`)) {
			ready <- struct{}{}
			continue
		}
		_, rest, ok := bytes.Cut(frame, []byte(sentMember))
		if !ok {
			continue // the welcome
		}
		digits, _, _ := bytes.Cut(rest, []byte("}"))
		sent, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a frame of somebody else: %.200q", frame)
		}
		took = append(took, now.Sub(time.Unix(0, sent)))
	}
	return took, nil
}
