package sqlite

import (
	"context"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// runsFrom lists the runs of a stream from the one that holds a position on.
const runsFrom = `SELECT id, count, bytes, body FROM run
	WHERE id >= (SELECT max(id) FROM run WHERE id BETWEEN ?1 AND ?2) AND id <= ?3 ORDER BY id`

// Page implements [store.Store].
func (r *Reader) Page(ctx context.Context, ask store.Read) (page store.Page, err error) {
	if t, ok := r.tails.of(ask.Ref); ok && r.damage.of(ask.Ref) == nil && ctx.Err() == nil {
		if page, known, err := t.page(ask); known {
			return page, err
		}
	}
	place := r.tails.enter(ask.Ref)
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ask.Ref)
		if err != nil {
			return err
		}
		if err := checkCursor(s, ask); err != nil {
			return err
		}
		known := ask.After == nil || r.tails.ended(place, ask.After)
		if page = begun(s, ask); page.Last > 0 && ask.After == nil && ask.Entries <= 0 {
			page.Link, err = r.linkAt(conn, s, page.Last)
			return err
		}
		if err := r.fill(conn, s, ask, &page, known); err != nil {
			return err
		}
		return r.remember(conn, place, s, ask, &page)
	})
	if err != nil {
		return store.Page{}, err
	}
	return page, nil
}

// begun returns a page that has no entries yet. Behind a position its link is not
// known, but at the start and the head of the stream.
func begun(s found, ask store.Read) store.Page {
	page := store.Page{Kind: s.Kind, Stream: s.Identity, Epoch: s.Epoch, Head: s.Head, Last: ask.Behind}
	switch {
	case ask.After != nil:
		page.Last, page.Link = ask.After.Seq, ask.After.Link
	case page.Last == s.Head:
		page.Link = s.Link
	default:
		page.Link = protocol.Genesis(s.Identity)
	}
	return page
}

// linkAt returns the link at a position of a stream.
func (r *Reader) linkAt(conn *connection, s found, seq uint64) (protocol.Link, error) {
	switch seq {
	case 0:
		return protocol.Genesis(s.Identity), nil
	case s.Head:
		return s.Link, nil
	}
	list, err := r.back(conn, s, seq, 1)
	if err != nil {
		return protocol.Link{}, err
	}
	return list[0].Link, nil
}

// remember keeps what a page says of where its stream stands.
func (r *Reader) remember(conn *connection, place *tail, s found, ask store.Read, page *store.Page) (err error) {
	var before protocol.Link // the one before the page
	switch {
	case !isTail(page):
	case ask.After != nil:
		before = ask.After.Link
	default:
		if before, err = r.linkAt(conn, s, ask.Behind); err != nil {
			return err
		}
	}
	r.tails.fill(place, s, before, page)
	return nil
}

// checkCursor checks all of a cursor, or of a position, that the stream's own row
// can tell.
func checkCursor(s found, ask store.Read) error {
	after := ask.After
	switch {
	case after == nil && ask.Behind > s.Head:
		return &store.AheadError{Ref: s.Ref, Seq: ask.Behind, Head: s.Head}
	case after == nil:
		return nil
	case after.Stream != s.Identity:
		return &store.ReplacedError{Ref: s.Ref, Now: s.Identity}
	case after.Seq > s.Head:
		return &store.AheadError{Ref: s.Ref, Seq: after.Seq, Head: s.Head}
	case after.Seq == s.Head && after.Link != s.Link,
		after.Seq == 0 && after.Link != protocol.Genesis(s.Identity):
		return &store.DivergedError{Ref: s.Ref, Seq: after.Seq}
	}
	return nil
}

// fill reads entries into a page, after the cursor, whose link it checks on the
// way unless it is the head's or was checked before.
func (r *Reader) fill(conn *connection, s found, ask store.Read, page *store.Page, checked bool) (err error) {
	if page.Last == s.Head || ask.Entries <= 0 {
		return nil
	}
	from := max(page.Last, 1)
	if checked {
		from = page.Last + 1
	}
	stmt := conn.Prep(runsFrom)
	stmt.BindInt64(1, runID(s.key, 1))
	stmt.BindInt64(2, runID(s.key, from))
	stmt.BindInt64(3, runID(s.key, s.Head))
	err = r.collect(stmt, s, ask, page)
	if reset := stmt.Reset(); err == nil && reset != nil {
		err = failure("reading "+s.Name, reset)
	}
	if err == nil && page.Count == 0 {
		err = r.damage.note(&store.DamagedError{Ref: s.Ref, Seq: page.Last + 1, Reason: "its entries are missing"})
	}
	return err
}

// collect puts the runs that a statement lists into a page until it is full.
func (r *Reader) collect(stmt *sqlite.Stmt, s found, ask store.Read, page *store.Page) error {
	damaged := func(seq uint64, reason string) error {
		return r.damage.note(&store.DamagedError{Ref: s.Ref, Seq: seq, Reason: reason})
	}
	g := gather(page, ask)
	for next := uint64(0); !g.full; {
		more, err := stmt.Step()
		if err != nil {
			return r.damage.reading(s.Ref, max(next, page.Last+1), err)
		}
		if !more {
			break
		}
		run := scanPlace(stmt)
		if next == 0 {
			next = run.first // the first run may begin before the page does
		}
		if run.first != next || run.last() > s.Head {
			return damaged(next, "its runs do not join")
		}
		next = run.last() + 1
		body := borrow(stmt, 3)
		if page.Last >= run.first {
			at, rest, err := run.skipTo(body, page.Last)
			if err != nil {
				return damaged(page.Last, err.Error())
			}
			if ask.After != nil && at.Link != ask.After.Link {
				return &store.DivergedError{Ref: s.Ref, Seq: page.Last}
			}
			body = rest
		}
		if err := g.add(run, body, run.last() == s.Head); err != nil {
			return damaged(page.Last+1, err.Error())
		}
	}
	return nil
}

// scanPlace takes where a run is from a statement that selects id, count and
// bytes.
func scanPlace(stmt *sqlite.Stmt) row {
	return row{
		first: uint64(stmt.ColumnInt64(0)) & maxPosition,
		count: stmt.ColumnInt(1),
		bytes: stmt.ColumnInt(2),
	}
}
