package guard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// connection is a response writer that keeps the deadlines it is given.
type connection struct {
	*httptest.ResponseRecorder
	reads, writes []time.Time
	refuse        error // what Write says, if anything
}

func (c *connection) SetReadDeadline(t time.Time) error {
	c.reads = append(c.reads, t)
	return nil
}

func (c *connection) SetWriteDeadline(t time.Time) error {
	c.writes = append(c.writes, t)
	return nil
}

func (c *connection) Write(b []byte) (int, error) {
	if c.refuse != nil {
		return 0, c.refuse
	}
	return c.ResponseRecorder.Write(b)
}

// A body comes whole or not at all, up to the limit, whether or not its length
// is said beforehand, and holds room in the budget until it is released.
func TestReadBody(t *testing.T) {
	const limit = 200_000
	for name, tt := range map[string]struct {
		size     int
		declared int64
		wantErr  any
		unread   bool
	}{
		"empty":            {size: 0, declared: 0},
		"declared":         {size: 1000, declared: 1000},
		"declared, full":   {size: limit, declared: limit},
		"declared, over":   {size: limit + 1, declared: limit + 1, wantErr: new(*TooLargeError), unread: true},
		"chunked, empty":   {size: 0, declared: -1},
		"chunked":          {size: 100_000, declared: -1},
		"chunked, full":    {size: limit, declared: -1},
		"chunked, over":    {size: limit + 1, declared: -1, wantErr: new(*TooLargeError)},
		"chunked, endless": {size: 50 * limit, declared: -1, wantErr: new(*TooLargeError)},
	} {
		t.Run(name, func(t *testing.T) {
			want := bytes.Repeat([]byte("x"), tt.size)
			source := bytes.NewReader(want)
			r := httptest.NewRequest(http.MethodPost, "/", struct{ io.Reader }{source})
			r.ContentLength = tt.declared
			w := &connection{ResponseRecorder: httptest.NewRecorder()}
			budget := NewBudget(limit)
			body, err := ReadBody(w, r, budget, limit)
			if tt.wantErr != nil {
				if !errors.As(err, tt.wantErr) {
					t.Fatalf("error %v, want %T", err, tt.wantErr)
				}
				if read := source.Len() < tt.size; read == tt.unread {
					t.Errorf("%d of %d bytes are left unread", source.Len(), tt.size)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(body.Bytes, want) {
					t.Errorf("got %d bytes, want %d", len(body.Bytes), len(want))
				}
				if last := w.reads[len(w.reads)-1]; !last.IsZero() {
					t.Errorf("the deadline %v is left", last)
				}
				if tt.size == limit && budget.room.TryAcquire(1) {
					t.Error("the body holds no room")
				}
				body.Release()
			}
			if !budget.room.TryAcquire(limit) {
				t.Error("room is lost")
			}
		})
	}
}

// stuttering gives some bytes, then fails.
type stuttering struct {
	text string
	err  error
}

func (s *stuttering) Read(b []byte) (int, error) {
	if s.text == "" {
		return 0, s.err
	}
	n := copy(b, s.text)
	s.text = s.text[n:]
	return n, nil
}

// A body that breaks off is an error that says why, and gives its room back.
func TestReadBodyBrokenOff(t *testing.T) {
	for _, cause := range []error{io.ErrUnexpectedEOF, os.ErrDeadlineExceeded} {
		r := httptest.NewRequest(http.MethodPost, "/", &stuttering{"half", cause})
		r.ContentLength = 8
		budget := NewBudget(8)
		_, err := ReadBody(httptest.NewRecorder(), r, budget, 8)
		if _, ok := errors.AsType[*BodyError](err); !ok || !errors.Is(err, cause) {
			t.Errorf("error %v, want a *BodyError with %v", err, cause)
		}
		if !budget.room.TryAcquire(8) {
			t.Error("room is lost")
		}
	}
}

// A client may pause a while, and may be slow for long, but neither for ever.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		due := newDeadline()
		in := func(n int) time.Duration { return due.after(n).Sub(start) }
		got := []time.Duration{in(0), in(16 << 20)}
		time.Sleep(20 * time.Second)
		got = append(got, in(0), in(pace*5), in(16<<20))
		want := []time.Duration{patience, patience, patience, patience + 5*time.Second, 20*time.Second + patience}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A large piece is sent in steps, each with a deadline of its own, and an error
// ends it.
func TestSend(t *testing.T) {
	w := &connection{ResponseRecorder: httptest.NewRecorder()}
	text := strings.Repeat("x", 2*sendStep+1)
	if err := Send(w, nil, []byte(text), []byte("y")); err != nil {
		t.Fatal(err)
	}
	if got := w.Body.String(); got != text+"y" {
		t.Errorf("%d bytes were sent, want %d", len(got), len(text)+1)
	}
	if len(w.writes) != 4 {
		t.Errorf("%d deadlines, want 4", len(w.writes))
	}
	w.refuse = os.ErrDeadlineExceeded
	if err := Send(w, []byte("z")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A message comes whole or not at all, up to the limit; a short one takes little
// room; and whatever becomes of it, the room is given back and no deadline stays.
func TestReadMessage(t *testing.T) {
	const limit = 4 * little
	for name, tt := range map[string]struct {
		size    int
		err     error // with which the connection breaks behind that
		held    int64 // the room that the message takes
		wantErr any
	}{
		"empty":           {size: 0, held: little},
		"short":           {size: 100, held: little},
		"just little":     {size: little, held: little},
		"long":            {size: little + 1, held: limit},
		"full":            {size: limit, held: limit},
		"over":            {size: limit + 1, wantErr: new(*TooLargeError)},
		"broken off":      {size: 100, err: io.ErrUnexpectedEOF, wantErr: new(*BodyError)},
		"broken off late": {size: little + 100, err: io.ErrUnexpectedEOF, wantErr: new(*BodyError)},
	} {
		t.Run(name, func(t *testing.T) {
			want := bytes.Repeat([]byte("x"), tt.size)
			var from io.Reader = bytes.NewReader(want)
			if tt.err != nil {
				from = io.MultiReader(from, iotest.ErrReader(tt.err))
			}
			conn := &connection{ResponseRecorder: httptest.NewRecorder()}
			budget := NewBudget(2 * limit)
			message, err := ReadMessage(t.Context(), conn, from, budget, limit)
			if tt.wantErr != nil {
				if !errors.As(err, tt.wantErr) {
					t.Fatalf("error %v, want %T", err, tt.wantErr)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(message.Bytes, want) {
					t.Errorf("%d bytes, want %d", len(message.Bytes), len(want))
				}
				if _, ok := budget.TryReserve(2*limit - tt.held + 1); ok {
					t.Errorf("a message of %d bytes takes less room than %d", tt.size, tt.held)
				}
				message.Release()
			}
			if _, ok := budget.TryReserve(2 * limit); !ok {
				t.Error("room is still held")
			}
			if last := conn.reads[len(conn.reads)-1]; !last.IsZero() {
				t.Errorf("a deadline stays: %v", last)
			}
		})
	}
}
