package reflex

import (
	"context"
	"encoding/json"
	"errors"

	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Follower says how somebody follows a stream.
type Follower struct {
	Caller Caller
	Stream string
	Hello  Hello // as DecodeHello returns it

	WithoutData bool       // opaque entries without their bytes
	Lead        Lead       // what goes before frames on their way
	Room        guard.Room // for frames on their way: the client's share
}

// Follow begins to follow a stream, which need not exist yet, and returns what is
// told of it first. The caller must Stop the subscription. The errors: *Rejection,
// *store.DamagedError, store.ErrClosed, guard.ErrBusy, the context's.
func (s *Service) Follow(ctx context.Context, f Follower) (_ *Subscription, _ Welcome, err error) {
	if err := checkStream(f.Stream); err != nil {
		return nil, Welcome{}, err
	}
	ref := store.Ref{Space: f.Caller.Space, Name: f.Stream}
	// To join first and to look then misses nothing in between.
	feed := s.feeds.join(feedKey{ref, f.WithoutData})
	defer func() {
		if err != nil {
			feed.leave()
		}
	}()
	stream, err := s.store.Stream(ctx, ref)
	if _, missing := errors.AsType[*store.NotFoundError](err); err != nil && !missing {
		return nil, Welcome{}, err
	}
	if stream.Damage != nil {
		return nil, Welcome{}, stream.Damage
	}
	feed.raise(stream.Head)
	from, reason, err := s.place(ctx, f.Hello, ref, stream)
	if err != nil {
		return nil, Welcome{}, err
	}
	w := Welcome{
		Type: welcomeType, Protocol: Protocol, StreamID: f.Stream, HeadSeq: stream.Head,
		Reset: reason != "", Reason: reason, Cursor: cursorOf(stream),
	}
	complete, err := json.Marshal(ReplayComplete{Type: replayCompleteType, UpToSeq: stream.Head, Cursor: w.Cursor})
	if err != nil {
		return nil, Welcome{}, err
	}
	sub := &Subscription{
		reader: reader{store: s.store, ref: ref, withoutData: f.WithoutData},
		feed:   feed, pages: s.feeds.pages, room: f.Room, lead: f.Lead,
		upTo: stream.Head, complete: complete,
	}
	sub.moveTo(from)
	if f.Hello.Types != nil {
		sub.filter = newFilter(*f.Hello.Types)
	}
	return sub, w, nil
}

// cursorOf returns where a stream stands; empty if there is none.
func cursorOf(s store.Stream) string {
	if s.Head == 0 {
		return ""
	}
	return protocol.Cursor{Stream: s.Identity, Seq: s.Head, Link: s.Link}.String()
}

// place returns from where a client goes on, and if that is the start because it
// knows another history than there is, the reason.
func (s *Service) place(ctx context.Context, h Hello, ref store.Ref, now store.Stream) (from uint64, reason string, err error) {
	if h.ResumeAfterSeq != nil {
		from = *h.ResumeAfterSeq
	}
	if h.ResumeCursor != "" {
		cursor, err := protocol.ParseCursor(h.ResumeCursor)
		if err != nil {
			return 0, "", invalid("", fieldError(err.Error(), badValue, "resume_cursor"))
		}
		if reason, err := s.parted(ctx, cursor, ref, now); reason != "" || err != nil {
			return 0, reason, err
		}
		if h.ResumeAfterSeq == nil { // one that has a cursor, but no event yet, says 0
			from = cursor.Seq
		}
	}
	switch {
	case h.FromHead:
		return now.Head, "", nil
	case from > now.Head:
		return 0, CursorAhead, nil
	}
	return from, "", nil
}

// parted returns the reason why the history up to a cursor is not the stream's;
// empty if it is.
func (s *Service) parted(ctx context.Context, c protocol.Cursor, ref store.Ref, now store.Stream) (reason string, err error) {
	if now.Head == 0 {
		return CursorAhead, nil
	}
	reading, err := s.feeds.pages.Reserve(ctx, pageRoom)
	if err != nil {
		return "", err
	}
	defer reading.Release()
	page, err := s.store.Page(ctx, store.Read{Ref: ref, After: &c, Entries: 1, Bytes: readBytes})
	page.Release()
	if reason, ok := reasonOf(err); ok {
		return reason, nil
	}
	return "", err
}
