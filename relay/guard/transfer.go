package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// patience is how long a client may take for its next bytes, or to take the
	// next ones: Wi-Fi that drops out is back in less.
	patience = 30 * time.Second

	// drainTime is how long a body may still come that nobody wants: net/http
	// reads the rest of a short one before it answers. It has to be well below
	// patience, under which the answer is sent.
	drainTime = 10 * time.Second

	// pace is how many bytes a second a client has to move on the whole, after a
	// first stretch of patience. It lets the largest body take half an hour, but
	// not for ever.
	pace = 8 << 10

	// readStep is how much room is made for a body whose length is not known.
	readStep = 64 << 10

	// sendStep is how much is written under one deadline: what takes just as long
	// as the patience lasts at the slowest pace, but for a little.
	sendStep = 224 << 10
)

// TooLargeError says that a body is over the limit.
type TooLargeError struct {
	Limit int64 // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body is longer than %d bytes", e.Limit)
}

// BodyError says that a body did not arrive.
type BodyError struct {
	Err error
}

func (e *BodyError) Error() string { return fmt.Sprintf("the body did not arrive whole: %v", e.Err) }

func (e *BodyError) Unwrap() error { return e.Err }

// Body is a request's body in memory, and its part of the budget.
type Body struct {
	*Reservation
	Bytes  []byte
	buffer *buffer // where the bytes are, if others may have it later
}

// Release gives back the bytes and their part of the budget. Neither they nor what
// shares their memory may be used any more.
func (b *Body) Release() {
	b.Reservation.Release()
	b.buffer.free()
	b.buffer = nil // a second time it may be somebody else's
}

// Room is where memory is reserved: a [Budget] or [Lanes].
type Room interface {
	Reserve(ctx context.Context, n int64) (*Reservation, error)
	TryReserve(n int64) (_ *Reservation, ok bool)
}

// ReadBody reads the body of a request, of at most limit bytes. It reserves room
// first; the caller must Release it once the bytes are no longer
// used. A body that says to be too long is not read at all. The errors:
// *TooLargeError, *BodyError, ErrBusy, the context's.
func ReadBody(w http.ResponseWriter, r *http.Request, in Room, limit int64) (*Body, error) {
	if r.ContentLength > limit {
		return nil, &TooLargeError{limit}
	}
	room := limit
	if r.ContentLength >= 0 {
		room = bufferSize(r.ContentLength)
	}
	reservation, err := in.Reserve(r.Context(), room)
	if err != nil {
		return nil, err
	}
	control := http.NewResponseController(w)
	buffer := newBuffer(r.ContentLength)
	b, err := readBody(control, r.Body, r.ContentLength, buffer.bytes(r.ContentLength), limit)
	if err != nil {
		buffer.free()
		reservation.Release()
		_ = control.SetReadDeadline(time.Now().Add(drainTime))
		return nil, err
	}
	_ = control.SetReadDeadline(time.Time{})
	if buffer == nil {
		reservation.Shrink(int64(cap(b)))
	}
	return &Body{Reservation: reservation, Bytes: b, buffer: buffer}, nil
}

// ReadMessage reads a message of at most limit bytes that comes over a connection,
// on which it sets deadlines for reading and leaves none. Most are short, so little
// room is reserved at first. The caller must Release the message. The errors are
// those of ReadBody.
func ReadMessage(ctx context.Context, conn ReadDeadliner, from io.Reader, in Room, limit int64) (*Body, error) {
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	reservation, err := in.Reserve(ctx, little)
	if err != nil {
		return nil, err
	}
	buffer := newBuffer(little)
	b, err := readBody(conn, from, -1, buffer.bytes(little), min(little, limit))
	if _, long := errors.AsType[*TooLargeError](err); long && limit > little {
		buffer.free() // what was read is not in it any more
		buffer = nil
		reservation.Release()
		if reservation, err = in.Reserve(ctx, limit); err != nil {
			return nil, err
		}
		b, err = readBody(conn, from, -1, b, limit)
	}
	if err != nil {
		buffer.free()
		reservation.Release()
		return nil, err
	}
	if buffer == nil {
		reservation.Shrink(int64(cap(b)))
	}
	return &Body{Reservation: reservation, Bytes: b, buffer: buffer}, nil
}

// ReadDeadliner is where a deadline for reading is set; see [net.Conn].
type ReadDeadliner interface {
	SetReadDeadline(t time.Time) error
}

// readBody reads a body into b, which has room for all of it if its length is
// known, and not negative. If it is too long, what was read of it comes back too.
func readBody(conn ReadDeadliner, from io.Reader, length int64, b []byte, limit int64) ([]byte, error) {
	due := newDeadline()
	for {
		if length >= 0 && int64(len(b)) == length {
			return b, nil
		}
		if len(b) == cap(b) {
			// One byte over the limit is enough to know.
			b = grow(b, int(limit)+1)
		}
		_ = conn.SetReadDeadline(due.after(len(b)))
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return b, &TooLargeError{limit}
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, &BodyError{err}
		}
	}
}

// grow returns b with more room: four times as much, so that what is left behind
// stays small, but at most limit in all.
func grow(b []byte, limit int) []byte {
	return append(make([]byte, 0, min(max(4*cap(b), readStep), limit)), b...)
}

// Send writes an answer's body in pieces to a client that keeps taking them. The
// error, if any, says that the client is gone or stands still; its connection is
// of no more use then.
func Send(w http.ResponseWriter, pieces ...[]byte) error {
	due := newDeadline()
	control := http.NewResponseController(w)
	sent := 0
	for _, piece := range pieces {
		for len(piece) > 0 {
			step := piece[:min(len(piece), sendStep)]
			_ = control.SetWriteDeadline(due.after(sent))
			n, err := w.Write(step)
			if err != nil {
				return err
			}
			sent += n
			piece = piece[n:]
		}
	}
	return nil
}

// deadline is by when a transfer has to have moved on.
type deadline struct {
	start time.Time
}

func newDeadline() deadline { return deadline{time.Now()} }

// after returns by when the next bytes have to move if n have until now: soon,
// and not later than the pace allows on the whole.
func (d deadline) after(n int) time.Time {
	next := time.Now().Add(patience)
	whole := d.start.Add(patience + time.Duration(n)*time.Second/pace)
	if whole.Before(next) {
		return whole
	}
	return next
}
