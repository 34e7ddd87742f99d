package reflexhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// The codes with which a socket is closed besides those of RFC 6455 (contract,
// "Close codes").
const (
	badHello     websocket.StatusCode = 4400
	unauthorized websocket.StatusCode = 4401
	forbidden    websocket.StatusCode = 4403
	noHello      websocket.StatusCode = 4408
	tooSlow      websocket.StatusCode = 4429
)

const (
	// helloTime is how long a client may take for its first frame (contract, "Close
	// codes": 4408).
	helloTime = 10 * time.Second

	// lingerTime is how long a client that was told goodbye may take to say it too,
	// or to read it: to hang up on what it still sends would take back what it was
	// told.
	lingerTime = 5 * time.Second

	// stopTime is how long that takes at most when the relay stops, which waits a
	// little longer.
	stopTime = 2 * time.Second

	// slowTime is how long a live client that stood still may take to read on, and
	// with that the reason.
	slowTime = 2 * time.Minute

	// outboxSize is how many short frames may wait for their turn. Who sends
	// commands and does not read the results is not read any more.
	outboxSize = 8
)

// socket is a client that follows a stream live. One goroutine reads, does what it
// is told, and says the results to another one, which writes.
type socket struct {
	handler     *Handler
	visitor     access.Visitor
	stream      string // as it is in the path, good or bad
	withoutData bool
	bodies      guard.Room // the client's shares
	sending     guard.Room
	barred      error // why the client may not come in; nil if it may
	final       bool  // a key would not help against that

	conn    net.Conn
	ear     *ear
	ws      *websocket.Conn // reads
	outbox  chan []byte     // frames on their way
	heard   atomic.Int64    // when the client last gave a sign of life, in nanoseconds since 1970
	sub     *reflex.Subscription
	unsent  []byte // what is left of a frame that the client has a part of
	alive   context.Context
	kill    context.CancelFunc
	said    chan struct{} // closed once the last frame is out, or cannot be
	goodbye *time.Timer   // hangs up; nil before the last frame is out

	mu      sync.Mutex
	writing bool // somebody writes, who says the last word too
	over    bool
	last    []byte // the frame to close with; nil if nobody is there any more
	code    websocket.StatusCode
}

// serve serves a client until it is gone.
func (s *socket) serve() {
	defer s.handler.sockets.Done()
	defer s.conn.Close()
	s.outbox, s.said = make(chan []byte, outboxSize), make(chan struct{})
	s.alive, s.kill = context.WithCancel(access.NewContext(context.Background(), s.visitor))
	defer s.kill()
	defer context.AfterFunc(s.handler.life, s.stop)()
	defer s.ws.CloseNow() //nolint:errcheck // this only lets the library forget it
	began := time.Now()
	s.safely(s.greet)
	if s.sub != nil {
		o, ref := s.handler.options.Observer, s.ref()
		o.Following(s.alive, s.visitor, ref)
		defer func() {
			s.sub.Stop()
			o.Followed(s.alive, s.visitor, ref, s.sub.Events(), int(s.code), time.Since(began))
		}()
	}
	s.safely(s.listen)
	s.end(nil)
	<-s.said
	if s.goodbye != nil {
		s.goodbye.Stop()
	}
}

// ref returns the stream that is followed.
func (s *socket) ref() store.Ref { return store.Ref{Space: s.visitor.Space, Name: s.stream} }

// safely does a part of the work, and closes the socket should that panic.
func (s *socket) safely(work func()) {
	defer func() {
		if value := recover(); value != nil {
			s.refuse(guard.Panicked(value))
		}
	}()
	work()
}

// close closes the socket, unless it is closing already.
func (s *socket) close(code websocket.StatusCode, reason string) { s.end(closing(code, reason)) }

// end has a frame be the last one; nil if there is nobody to read it.
func (s *socket) end(last []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.over, s.last, s.code = true, last, websocket.StatusAbnormalClosure
	if last != nil {
		s.code = closeCode(last)
	}
	s.kill()
	_ = s.conn.SetWriteDeadline(time.Now()) // lets go of whoever writes, but for the last word
	if !s.writing {
		go s.sayLast(nil)
	}
}

