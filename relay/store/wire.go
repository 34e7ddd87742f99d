package store

import "sync"

// PieceSize is how many bytes of entries a piece of a page has room for, unless
// it is made for what it holds: a few fill a page, and each goes to a client in
// one call of the system, which the guard lets take as much.
const PieceSize = 224 << 10

// pieces are those that wait for the next page.
var pieces = sync.Pool{New: func() any { return new([PieceSize]byte) }}

// NewPiece returns an empty piece with room for PieceSize bytes.
func NewPiece() []byte { return pieces.Get().(*[PieceSize]byte)[:0] }

// Release gives the page's memory to later pages, which spares the work of
// collecting it: as much as a page takes to read. Whoever calls it, once, does
// not use Wire any more.
func (p *Page) Release() {
	for _, piece := range p.Wire {
		if cap(piece) == PieceSize {
			pieces.Put((*[PieceSize]byte)(piece[:PieceSize]))
		}
	}
	p.Wire = nil
}
