package sqlite

import (
	"fmt"
	"sync"

	"hearth/relay/protocol"
)

const (
	// positionBits is how many bits of a run's id hold its first position.
	positionBits = 38

	// maxPosition is the last position that a stream has room for.
	maxPosition = 1<<positionBits - 1

	// maxStream is the last key of a stream: what is left of 63 bits.
	maxStream = 1<<(63-positionBits) - 1

	// maxRun is how large a run's body grows, unless a single entry is larger.
	// It bounds what a reader has to take in to find one position.
	maxRun = 256 << 10

	// maxKept is how large a body may be for its memory to be used again: an entry
	// of 1 MiB is, with room for the way in which it grows.
	maxKept = 2 << 20
)

// runID returns the id of the run of a stream that starts at a position.
func runID(stream int64, first uint64) int64 {
	return stream<<positionBits | int64(first)
}

// blocks are empty ones, whose memory is used again: to clear new memory and to
// collect the old took a tenth of the writer's time.
var blocks = sync.Pool{New: func() any { return new(block) }}

func newBlock() *block { return blocks.Get().(*block) }

// block is a run on its way into a row.
type block struct {
	first  uint64
	count  int
	bytes  int
	writer string
	body   []byte
}

// add appends an entry.
func (b *block) add(e protocol.Entry) {
	if b.count == 0 {
		b.first = e.Seq
	}
	b.body = e.Append(b.body)
	b.count++
	b.bytes += len(e.Data)
}

// reset empties the block and keeps its memory, unless a huge entry made it huge.
func (b *block) reset() {
	body := b.body[:0]
	if cap(body) > maxKept {
		body = nil
	}
	*b = block{body: body}
}

// free empties the block and lets others have it.
func (b *block) free() {
	b.reset()
	blocks.Put(b)
}

// row is a stored run, as far as a reader has looked at it.
type row struct {
	first uint64
	count int
	bytes int
	body  []byte
}

// last returns the position of the run's last entry.
func (r row) last() uint64 { return r.first + uint64(r.count) - 1 }

// seek returns the entry at a position of the run, and what precedes and
// follows the place behind it. The error says how the body is damaged.
func (r row) seek(seq uint64) (e protocol.Entry, rest []byte, err error) {
	rest = r.body
	for at := r.first; at <= seq; at++ {
		if e, rest, err = protocol.DecodeEntry(rest); err != nil {
			return e, nil, err
		}
		if e.Seq != at {
			return e, nil, fmt.Errorf("an entry calls itself %d where %d belongs", e.Seq, at)
		}
	}
	return e, rest, nil
}
