package reflexhttp

import (
	"context"
	"errors"
	"os"
	"time"

	"hearth/relay/guard"
	"hearth/relay/reflex"
)

const (
	// pingTime is how often a client is asked for a sign of life. That keeps the
	// connection known to whatever is on its way: home routers forget those on which
	// nothing passes after minutes.
	pingTime = 30 * time.Second

	// deadTime is how long a client may give none.
	deadTime = 4 * pingTime

	// standTime is how long a live client may take nothing (contract, "Close
	// codes": 4429).
	standTime = 10 * time.Second

	// offerTime is how long what is sent holds room at a time, and offerPace how
	// many bytes have to be taken meanwhile to have it for longer.
	offerTime = 500 * time.Millisecond
	offerPace = 4 << 10
)

// errSlow says that a client stands still.
var errSlow = errors.New("the client does not read")

// write writes what there is to write, until the socket is closing, and then the
// last word.
func (s *socket) write() {
	s.safely(func() {
		if err := s.send(); err != nil {
			s.end(nil)
		}
	})
	s.sayLast(s.sub)
}

// send sends frames. The error says that the client is gone; without one the
// socket is closing.
func (s *socket) send() error {
	pings := time.NewTicker(pingTime)
	defer pings.Stop()
	for {
		if s.isClosing() { // what is left of a frame is for the last word
			return nil
		}
		if s.sub.Begun() {
			if err := s.pour(); err != nil {
				return err
			}
			continue // nothing comes into the midst of a frame
		}
		// What is short comes first: a long replay is not to hold up results.
		select {
		case frame := <-s.outbox:
			if err := s.put(frame); err != nil {
				return err
			}
			continue
		default:
		}
		var err error
		select {
		case <-s.alive.Done():
			return nil
		case frame := <-s.outbox:
			err = s.put(frame)
		case <-pings.C:
			err = s.ask()
		case <-s.sub.News():
			err = s.pour()
		}
		if err != nil {
			return err
		}
	}
}

// ask asks the client for a sign of life.
func (s *socket) ask() error {
	if time.Since(time.Unix(0, s.heard.Load())) > deadTime {
		s.close(tooSlow, "the client gave no sign of life")
		return nil
	}
	return s.put(framed(pingFrame, nil))
}

// pour sends some of what is new.
func (s *socket) pour() error {
	frames, err := s.sub.Next(s.alive)
	if err != nil {
		if !s.isClosing() && !errors.Is(err, guard.ErrBusy) { // which passes
			s.refuse(err)
		}
		return nil
	}
	n, err := s.offer(frames)
	rest := s.sub.Taken(n)
	if len(rest) == 0 || err != nil {
		return err
	}
	err = s.put(rest)
	s.heard.Store(time.Now().UnixNano()) // who takes something, having stood still, is there
	return err
}

// offer writes b for as long as the client takes it, and returns how much that
// was. The error says that the client is gone.
func (s *socket) offer(b []byte) (taken int, err error) {
	for taken < len(b) {
		n, err := s.try(b[taken:], offerTime)
		taken += n
		if err != nil {
			return taken, err
		}
		if n < offerPace {
			break
		}
	}
	return taken, nil
}

// put writes b when the client takes it, however long that takes unless it is
// live. If the socket closes meanwhile, what is left becomes unsent. The error says
// that the client is gone.
func (s *socket) put(b []byte) error {
	for len(b) > 0 {
		n, err := s.try(b, standTime)
		if err != nil {
			return err
		}
		b = b[n:]
		if n == 0 && s.sub.Live() && !s.isClosing() {
			s.close(tooSlow, errSlow.Error())
		}
		if s.isClosing() {
			s.unsent = b
			return nil
		}
	}
	return nil
}

// try writes as much of b as the client takes within a time, unless the socket is
// closing. The error says that the client is gone.
func (s *socket) try(b []byte, within time.Duration) (n int, err error) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(within))
	if s.isClosing() {
		return 0, nil // the deadline of whoever closed it may have come before
	}
	n, err = s.conn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

// sayLast sends the last frame, behind what is left of the one before it, and
// hangs up on a client that does not hang up itself. Without a subscription nothing
// was begun.
func (s *socket) sayLast(sub *reflex.Subscription) {
	defer close(s.said)
	s.mu.Lock()
	last, patience := s.last, lingerTime
	if s.code == tooSlow {
		patience = slowTime
	}
	s.mu.Unlock()
	if last == nil || s.finish(sub, last, patience) != nil {
		_ = s.conn.Close()
		return
	}
	s.goodbye = time.AfterFunc(lingerTime, func() { _ = s.conn.Close() })
}

// finish writes what is left of the frame that the client has a part of, and a last
// one.
func (s *socket) finish(sub *reflex.Subscription, last []byte, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.alive), patience)
	defer cancel()
	_ = s.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := s.conn.Write(s.unsent); err != nil {
		return err
	}
	for sub != nil && sub.Begun() {
		rest, err := sub.Rest(ctx)
		if err != nil {
			return err
		}
		n, err := s.conn.Write(rest)
		sub.Taken(n)
		if err != nil {
			return err
		}
	}
	_, err := s.conn.Write(last)
	return err
}
