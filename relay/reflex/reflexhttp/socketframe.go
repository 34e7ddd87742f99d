package reflexhttp

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// The first byte of a frame that is a whole message of its kind (RFC 6455, section
// 5.2).
const (
	textFrame  = 0x81
	closeFrame = 0x88
	pingFrame  = 0x89
	pongFrame  = 0x8a
)

// maxReason is how many bytes of reason a close has room for (RFC 6455, section
// 5.5).
const maxReason = 125 - 2

// appendHead appends what goes before a message of so many bytes on its way to a
// client. A server masks nothing, so that is all that a frame is.
func appendHead(dst []byte, kind byte, size int) []byte {
	switch dst = append(dst, kind); {
	case size <= 125:
		return append(dst, byte(size))
	case size <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 126), uint16(size))
	default:
		return binary.BigEndian.AppendUint64(append(dst, 127), uint64(size))
	}
}

// appendText appends what goes before a message in JSON.
func appendText(dst []byte, size int) []byte { return appendHead(dst, textFrame, size) }

// framed returns a message of a kind as a frame.
func framed(kind byte, message []byte) []byte {
	return append(appendHead(make([]byte, 0, len(message)+10), kind, len(message)), message...)
}

// closing returns the frame that closes with a code, and as much of a reason as
// there is room for.
func closing(code websocket.StatusCode, reason string) []byte {
	if len(reason) > maxReason {
		end := maxReason - len("…")
		for !utf8.RuneStart(reason[end]) {
			end--
		}
		reason = strings.TrimSpace(reason[:end]) + "…"
	}
	return framed(closeFrame, append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...))
}

// closeCode returns the code with which a frame closes.
func closeCode(frame []byte) websocket.StatusCode {
	if len(frame) < 4 {
		return websocket.StatusNoStatusRcvd
	}
	return websocket.StatusCode(binary.BigEndian.Uint16(frame[2:]))
}
