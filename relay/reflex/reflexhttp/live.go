package reflexhttp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// live opens a socket on which a client follows a stream (contract, "WebSocket").
func (x *exchange) live() error { return x.upgrade(nil) }

// turnAway tells a client whom the door turns away what the reason is: over a
// socket, since pages in browsers see nothing else. It is opened only for that, or
// for the key that such a page can show in its first frame alone.
func (x *exchange) turnAway(why error) bool {
	if _, unreachable := errors.AsType[*guard.RefusedError](why); unreachable || !wantsSocket(x.r) {
		return false
	}
	if err := x.upgrade(why); err != nil {
		x.refuse(err)
	}
	return true
}

// wantsSocket says whether a request asks for a socket.
func wantsSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// mayShow says whether a client that is turned away may still show a key: one that
// can set headers has shown what it has.
func mayShow(r *http.Request) bool {
	return r.Header.Get("Authorization") == "" && r.Header.Get(access.SpaceHeader) == ""
}

// upgrade opens a socket; why is the reason why the client may not come in, or
// nil. The error says why it could not be opened.
func (x *exchange) upgrade(why error) error {
	if !wantsSocket(x.r) {
		x.w.Header().Set("Upgrade", "websocket")
		return invalid("a stream is followed over a WebSocket here", reflex.FieldError{
			Loc: []string{"header", "Upgrade"}, Msg: "has to be websocket", Type: "websocket",
		})
	}
	q := parseQuery(x.r.URL.RawQuery, data)
	withoutData := q.withoutData()
	if why == nil {
		why = q.err()
	}
	if !x.handler.enter() {
		return store.ErrClosed
	}
	s := &socket{
		handler: x.handler, visitor: x.visitor, stream: x.stream, withoutData: withoutData,
		bodies: x.handler.options.Bodies.Share(x.r), sending: x.handler.options.Sending.Share(x.r),
		barred: why, final: q.err() != nil || !mayShow(x.r),
	}
	if s.visitor.Space == "" {
		s.visitor.Space = access.DefaultSpace // it is a stranger yet
	}
	if err := s.open(x.w, x.r); err != nil {
		x.handler.sockets.Done()
		return err
	}
	x.begun = true
	go s.serve() // net/http, with its buffers and deep stacks, is done with it
	return nil
}

// open shakes hands. The error is the refusal of a request that is none for a
// socket.
func (s *socket) open(w http.ResponseWriter, r *http.Request) (err error) {
	hands := &handshake{ResponseWriter: w, socket: s}
	s.ws, err = websocket.Accept(hands, r, &websocket.AcceptOptions{
		Subprotocols:       []string{reflex.Protocol},
		InsecureSkipVerify: true, // the guard has looked at the origin
		OnPingReceived:     s.ping,
		OnPongReceived:     s.pong,
	})
	if err == nil {
		s.ws.SetReadLimit(maxBody)
		return nil
	}
	if hands.refused == 0 {
		return fmt.Errorf("opening a socket: %w", err)
	}
	return invalid(fmt.Sprintf("the request does not open a WebSocket: %.200s", bytes.TrimSpace(hands.text)), reflex.FieldError{
		Loc: []string{"header"}, Msg: "is not as RFC 6455 has it", Type: "websocket",
	})
}

// handshake is where a handshake is answered: it keeps the text of a refusal, which
// is said in JSON instead, and the connection.
type handshake struct {
	http.ResponseWriter
	socket  *socket
	refused int // the status
	text    []byte
}

// WriteHeader implements [http.ResponseWriter].
func (h *handshake) WriteHeader(status int) {
	if status == http.StatusSwitchingProtocols {
		h.ResponseWriter.WriteHeader(status)
		return
	}
	h.refused = status
}

// Write implements [http.ResponseWriter].
func (h *handshake) Write(b []byte) (int, error) {
	h.text = append(h.text, b...)
	return len(b), nil
}

// Buffers of a socket: most messages of clients are short, and what the library
// writes is one control frame at a time.
const (
	readBuffer  = 512
	writeBuffer = 2 + 125
)

// Hijack implements [http.Hijacker]. The library gets to see the connection
// through an [ear].
func (h *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered()) // no more than there is
	e := &ear{Conn: conn, socket: h.socket, early: bytes.Clone(early)}
	h.socket.conn, h.socket.ear = conn, e
	return e, bufio.NewReadWriter(bufio.NewReaderSize(e, readBuffer), bufio.NewWriterSize(e, writeBuffer)), nil
}

// ear is a connection as the library that reads from it sees it. What it writes is
// a close, which is sent when its turn comes; and the connection is not the
// library's to close.
type ear struct {
	net.Conn
	socket *socket
	early  []byte // what was read already
	failed error  // why nothing more can be read
}

// Read implements [net.Conn].
func (e *ear) Read(b []byte) (int, error) {
	if len(e.early) == 0 {
		n, err := e.Conn.Read(b)
		e.failed = err
		return n, err
	}
	n := copy(b, e.early)
	e.early = e.early[n:]
	return n, nil
}

// Write implements [net.Conn].
func (e *ear) Write(b []byte) (int, error) {
	e.socket.end(bytes.Clone(b))
	return len(b), nil
}

// Close implements [net.Conn].
func (e *ear) Close() error { return nil }
