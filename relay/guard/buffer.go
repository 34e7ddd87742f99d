package guard

import (
	"math/bits"
	"sync"
)

// Bodies of usual sizes are read into memory that was a body before: to clear new
// memory and to collect the old takes a third of the time of a batch of 100 entries.
const (
	smallestBuffer = 10 // 1 KiB: below that, new memory costs as little
	largestBuffer  = 21 // 2 MiB: larger ones are rare, and not to lie about
)

// buffers are those that nobody uses, by the power of two that their size is. What
// is not used again soon is collected.
var buffers [largestBuffer + 1]sync.Pool

// buffer is memory for one body.
type buffer struct {
	memory []byte
	size   int // its place in buffers
}

// power returns the power of two that holds n bytes, and whether there are buffers
// of that size.
func power(n int64) (p int, ok bool) {
	p = bits.Len64(uint64(n - 1))
	return p, n > 1<<smallestBuffer && p <= largestBuffer
}

// bufferSize returns how much memory a body of n bytes takes.
func bufferSize(n int64) int64 {
	if p, ok := power(n); ok {
		return 1 << p
	}
	return n
}

// newBuffer returns a buffer for a body of n bytes; nil if there are none of that
// size, or it is not known.
func newBuffer(n int64) *buffer {
	p, ok := power(n)
	if !ok {
		return nil
	}
	if b, ok := buffers[p].Get().(*buffer); ok {
		return b
	}
	return &buffer{memory: make([]byte, 1<<p), size: p}
}

// bytes returns room for n bytes, and none beyond: new room if b is nil.
func (b *buffer) bytes(n int64) []byte {
	if b == nil {
		return make([]byte, 0, max(n, 0))
	}
	return b.memory[:0:n]
}

// free lets others have the buffer.
func (b *buffer) free() {
	if b != nil {
		buffers[b.size].Put(b)
	}
}
