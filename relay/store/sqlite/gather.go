package sqlite

import (
	"errors"
	"fmt"
	"slices"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// gathering puts entries into a page until that is full.
type gathering struct {
	page    *store.Page
	entries int  // that there is room for yet
	bytes   int  // of entries that there is room for yet
	full    bool // whether nothing more goes in
	last    int  // bytes of the entry that was passed over last
}

// gather begins to fill a page, which stands where its reader does.
func gather(page *store.Page, ask store.Read) *gathering {
	return &gathering{page: page, entries: ask.Entries, bytes: ask.Bytes, full: ask.Entries <= 0}
}

// add copies the entries of a run that follow the page's last one, as many as
// there is room for; ends says that no run follows. The error says how the run is
// damaged at the place behind the page's last entry.
func (g *gathering) add(run row, body []byte, ends bool) error {
	for len(body) > 0 && !g.full {
		size, count, err := g.walk(body, g.room())
		if err != nil {
			g.page.Last += uint64(count) // to tell where it is; the page is of no use
			return err
		}
		if count > 0 {
			g.put(body[:size], ends || g.full)
			g.count(body[:size], count)
		}
		body = body[size:]
	}
	if len(body) == 0 && g.page.Last != run.last() {
		return errors.New("a run holds another number of entries than its row says")
	}
	return nil
}

// count notes that the page has so many entries more, which end like body.
func (g *gathering) count(body []byte, entries int) {
	e, _, _ := protocol.DecodeEntry(body[len(body)-g.last:]) // which it is, since it was passed over
	g.page.Count += entries
	g.page.Last, g.page.Link = e.Seq, e.Link
}

// room returns how many bytes of entries the page's last piece takes, or a new
// one if that is full.
func (g *gathering) room() int {
	if n := len(g.page.Wire); n > 0 {
		piece := g.page.Wire[n-1]
		if free := cap(piece) - len(piece); free > 0 {
			return free
		}
	}
	return store.PieceSize
}

// walk passes over the entries that a body starts with, as many as fit into room
// bytes or else one, and as the page has room for.
func (g *gathering) walk(body []byte, room int) (size, count int, err error) {
	for size < len(body) {
		e, err := protocol.SkipEntry(body[size:])
		if err != nil {
			return size, count, err
		}
		if want := g.page.Last + uint64(count) + 1; e.Seq != want {
			return size, count, fmt.Errorf("an entry calls itself %d where %d belongs", e.Seq, want)
		}
		if e.Data > g.bytes && g.page.Count+count > 0 {
			g.full = true
			break
		}
		if size+e.Size > room && count > 0 {
			break
		}
		size += e.Size
		g.last = e.Size
		count++
		g.bytes -= e.Data
		if g.entries--; g.entries == 0 {
			g.full = true
			break
		}
	}
	return size, count, nil
}

// put copies whole entries to the end of the page, behind which nothing follows
// if they are its last.
func (g *gathering) put(entries []byte, last bool) {
	if n := len(g.page.Wire); n > 0 {
		if piece := &g.page.Wire[n-1]; len(entries) <= cap(*piece)-len(*piece) {
			*piece = append(*piece, entries...)
			return
		}
	}
	var piece []byte
	if len(entries) > store.PieceSize || last && len(entries) <= store.PieceSize/4 {
		piece = slices.Clip(slices.Clone(entries)) // only as much memory as they need
	} else {
		piece = append(store.NewPiece(), entries...)
	}
	g.page.Wire = append(g.page.Wire, piece)
}

// skipTo passes over the entries of a run up to a position in it, and returns the
// entry there and what follows it. The error says how the run is damaged.
func (r row) skipTo(body []byte, seq uint64) (e protocol.Entry, rest []byte, err error) {
	for at := r.first; at < seq; at++ {
		passed, err := protocol.SkipEntry(body)
		if err != nil {
			return e, nil, err
		}
		if passed.Seq != at {
			return e, nil, fmt.Errorf("an entry calls itself %d where %d belongs", passed.Seq, at)
		}
		body = body[passed.Size:]
	}
	e, rest, err = protocol.DecodeEntry(body)
	if err == nil && e.Seq != seq {
		err = fmt.Errorf("an entry calls itself %d where %d belongs", e.Seq, seq)
	}
	return e, rest, err
}

// borrow returns the bytes of a column where SQLite holds them: until the next
// step of the statement, and not to be changed.
func borrow(stmt *sqlite.Stmt, column int) []byte {
	var b borrowed
	_, _ = stmt.ColumnReader(column).WriteTo(&b) // it hands on all of them at once
	return b
}

// borrowed keeps the bytes that are written to it without copying them.
type borrowed []byte

func (b *borrowed) Write(p []byte) (int, error) {
	*b = p
	return len(p), nil
}
