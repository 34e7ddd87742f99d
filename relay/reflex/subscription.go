package reflex

import (
	"context"
	"math"
	"slices"
	"sync"

	"hearth/relay/guard"
)

const (
	// batchSize is how many bytes of frames are sent at a time, unless one is
	// larger: a few hundred of the usual ones, for which a call of the system costs
	// little.
	batchSize = 64 << 10

	// scanSize is how many bytes of entries are looked at a time for those that a
	// filter wants.
	scanSize = 4 * batchSize

	// keptRest is how many bytes of a frame are kept for a client that does not take
	// them for now.
	keptRest = 1 << 10
)

// Lead appends what goes before a frame of so many bytes on its way to a client.
type Lead func(dst []byte, size int) []byte

// Subscription is somebody who follows a stream: a position in it, from which
// frames are read at the pace at which they are taken. It is for one goroutine, but
// for News.
type Subscription struct {
	reader // where it is: all up to there was taken, or is in frames
	feed   *feed
	pages  guard.Room
	room   guard.Room
	lead   Lead
	filter filter

	upTo     uint64 // the head at the welcome
	complete []byte // the frame that is sent behind it, until it was taken

	// What is being sent: frames, where it was before them, and the room for them.
	frames []byte
	from   uint64
	tray   *tray // nil while nothing is
	buffer *[batchSize]byte
	held   *guard.Reservation

	out    int // bytes of the first of the frames, or of the next one, that were taken before
	events uint64
}

// frameEnd is the end of a frame among those that are being sent.
type frameEnd struct {
	at       int    // in bytes
	position uint64 // of what it shows
	complete bool   // it is the one that says that the replay is over
}

// tray is where frames are put together. Many subscriptions use it in turn, and
// so they do a buffer.
type tray struct {
	ends  []frameEnd
	fresh [][]byte // what comes from a feed
}

// trays and buffers are those that nobody uses.
var (
	trays   = sync.Pool{New: func() any { return new(tray) }}
	buffers = sync.Pool{New: func() any { return new([batchSize]byte) }}
)

// Live says whether the replay is over: the client has taken all that there was at
// the welcome.
func (s *Subscription) Live() bool { return s.complete == nil }

// Events returns how many events the client has taken.
func (s *Subscription) Events() uint64 { return s.events }

// Begun says whether the client has taken a part of a frame, but not the rest.
func (s *Subscription) Begun() bool { return s.out > 0 }

// News returns a channel that is closed when there is something for Next.
func (s *Subscription) News() <-chan struct{} {
	if !s.Live() || s.Begun() {
		return always
	}
	return s.feed.news(s.at.Seq)
}

// Next returns the next frames, each with its lead, whole or what is left of the
// one that was begun; none if those that are next are not wanted, or there are none
// just now. They hold room, for which it may have to wait, until Taken says what
// has become of them. The errors are those of [store.Store.Page], [guard.ErrBusy]
// and the context's.
func (s *Subscription) Next(ctx context.Context) ([]byte, error) { return s.next(ctx, math.MaxInt) }

// Rest returns what is left of a frame that was begun, as Next does.
func (s *Subscription) Rest(ctx context.Context) ([]byte, error) { return s.next(ctx, 1) }

// next returns the next frames, at most so many.
func (s *Subscription) next(ctx context.Context, most int) ([]byte, error) {
	s.release()
	s.from, s.tray = s.at.Seq, trays.Get().(*tray)
	more := true
	var err error
	if s.Live() {
		more, err = s.fillLive(ctx, most)
	}
	for need := batchSize; more && need > 0 && err == nil; {
		if err = s.begin(ctx, need); err != nil {
			break
		}
		if s.Live() {
			need, err = s.fillFrom(ctx, s.feed.at(), most)
		} else {
			need, err = s.fillReplay(ctx, most)
		}
	}
	switch {
	case err != nil:
		s.back(s.from)
		s.release()
		return nil, err
	case len(s.frames) == 0:
		s.release()
		return nil, nil
	}
	return s.frames[s.out:], nil
}

// begin makes room for frames of so many bytes.
func (s *Subscription) begin(ctx context.Context, size int) error {
	s.clear()
	held, err := s.room.Reserve(ctx, int64(size))
	if err != nil {
		return err
	}
	s.held = held
	if size == batchSize {
		s.buffer = buffers.Get().(*[batchSize]byte)
		s.frames = s.buffer[:0]
	} else {
		s.frames = make([]byte, 0, size)
	}
	return nil
}

// clear gives back the room for frames.
func (s *Subscription) clear() {
	if s.held == nil {
		return
	}
	if s.buffer != nil {
		buffers.Put(s.buffer)
	}
	s.held.Release()
	s.held, s.buffer, s.frames = nil, nil, nil
}

