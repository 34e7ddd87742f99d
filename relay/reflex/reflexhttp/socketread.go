package reflexhttp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"hearth/relay/guard"
	"hearth/relay/reflex"
)

// listen does what the client says, and lets it say what it likes once the socket
// is closing, until that is closed.
func (s *socket) listen() {
	for {
		kind, from, err := s.ws.Reader(context.Background())
		if err == nil {
			s.heard.Store(time.Now().UnixNano())
			err = s.hear(kind, from)
		}
		if err != nil {
			s.part(err)
			return
		}
	}
}

// part closes the socket, from which nothing more comes that could be understood.
func (s *socket) part(err error) {
	switch {
	case websocket.CloseStatus(err) != -1:
		return // the library has answered, or been answered
	case ended(err):
		s.end(nil)
		return
	case halfClosed(err):
		s.close(websocket.StatusProtocolError, "the connection ended without a close")
	default:
		s.close(websocket.StatusProtocolError, err.Error())
	}
	// The client may be in the midst of sending. If nobody took that, the system
	// would take back what the client was told last.
	_, _ = io.Copy(io.Discard, s.conn)
}

// hear takes one message. The error says that no more come.
func (s *socket) hear(kind websocket.MessageType, from io.Reader) error {
	if s.isClosing() {
		return pass(from)
	}
	if kind != websocket.MessageText {
		s.say(complaint("binary frames are not understood here: send commands as text"))
		return pass(from)
	}
	message, err := s.read(from, maxBody)
	if broken, ok := errors.AsType[*guard.BodyError](err); ok {
		return broken.Err
	}
	if err != nil {
		s.say(complaint(s.record(Command, err).Message))
		return pass(from)
	}
	s.queue(s.obey(message)) // where it may wait for long
	return nil
}

// read reads a message of at most limit bytes; see [guard.ReadMessage].
func (s *socket) read(from io.Reader, limit int64) (*guard.Body, error) {
	message, err := guard.ReadMessage(s.alive, s.conn, from, s.bodies, limit)
	// To the library a message is over where its connection is.
	if err == nil && s.ear.failed != nil {
		message.Release()
		return nil, &guard.BodyError{Err: s.ear.failed}
	}
	return message, err
}

// pass passes over a message.
func pass(from io.Reader) error {
	_, err := io.Copy(io.Discard, from)
	return err
}

// obey runs the command that a message carries, lets go of that, and returns the
// frame that says what came of it. Commands come one after the other, and so do their
// results.
func (s *socket) obey(message *guard.Body) []byte {
	defer message.Release()
	size, start := len(message.Bytes), time.Now()
	frame, err := reflex.DecodeFrame(message.Bytes)
	if err != nil {
		r := s.record(Command, err)
		if frame.CommandID == "" {
			return s.frame(complaint("not a command frame: " + r.Message))
		}
		return s.frame(reflex.Refused(frame.CommandID, r))
	}
	// A command that has begun is not broken off because its client is gone.
	ctx := context.WithoutCancel(s.alive)
	result := s.handler.options.Service.Do(ctx, callerOf(s.visitor), s.stream, frame)
	if result.Rejection != nil {
		_ = s.record(Command, result.Rejection) // which is the result
	} else {
		s.handler.options.Observer.Commanded(ctx, s.visitor, s.ref(), result, size, time.Since(start))
	}
	return s.frame(result)
}

// complaint says what is wrong with a message that is no command.
func complaint(message string) reflex.ErrorFrame {
	return reflex.ErrorFrame{Type: "error", Message: message}
}

// say has a message sent, when its turn comes.
func (s *socket) say(message any) { s.queue(s.frame(message)) }

// frame returns a message as a frame; nil if it cannot be encoded, which closes the
// socket.
func (s *socket) frame(message any) []byte {
	text, err := encode(message)
	if err != nil {
		s.refuse(err)
		return nil
	}
	return framed(textFrame, text)
}

// queue has a frame sent when its turn comes, which is never once the socket is
// closing.
func (s *socket) queue(frame []byte) {
	select {
	case s.outbox <- frame:
	case <-s.alive.Done():
	}
}

// ping answers a client's ping, if there is room for the answer (RFC 6455, section
// 5.5.3: of several, one may be).
func (s *socket) ping(_ context.Context, payload []byte) bool {
	s.heard.Store(time.Now().UnixNano())
	select {
	case s.outbox <- framed(pongFrame, payload):
	default:
	}
	return false // the library need not
}

// pong hears that the client is there.
func (s *socket) pong(context.Context, []byte) { s.heard.Store(time.Now().UnixNano()) }
