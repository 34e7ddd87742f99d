package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"hearth/relay/protocol"
)

// errPage says that a page is not in the encoding that relays give it.
var errPage = errors.New("not a page")

// page is what a relay answers a reader, before the reader goes through it.
type page struct {
	stream  protocol.Identity
	head    uint64
	count   int
	entries []byte
}

// openPage reads a page up to its entries.
func openPage(body []byte) (page, error) {
	w := walker{rest: body}
	w.head(mapMajor) // of four keys
	w.key(0)
	var p page
	copy(p.stream[:], w.take(w.head(bytesMajor)))
	w.key(1)
	w.head(uintMajor) // the epoch
	w.key(2)
	p.head = w.head(uintMajor)
	w.key(3)
	p.count = int(w.head(arrayMajor))
	p.entries = w.rest
	if w.bad || p.count > len(w.rest) {
		return page{}, errPage
	}
	return p, nil
}

// page asks for a page and reads it up to its entries.
func (c *conn) page(request []byte) (page, error) {
	body, err := c.do(request)
	if err != nil {
		return page{}, err
	}
	return openPage(body)
}

// reader stands in a stream as a client that reads it does.
type reader struct {
	at     protocol.Cursor
	chain  *protocol.Chain // nil: links are believed
	begun  bool
	verify bool
}

// take goes through a page and moves the reader behind it. It builds no values: a
// reader that does is what bounds the measurement.
func (r *reader) take(body []byte) (entries int, err error) {
	p, err := openPage(body)
	if err != nil {
		return 0, err
	}
	if !r.begun {
		r.begun = true
		r.at = protocol.Cursor{Stream: p.stream, Link: protocol.Genesis(p.stream)}
		if r.verify {
			r.chain = protocol.NewChain(0, r.at.Link)
		}
	}
	w := walker{rest: p.entries}
	var link []byte
	for range p.count {
		var e raw
		e, w = w.entry()
		if w.bad || e.seq != r.at.Seq+1 {
			return 0, fmt.Errorf("%w: no entry where that at %d should be", errPage, r.at.Seq+1)
		}
		r.at.Seq, link = e.seq, e.link
		if r.verify && r.chain.Next(uint32(e.epoch), e.data) != protocol.Link(link) {
			return 0, fmt.Errorf("the chain is broken at %d", e.seq)
		}
	}
	if len(w.rest) > 0 {
		return 0, errPage
	}
	if link != nil {
		r.at.Link = protocol.Link(link)
	}
	return p.count, nil
}

// raw is an entry where it lies.
type raw struct {
	seq, epoch uint64
	link, data []byte
}

// The major types of CBOR that pages are made of (RFC 8949, section 3.1).
const (
	uintMajor  = 0
	bytesMajor = 2
	arrayMajor = 4
	mapMajor   = 5
)

// walker passes over the encoding of a page. What it does not expect makes it
// bad, and is looked for once an entry.
type walker struct {
	rest []byte
	bad  bool
}

// entry passes over an entry. It works on a copy, which the compiler keeps in
// registers.
func (w walker) entry() (e raw, after walker) {
	keys := w.head(mapMajor)
	w.key(0)
	e.seq = w.head(uintMajor)
	w.key(1)
	e.epoch = w.head(uintMajor)
	w.key(2)
	e.link = w.take(w.head(bytesMajor))
	w.key(3)
	e.data = w.take(w.head(bytesMajor))
	if keys == 5 { // it ends its batch: key 4, true
		w.take(2)
	}
	w.bad = w.bad || len(e.link) != len(protocol.Link{})
	return e, w
}

// head passes over an item's head and returns its number.
func (w *walker) head(major byte) uint64 {
	if len(w.rest) < 9 { // the longest head; an entry's data lies behind all but the last
		return w.shortHead(major)
	}
	first := w.rest[0]
	if first>>5 != major {
		w.bad = true
	}
	switch info := first & 31; info {
	case 24:
		arg := uint64(w.rest[1])
		w.rest = w.rest[2:]
		return arg
	case 25:
		arg := uint64(binary.BigEndian.Uint16(w.rest[1:]))
		w.rest = w.rest[3:]
		return arg
	case 26:
		arg := uint64(binary.BigEndian.Uint32(w.rest[1:]))
		w.rest = w.rest[5:]
		return arg
	case 27:
		arg := binary.BigEndian.Uint64(w.rest[1:])
		w.rest = w.rest[9:]
		return arg
	default:
		w.rest = w.rest[1:]
		return uint64(info)
	}
}

// shortHead is head where fewer bytes are left than the longest one has.
func (w *walker) shortHead(major byte) uint64 {
	padded := walker{rest: append(slices.Clip(w.rest), make([]byte, 9)...), bad: w.bad}
	arg := padded.head(major)
	used := len(w.rest) + 9 - len(padded.rest)
	w.bad = padded.bad || used > len(w.rest)
	w.rest = w.rest[min(used, len(w.rest)):]
	return arg
}

// key passes over a key of a map.
func (w *walker) key(key byte) {
	if len(w.rest) == 0 || w.rest[0] != key {
		w.bad = true
		return
	}
	w.rest = w.rest[1:]
}

// take passes over n bytes and returns them.
func (w *walker) take(n uint64) []byte {
	if n > uint64(len(w.rest)) {
		w.bad = true
		return nil
	}
	b := w.rest[:n]
	w.rest = w.rest[n:]
	return b
}
