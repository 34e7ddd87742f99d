package streamhttp

import (
	"context"
	"net/http"
	"time"

	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// pageRoom is how much memory a page may take: one entry as large as a body, or
// half as many bytes in several, with their heads and links and what the store
// reads around them.
const pageRoom = protocol.MaxBody + 1<<20

// read answers with a page ("Reading").
func (x *exchange) read() error {
	ref, err := x.ref()
	if err != nil {
		return err
	}
	q, err := parseQuery(x.r.URL.RawQuery, "after", "limit")
	if err != nil {
		return err
	}
	after, err := q.cursor("after")
	if err != nil {
		return err
	}
	if after != nil {
		x.position = after.Seq
	}
	limit, err := q.number("limit", protocol.DefaultPageEntries, 1, protocol.MaxPageEntries)
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	s, err := x.page(ctx, store.Read{Ref: ref, After: after, Entries: limit, Bytes: protocol.MaxPageData})
	if err != nil {
		return err
	}
	defer s.release()
	err = x.send(http.StatusOK, s.pieces...)
	x.handler.options.Observer.Read(ctx, x.visitor, ref, s.page, s.size, s.took, err)
	return nil
}

// sheet is a page in the wire's encoding.
type sheet struct {
	page   store.Page
	pieces [][]byte
	size   int // of all pieces together
	held   int // the memory that they take
	took   time.Duration
	room   *guard.Reservation
}

// release gives back the memory of the page.
func (s *sheet) release() {
	s.page.Release()
	s.room.Release()
}

// page reads a page and makes room for it to be sent. Where there is none, it is
// let go and read again once there is: room to read is never held by pages that
// stand behind slow clients, so that a small page goes out whatever large ones
// wait for.
func (x *exchange) page(ctx context.Context, ask store.Read) (*sheet, error) {
	o := x.handler.options
	s, err := x.fetch(ctx, ask)
	if err != nil {
		return nil, err
	}
	sending := o.Sending.Share(x.r)
	room, ok := sending.TryReserve(int64(s.held))
	if ok {
		s.room.Release()
		s.room = room
		return s, nil
	}
	s.release()
	if room, err = sending.Reserve(ctx, pageRoom); err != nil {
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
func (x *exchange) fetch(ctx context.Context, ask store.Read) (s *sheet, err error) {
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
	page, err := o.Store.Page(ctx, ask)
	if err != nil {
		return nil, err
	}
	s = &sheet{page: page, took: time.Since(start), room: room}
	s.pieces = make([][]byte, 0, 1+len(page.Wire))
	s.pieces = append(s.pieces, protocol.AppendPage(nil, page.Stream, page.Epoch, page.Head, page.Count))
	s.pieces = append(s.pieces, page.Wire...)
	for _, piece := range s.pieces {
		s.size += len(piece)
		s.held += cap(piece)
	}
	return s, nil
}
