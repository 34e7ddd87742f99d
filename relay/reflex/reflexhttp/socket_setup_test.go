package reflexhttp_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

// raw is a socket of which a test writes and reads the very bytes (RFC 6455).
type raw struct {
	*conn
}

// dialRaw opens a socket; more is sent right behind the request.
func (h *home) dialRaw(t testing.TB, target string, more ...byte) *raw {
	t.Helper()
	return h.dial(t).shakeHands(t, h.address, target, more...)
}

// shakeHands opens a socket on a connection.
func (c *conn) shakeHands(t testing.TB, host, target string, more ...byte) *raw {
	t.Helper()
	c.say(t, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"+string(more))
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // it has none
	if resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return &raw{c}
}

// The first bytes of frames.
const (
	fin         = 0x80
	noMessage   = 0x0 // it goes on
	textMessage = 0x1
	closeCode   = 0x8
	pingCode    = 0x9
	pongCode    = 0xa
)

// masked returns a client's frame, whose mask changes nothing.
func masked(first byte, payload string) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// send sends a client's frame.
func (c *raw) send(t testing.TB, first byte, payload string) {
	t.Helper()
	if _, err := c.Write(masked(first, payload)); err != nil {
		t.Fatal(err)
	}
}

// frame reads a frame.
func (c *raw) frame() (first byte, payload []byte, err error) {
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	var head [2]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1])
	switch size {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(c.in, b[:])
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(c.in, b[:])
		size = binary.BigEndian.Uint64(b[:])
	}
	if err != nil || size > 32<<20 {
		return 0, nil, errors.Join(err, errors.New("no frame of a server's"))
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(c.in, payload)
	return head[0], payload, err
}

// message reads the next message.
func (c *raw) message(t testing.TB) []byte {
	t.Helper()
	for {
		switch first, payload, err := c.frame(); {
		case err != nil || first != fin|textMessage && first != fin|pingCode:
			t.Fatalf("a frame %x %.200q; %v", first, payload, err)
		case first == fin|textMessage:
			return payload
		}
	}
}

// hear reads a message that has to be of a type.
func (c *raw) hear(t testing.TB, kind string) []byte {
	t.Helper()
	payload := c.message(t)
	if typeOf(t, payload) != kind {
		t.Fatalf("a message %.200q, want %s", payload, kind)
	}
	return payload
}

// closed reads until a close and returns its code, and how many events came
// before.
func (c *raw) closed(t testing.TB) (code int, events int) {
	t.Helper()
	for {
		first, payload, err := c.frame()
		switch {
		case err != nil:
			t.Fatalf("the connection broke after %d events: %v", events, err)
		case first == fin|closeCode && len(payload) >= 2:
			return int(binary.BigEndian.Uint16(payload)), events
		case first == fin|textMessage && typeOf(t, payload) == "event":
			events++
		}
	}
}

// ends waits until the relay has hung up.
func (c *raw) ends(t testing.TB) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c.in); err != nil {
		t.Errorf("it did not hang up: %v", err)
	}
}