// release gives back all that sending takes.
func (s *Subscription) release() {
	s.clear()
	if s.tray != nil {
		s.tray.ends = s.tray.ends[:0]
		trays.Put(s.tray)
		s.tray = nil
	}
}

// fillLive takes what the feed has kept; more says that it has not kept what is
// next.
func (s *Subscription) fillLive(ctx context.Context, most int) (more bool, err error) {
	frames, head, err := s.feed.since(s.tray.fresh[:0], s.at.Seq, batchSize)
	if len(frames) == 0 || err != nil {
		return head > s.at.Seq, err
	}
	s.tray.fresh = frames[:0]
	defer clear(frames)
	size := 0
	for _, frame := range frames {
		if s.filter.wants(frame) {
			size += len(frame) + maxLead
		}
	}
	if size > 0 {
		if err := s.begin(ctx, size); err != nil {
			return false, err
		}
	}
	for _, frame := range frames {
		if s.filter.wants(frame) {
			s.frames = append(s.lead(s.frames, len(frame)), frame...)
			s.end(frameEnd{position: s.at.Seq + 1})
		}
		s.moveTo(s.at.Seq + 1)
		if len(s.tray.ends) == most {
			break
		}
	}
	return false, nil
}

// fillReplay takes what there is up to the head at the welcome, and says so behind
// it. If there is no room for the first frame, need is how many bytes it takes.
func (s *Subscription) fillReplay(ctx context.Context, most int) (need int, err error) {
	if s.at.Seq < s.upTo {
		if need, err = s.fillFrom(ctx, s.upTo, most); need > 0 || err != nil {
			return need, err
		}
	}
	if s.at.Seq == s.upTo && len(s.tray.ends) < most && s.fits(len(s.complete)) {
		s.frames = append(s.lead(s.frames, len(s.complete)), s.complete...)
		s.end(frameEnd{position: s.upTo, complete: true})
	}
	return 0, nil
}

// fillFrom takes what the store has up to a position. See fillReplay.
func (s *Subscription) fillFrom(ctx context.Context, upTo uint64, most int) (need int, err error) {
	reading, err := s.pages.Reserve(ctx, pageRoom)
	if err != nil {
		return 0, err
	}
	defer reading.Release()
	bytes := batchSize
	if s.filter != nil {
		bytes = scanSize
	}
	read, err := s.read(ctx, upTo, math.MaxInt32, bytes)
	if err != nil {
		return 0, err
	}
	defer read.release()
	for e, err := range read.all() {
		if err != nil {
			return 0, err
		}
		if s.filter.wants(e.head) {
			frame := eventFrame{shown: e}
			if s.Live() {
				at := s.at
				at.Seq, at.Link = e.seq, e.link
				frame.cursor = at.String()
			}
			size := frame.size()
			if !s.fits(size) {
				return s.lacks(size), nil
			}
			s.frames = frame.append(s.lead(s.frames, size))
			s.end(frameEnd{position: e.seq})
		}
		s.moveBy(e)
		if e.seq == upTo || len(s.tray.ends) == most {
			break
		}
	}
	return 0, nil
}

// end ends a frame.
func (s *Subscription) end(e frameEnd) {
	e.at = len(s.frames)
	s.tray.ends = append(s.tray.ends, e)
}

// maxLead is how many bytes of lead there is room for.
const maxLead = 16

// fits says whether there is room for one more frame.
func (s *Subscription) fits(size int) bool {
	return len(s.frames)+size+maxLead <= cap(s.frames)
}

// lacks returns how many bytes it takes to send a frame that does not fit; 0 if
// others go first.
func (s *Subscription) lacks(size int) int {
	if len(s.frames) > 0 {
		return 0
	}
	return size + maxLead
}

// Taken says how many bytes the client has taken of what Next returned. If that is
// not all, a piece of what is next is returned, which has to be sent before Next
// is asked again: who waits for his client holds no room.
func (s *Subscription) Taken(n int) (rest []byte) {
	if s.tray == nil {
		return nil // there was nothing
	}
	defer s.release()
	n += s.out
	s.out = 0
	done := s.from
	begins := 0 // where the frame does
	for _, end := range s.tray.ends {
		if n < end.at && rest == nil {
			upTo := min(n+keptRest, end.at)
			rest = slices.Clone(s.frames[n:upTo])
			n = upTo
		}
		if n < end.at {
			s.out = n - begins
			s.back(done)
			return rest
		}
		if end.complete {
			s.complete = nil
		} else {
			s.events++
		}
		done, begins = end.position, end.at
	}
	return rest
}

// back puts the subscription back to a position.
func (s *Subscription) back(seq uint64) {
	if s.at.Seq != seq {
		s.moveTo(seq)
	}
}

// Stop ends the subscription.
func (s *Subscription) Stop() {
	s.release()
	s.feed.leave()
}
