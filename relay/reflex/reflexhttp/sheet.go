package reflexhttp

import (
	"context"
	"time"

	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

// pageRoom is how much memory a page may take while it is read: one envelope as
// large as a body, or half as many bytes in several, with what the store reads
// around them.
const pageRoom = protocol.MaxBody + 1<<20

// sheet is a page in memory.
type sheet struct {
	page reflex.Page
	size int // of all pieces together
	held int // the memory that they take
	took time.Duration
	room *guard.Reservation
}

// release gives back the memory of the page.
func (s *sheet) release() {
	s.page.Release()
	s.room.Release()
}

// page reads a page and makes room for it to be sent. Where there is none, it is
// let go and read again once there is: room to read is never held by pages that
// stand behind slow clients.
func (x *exchange) page(ctx context.Context, ask reflex.Query) (*sheet, error) {
	s, err := x.fetch(ctx, ask)
	if err != nil {
		return nil, err
	}
	sending := x.handler.options.Sending.Share(x.r)
	room, ok := sending.TryReserve(int64(s.held))
	if ok {
		s.room.Release()
		s.room = room
		return s, nil
	}
	s.release()
	// That of the one large entry that there may be takes more in text.
	if room, err = sending.Reserve(ctx, max(pageRoom, int64(s.held))); err != nil {
		return nil, err
	}
	if s, err = x.fetch(ctx, ask); err != nil {
		room.Release()
		return nil, err
	}
	room.Shrink(int64(s.held))
	s.room.Release()
	s.room = room
	return s, nil
}

// fetch reads a page, in the room for reading.
func (x *exchange) fetch(ctx context.Context, ask reflex.Query) (s *sheet, err error) {
	o := x.handler.options
	room, err := o.Pages.Reserve(ctx, pageRoom)
	if err != nil {
		return nil, err
	}
	defer func() {
		if s == nil {
			room.Release() // also where something panics
		}
	}()
	start := time.Now()
	page, err := o.Service.Read(ctx, callerOf(x.visitor), x.stream, ask)
	if err != nil {
		return nil, err
	}
	s = &sheet{page: page, took: time.Since(start), room: room}
	for _, piece := range page.Pieces {
		s.size += len(piece)
		s.held += cap(piece)
	}
	return s, nil
}
