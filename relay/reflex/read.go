package reflex

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// readBytes is how many bytes are read at a time: with what surrounds them on the
// wire they mostly fit one piece.
const readBytes = store.PieceSize * 7 / 8

// Read reads a page of a stream of either kind, whose opaque entries show as
// envelopes. A stream that nobody has written to has an empty one. The errors are
// *Rejection and those of the store.
func (s *Service) Read(ctx context.Context, c Caller, stream string, q Query) (Page, error) {
	if err := checkStream(stream); err != nil {
		return Page{}, err
	}
	if err := q.check(); err != nil {
		return Page{}, err
	}
	ref := store.Ref{Space: c.Space, Name: stream}
	after, reset, err := s.after(ctx, ref, q)
	if err != nil {
		return Page{}, err
	}
	q.After = after
	read := s.readFirst
	if q.Last != nil {
		read = s.readLast
	}
	page, err := read(ctx, ref, q)
	if err != nil {
		page.Release()
		page, err = s.emptyPage(ctx, ref, err)
	}
	page.Reset = reset
	return page, err
}

// emptyPage returns the page of those who read a stream that does not exist, or
// behind its end; or the error, if it is another one.
func (s *Service) emptyPage(ctx context.Context, ref store.Ref, why error) (Page, error) {
	page := Page{Pieces: new(array).end()}
	if _, missing := errors.AsType[*store.NotFoundError](why); missing {
		return page, nil
	}
	if _, ahead := errors.AsType[*store.AheadError](why); !ahead {
		return Page{}, why
	}
	stream, err := s.store.Stream(ctx, ref)
	page.Cursor = &protocol.Cursor{Stream: stream.Identity, Seq: stream.Head, Link: stream.Link}
	return page, err
}

// after returns the position behind which a query reads, and if that is the start
// because the reader knows another history than there is, the reason.
func (s *Service) after(ctx context.Context, ref store.Ref, q Query) (seq uint64, reset string, err error) {
	if q.Cursor == nil {
		return q.After, "", nil
	}
	page, err := s.store.Page(ctx, store.Read{Ref: ref, After: q.Cursor, Entries: 1, Bytes: readBytes})
	page.Release()
	if reset, ok := reasonOf(err); ok {
		return 0, reset, nil
	}
	if err == nil && q.After == 0 {
		q.After = q.Cursor.Seq
	}
	return q.After, "", err
}

// reasonOf returns the reason why a reader begins anew whose cursor the store
// answers with this error.
func reasonOf(err error) (reason string, ok bool) {
	if _, ok := errors.AsType[*store.ReplacedError](err); ok {
		return StreamReplaced, true
	}
	if _, ok := errors.AsType[*store.DivergedError](err); ok {
		return CursorDiverged, true
	}
	if _, ok := errors.AsType[*store.NotFoundError](err); ok {
		return CursorAhead, true
	}
	_, ok = errors.AsType[*store.AheadError](err)
	return CursorAhead, ok
}

// readFirst reads the first events behind a position. What is read for it goes
// into the page bit by bit, so that nothing is there twice.
func (s *Service) readFirst(ctx context.Context, ref store.Ref, q Query) (Page, error) {
	limit := DefaultLimit
	if q.Limit != nil {
		limit = *q.Limit
	}
	r := reader{store: s.store, ref: ref, withoutData: q.WithoutData}
	r.moveTo(q.After)
	a, wanted := new(array), newFilter(q.Types)
	scanned, seen, full := 0, 0, false
	room := func() int { // entries that may be looked at yet
		n := maxScan - scanned
		switch left := limit - a.count; {
		case left == 0, full, seen >= maxScanBytes:
			return 0
		case wanted == nil:
			n = min(n, left)
		}
		if q.Before > 0 {
			n = int(min(uint64(n), q.Before-1-min(q.Before-1, r.at.Seq)))
		}
		return n
	}
	for n := room(); ; n = min(room(), int(min(r.head-r.at.Seq, maxScan))) {
		if n == 0 && r.linked {
			break
		}
		read, err := r.read(ctx, r.at.Seq+uint64(n), n, readBytes)
		if err != nil {
			return Page{Pieces: a.pieces}, err
		}
		for e, err := range read.all() {
			if err != nil {
				read.release()
				return Page{Pieces: a.pieces}, err
			}
			if full = a.count == limit || a.full(e); full {
				break
			}
			if wanted.wants(e.head) {
				a.add(e)
			}
			r.moveBy(e)
			scanned++
			seen += e.read()
		}
		read.release()
	}
	page := Page{Pieces: a.end(), Count: a.count, Cursor: &r.at}
	if r.at.Seq < r.head && (q.Before == 0 || r.at.Seq+1 < q.Before) {
		page.Next = r.at.Seq
	}
	return page, nil
}

// backEntries is how many entries are looked at together where they are read
// backwards.
const backEntries = 1000

// readLast reads the last events before a position.
func (s *Service) readLast(ctx context.Context, ref store.Ref, q Query) (Page, error) {
	stream, err := s.store.Stream(ctx, ref)
	if err != nil {
		return Page{}, err
	}
	last := stream.Head // that may be looked at
	if q.Before > 0 {
		last = min(last, q.Before-1)
	}
	var show func(store.Record) shown
	if stream.Kind == store.Events {
		show = func(r store.Record) shown { return showEvent(r.Entry) }
	} else {
		show = newOpaque(ref.Name, stream.Identity, q.WithoutData).show
	}
	wanted := newFilter(q.Types)
	if last <= q.After || *q.Last == 0 { // there is nothing to look at but where that is
		q.After, q.Limit = max(q.After, last), new(0)
		return s.readFirst(ctx, ref, q)
	}
	var cursor protocol.Cursor
	var found []shown
	at, full := last+1, false // at: the last one that was looked at
	scanned, seen, size := 0, 0, 0
	for len(found) < *q.Last && scanned < maxScan && seen < maxScanBytes && at > q.After+1 && !full {
		n := backEntries
		if wanted == nil {
			n = min(n, *q.Last-len(found))
		}
		records, err := s.store.Back(ctx, ref, at, n)
		if err != nil {
			return Page{}, err
		}
		for _, record := range records {
			e := show(record)
			if scanned == 0 {
				cursor = protocol.Cursor{Stream: stream.Identity, Seq: e.seq, Link: e.link}
			}
			if full = e.seq <= q.After || len(found) == *q.Last || len(found) > 0 && size+e.size() > maxPage; full {
				break
			}
			at = e.seq
			scanned++
			seen += e.read()
			if wanted.wants(e.head) {
				found = append(found, e.kept())
				size += e.size()
			}
		}
	}
	var a array
	for _, e := range slices.Backward(found) {
		a.add(e)
	}
	page := Page{Pieces: a.end(), Count: a.count, Cursor: &cursor}
	if at > q.After+1 {
		page.Earlier = at
	}
	if cursor.Seq < stream.Head {
		page.Next = cursor.Seq
	}
	return page, nil
}

// read returns of how many bytes it had to be read.
func (s shown) read() int { return len(s.head) + len(s.data) }

// kept returns the envelope in memory of its own: what was read with it may be
// much more.
func (s shown) kept() shown {
	s.head, s.data = bytes.Clone(s.head), bytes.Clone(s.data)
	return s
}