// isClosing says whether the last frame is decided on.
func (s *socket) isClosing() bool { return s.alive.Err() != nil }

// begin lets somebody write, unless the socket is closing already.
func (s *socket) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = !s.over
	return s.writing
}

// stop closes the socket because the relay stops, soon whatever the client does.
func (s *socket) stop() {
	s.close(websocket.StatusGoingAway, "the relay is stopping")
	time.AfterFunc(stopTime, func() { _ = s.conn.Close() })
}

// refuse closes the socket for a reason that goes on record.
func (s *socket) refuse(why error) {
	if errors.Is(why, store.ErrClosed) {
		s.stop()
		return
	}
	r := s.record(Follow, why)
	s.close(codeOf(r.Type), r.Message)
}

// record puts a refusal on record and returns what the client is told. That a socket
// is closing is none.
func (s *socket) record(action Action, why error) *reflex.Rejection {
	r := reflex.Reject(why)
	if cause := s.alive.Err(); cause == nil || !errors.Is(why, cause) {
		s.handler.options.Observer.Refused(s.alive, Refusal{
			Visitor: s.visitor, Action: action, Stream: s.stream, Rejection: r, Err: why,
		})
	}
	return r
}

// codeOf returns the code with which a socket is closed for a reason.
func codeOf(t reflex.RejectionType) websocket.StatusCode {
	switch t {
	case reflex.Unauthorized:
		return unauthorized
	case reflex.Forbidden:
		return forbidden
	case reflex.Internal:
		return websocket.StatusInternalError
	case reflex.Busy:
		return websocket.StatusTryAgainLater
	}
	return badHello
}

// greet waits for the client's hello and answers it.
func (s *socket) greet() {
	s.heard.Store(time.Now().UnixNano())
	if s.barred != nil && s.final {
		s.refuse(s.barred)
		return
	}
	late := time.AfterFunc(helloTime, func() { s.close(noHello, "no hello came in time") })
	hello, err := s.hello()
	late.Stop()
	switch _, gone := errors.AsType[*guard.BodyError](err); {
	case gone:
		return
	case err != nil:
		s.refuse(err)
		return
	}
	if hello.Key != "" {
		s.visitor, s.barred = s.handler.options.Show(s.visitor, hello.Key)
	}
	if s.barred != nil {
		s.refuse(s.barred)
		return
	}
	sub, welcome, err := s.handler.options.Service.Follow(s.alive, reflex.Follower{
		Caller: callerOf(s.visitor), Stream: s.stream, Hello: hello,
		WithoutData: s.withoutData, Lead: appendText, Room: s.sending,
	})
	if err != nil {
		s.refuse(err)
		return
	}
	s.sub = sub
	if s.begin() {
		s.say(welcome)
		go s.write()
	}
}

// maxHello is the largest hello, in bytes: its types are as many as there may be
// schemas, each as long as it may be, and a little more.
const maxHello = 256 << 10

// hello reads the first frame. The error is a *guard.BodyError if none comes.
func (s *socket) hello() (reflex.Hello, error) {
	kind, from, err := s.ws.Reader(context.Background())
	if err != nil {
		return reflex.Hello{}, &guard.BodyError{Err: err}
	}
	if kind != websocket.MessageText {
		return reflex.Hello{}, invalid("the first frame has to be a hello, in text", reflex.FieldError{
			Loc: []string{}, Msg: "has to be text", Type: "binary",
		})
	}
	message, err := s.read(from, maxHello)
	if err != nil {
		return reflex.Hello{}, err
	}
	defer message.Release()
	return reflex.DecodeHello(message.Bytes)
}

// ended says whether the connection ended, rather than that what came over it made
// no sense.
func ended(err error) bool {
	_, failed := errors.AsType[*net.OpError](err)
	return failed || errors.Is(err, net.ErrClosed)
}

// halfClosed says whether the client has said all that it ever will, without a
// close, but may still read.
func halfClosed(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
