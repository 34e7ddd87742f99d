package streamhttp

import (
	"bufio"
	"net/http"
	"sync"

	"hearth/relay/guard"
)

const (
	// gatherSize is how much of an answer goes out at once, in bytes: enough that
	// system calls do not count beside what they carry, and little beside the
	// page that it is a piece of.
	gatherSize = 64 << 10

	// fewPieces are sent as they are: the head of a page and one run of its
	// entries take no more system calls than joined.
	fewPieces = 2
)

// gatherers are buffers that no answer uses at the moment.
var gatherers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, gatherSize) }}

// gathered is a ResponseWriter that sends what is written to it in large pieces.
// net/http's own buffers are small: each run of a page would take several system
// calls.
type gathered struct {
	http.ResponseWriter
	buffer *bufio.Writer
}

// Write implements [http.ResponseWriter].
func (g gathered) Write(p []byte) (int, error) { return g.buffer.Write(p) }

// Unwrap leads [http.ResponseController] to the connection's deadlines.
func (g gathered) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// send is guard.Send for an answer in many pieces.
func send(w http.ResponseWriter, pieces ...[]byte) error {
	if len(pieces) <= fewPieces {
		return guard.Send(w, pieces...)
	}
	buffer := gatherers.Get().(*bufio.Writer)
	buffer.Reset(w)
	defer func() {
		buffer.Reset(nil) // it must not hold the answer in memory
		gatherers.Put(buffer)
	}()
	if err := guard.Send(gathered{w, buffer}, pieces...); err != nil {
		return err
	}
	return buffer.Flush()
}
