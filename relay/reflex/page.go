package reflex

import (
	"bytes"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// Page is a page of events. Whoever gets one releases it when its pieces are no
// longer used.
type Page struct {
	// Pieces are a JSON array of envelopes, oldest first, in pieces that a client
	// takes in one call of the system each.
	Pieces [][]byte
	Count  int // of envelopes

	// Next is the position behind which there are more, or may be; 0 if none are
	// known to follow.
	Next uint64

	// Earlier is the position before which there are more, or may be, of a page of
	// the last ones; 0 if there are none.
	Earlier uint64

	Cursor *protocol.Cursor // where the page ends: the last position that was looked at; nil if there is no stream
	Reset  string           // why the page begins at the stream's start; empty if it does not
}

// Release gives the page's memory to later pages.
func (p *Page) Release() {
	wire := store.Page{Wire: p.Pieces}
	wire.Release()
	p.Pieces = nil
}

// MaxPage is how many bytes a page takes at the most while it is made: what it
// has and what is being read for it, unless a single event is larger.
const MaxPage = maxPage + 2*store.PieceSize

// array collects envelopes as a JSON array: each is copied once, from where it was
// read to where it is sent from.
type array struct {
	pieces [][]byte
	count  int
	bytes  int
}

// full says whether the page has no room for an envelope. It has for the first.
func (a *array) full(e shown) bool { return a.count > 0 && a.bytes+e.size() > maxPage }

// add adds an envelope.
func (a *array) add(e shown) {
	size := len("[") + e.size() + len("]")
	n := len(a.pieces) - 1
	if n < 0 || cap(a.pieces[n])-len(a.pieces[n]) < size {
		var piece []byte
		if size > store.PieceSize {
			piece = make([]byte, 0, size)
		} else {
			piece = store.NewPiece()
		}
		a.pieces = append(a.pieces, piece)
		n++
	}
	before := byte(',')
	if a.count == 0 {
		before = '['
	}
	a.pieces[n] = e.append(append(a.pieces[n], before))
	a.count++
	a.bytes += e.size()
}

// end ends the array and returns it. What a small one does not need of its piece is
// given back: it may wait long for a slow client.
func (a *array) end() [][]byte {
	if a.count == 0 {
		return [][]byte{[]byte("[]")}
	}
	n := len(a.pieces) - 1
	a.pieces[n] = append(a.pieces[n], ']')
	if len(a.pieces[n]) <= store.PieceSize/4 {
		large := store.Page{Wire: [][]byte{a.pieces[n]}}
		a.pieces[n] = bytes.Clone(a.pieces[n])
		large.Release()
	}
	return a.pieces
}
