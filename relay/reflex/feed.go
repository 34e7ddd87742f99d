package reflex

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

const (
	// keptFrames and keptBytes are how many of a stream's newest frames are kept
	// for those who follow it, and of how many bytes: all of what people and
	// machines write in the moment that a quick client needs to come for it. Who
	// is slower reads the store.
	keptFrames = 1000
	keptBytes  = 1 << 20

	// pageRoom is how much memory reading takes at the most: one entry as large as
	// a body, or half as many bytes in several, with what the store reads around
	// them.
	pageRoom = protocol.MaxBody + 1<<20
)

// Hub is what is needed of the notifier; see [notify.Hub].
type Hub interface {
	Subscribe(refs ...store.Ref) *notify.Subscription
}

// feedKey tells feeds apart.
type feedKey struct {
	ref         store.Ref
	withoutData bool
}

// feeds are the feeds of the streams that somebody follows.
type feeds struct {
	store Store
	hub   Hub
	pages guard.Room

	mu   sync.Mutex
	open map[feedKey]*feed
}

// feed shows what is new in a stream to all who follow it: each entry is read and
// rendered once.
type feed struct {
	feeds     *feeds
	key       feedKey
	followers int // guarded by the lock of feeds
	end       context.CancelFunc

	mu     sync.Mutex
	head   uint64   // what is up to here is in frames, or to be read in the store
	frames [][]byte // of the entries up to head, one each
	bytes  int      // of all frames
	moved  chan struct{}
	err    error // why nothing more comes
}

// join returns the feed of a stream, which the caller has to leave.
func (f *feeds) join(key feedKey) *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.open[key]
	if d == nil {
		d = &feed{feeds: f, key: key, moved: make(chan struct{})}
		if f.open == nil {
			f.open = make(map[feedKey]*feed)
		}
		f.open[key] = d
		ctx, cancel := context.WithCancel(context.Background())
		d.end = cancel
		go d.run(ctx, f.hub.Subscribe(key.ref))
	}
	d.followers++
	return d
}

// leave says that the caller follows no more.
func (d *feed) leave() {
	d.feeds.mu.Lock()
	defer d.feeds.mu.Unlock()
	d.followers--
	if d.followers == 0 {
		d.end()
		d.feeds.forget(d)
	}
}

// forget makes that who joins from now on gets another feed.
func (f *feeds) forget(d *feed) {
	if f.open[d.key] == d {
		delete(f.open, d.key)
	}
}

// run follows the stream until nobody follows the feed.
func (d *feed) run(ctx context.Context, news *notify.Subscription) {
	defer news.Stop()
	defer func() {
		if value := recover(); value != nil {
			d.fail(fmt.Errorf("following the stream %q: panic: %v\n%s", d.key.ref.Name, value, debug.Stack()))
		}
	}()
	r := &reader{store: d.feeds.store, ref: d.key.ref, withoutData: d.key.withoutData}
	for {
		select {
		case <-ctx.Done():
			return
		case <-news.Woken():
		}
		moved, closed := news.Take()
		err := store.ErrClosed
		if !closed {
			err = d.follow(ctx, r, moved[d.key.ref].Head)
		}
		if err != nil {
			d.fail(err)
			return
		}
	}
}

// follow renders what is new up to a head.
func (d *feed) follow(ctx context.Context, r *reader, head uint64) error {
	from := max(d.at(), head-min(head, keptFrames))
	if r.at.Seq != from {
		r.moveTo(from)
	}
	for r.at.Seq < head {
		frames, err := d.render(ctx, r, head)
		if err != nil && !errors.Is(err, guard.ErrBusy) { // there will be room
			return err
		}
		d.add(r.at.Seq, frames)
	}
	return nil
}

// render reads some of what follows and renders it.
func (d *feed) render(ctx context.Context, r *reader, head uint64) (frames [][]byte, err error) {
	room, err := d.feeds.pages.Reserve(ctx, pageRoom)
	if err != nil {
		return nil, err
	}
	defer room.Release()
	s, err := r.read(ctx, head, keptFrames, keptBytes)
	if err != nil {
		return nil, err
	}
	defer s.release()
	for e, err := range s.all() {
		if err != nil {
			return nil, err
		}
		r.moveBy(e)
		frame := eventFrame{shown: e, cursor: r.at.String()}
		if size := frame.size(); size <= keptBytes {
			frames = append(frames, frame.append(make([]byte, 0, size)))
		} else {
			frames = nil // it is not kept, and what is before it is of no use then
		}
		if e.seq == head {
			break
		}
	}
	return frames, nil
}

// at returns the position up to which the stream is known.
func (d *feed) at() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.head
}

// raise says that the stream has a head, of which somebody has heard.
func (d *feed) raise(head uint64) { d.add(head, nil) }

// add adds frames up to a position, and wakes those who wait for it.
func (d *feed) add(head uint64, frames [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if head <= d.head || d.err != nil {
		return
	}
	if first := head - uint64(len(frames)) + 1; first <= d.head {
		frames = frames[d.head+1-first:]
	} else if first > d.head+1 {
		d.frames, d.bytes = nil, 0 // there is a gap before these
	}
	d.head = head
	for _, frame := range frames {
		d.bytes += len(frame)
	}
	d.frames = append(d.frames, frames...)
	drop := 0
	for len(d.frames)-drop > keptFrames || d.bytes > keptBytes {
		d.bytes -= len(d.frames[drop])
		d.frames[drop] = nil
		drop++
	}
	d.frames = d.frames[drop:]
	close(d.moved)
	d.moved = make(chan struct{})
}

// fail tells everybody why nothing more comes.
func (d *feed) fail(err error) {
	d.feeds.mu.Lock()
	d.feeds.forget(d)
	d.feeds.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	close(d.moved)
}

// always is closed: there is something to have.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// news returns a channel that is closed once there is something behind a
// position.
func (d *feed) news(position uint64) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.head > position || d.err != nil {
		return always
	}
	return d.moved
}

// since appends the frames behind a position to dst, up to so many bytes and at
// least one. If the next is not among those that are kept, there are none; head says
// up to where to read then. The error is why nothing more comes.
func (d *feed) since(dst [][]byte, position uint64, bytes int) (frames [][]byte, head uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.head <= position {
		return dst, d.head, d.err
	}
	behind := d.head - position
	if behind > uint64(len(d.frames)) {
		return dst, d.head, nil
	}
	for i, frame := range d.frames[uint64(len(d.frames))-behind:] {
		if bytes -= len(frame); bytes < 0 && i > 0 {
			break
		}
		dst = append(dst, frame)
	}
	return dst, d.head, nil
}
