package main

import (
	"errors"
	"testing"

	"hearth/relay/protocol"
)

// pageOf returns a page as relays encode it, with entries of the given sizes from
// the stream's start.
func pageOf(sizes ...int) []byte {
	stream := protocol.Identity{1, 2, 3}
	page := protocol.AppendPage(nil, stream, 7, uint64(len(sizes)), len(sizes))
	chain := protocol.NewChain(0, protocol.Genesis(stream))
	for i, size := range sizes {
		data := make([]byte, size)
		link := chain.Next(7, data)
		page = protocol.Entry{Seq: chain.Seq(), Epoch: 7, Link: link, Data: data, EndsBatch: i%2 == 1}.Append(page)
	}
	return page
}

// A reader takes pages of entries of all sizes, whichever head their lengths have,
// and stands behind the last one.
func TestReader(t *testing.T) {
	page := pageOf(0, 1, 23, 24, 255, 256, 65_535, 65_536, 0)
	for _, verify := range []bool{false, true} {
		r := reader{verify: verify}
		n, err := r.take(page)
		if err != nil || n != 9 || r.at.Seq != 9 {
			t.Errorf("verify %t: %d entries up to %d, %v", verify, n, r.at.Seq, err)
		}
		if r.at.Link == (protocol.Link{}) || r.at.Stream != (protocol.Identity{1, 2, 3}) {
			t.Errorf("verify %t: the reader stands at %v", verify, r.at)
		}
	}
}

// A page that is cut off anywhere, or has more behind it, is none.
func TestReaderRefuses(t *testing.T) {
	page := pageOf(3, 300)
	for end := range page {
		if _, err := new(reader).take(page[:end]); !errors.Is(err, errPage) {
			t.Fatalf("cut off at %d of %d: %v", end, len(page), err)
		}
	}
	if _, err := new(reader).take(append(page, 0)); !errors.Is(err, errPage) {
		t.Errorf("a byte behind it: %v", err)
	}
}

// A reader that verifies sees that a byte is another.
func TestReaderVerifies(t *testing.T) {
	page := pageOf(3, 300)
	page[len(page)-10] ^= 1
	if _, err := (&reader{verify: true}).take(page); err == nil {
		t.Error("a changed entry went unseen")
	}
}
