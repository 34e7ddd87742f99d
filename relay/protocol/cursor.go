package protocol

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

// Cursor is where a reader stands: the stream, the position of the last entry
// that it has, and the link there ("Cursors").
type Cursor struct {
	Stream Identity
	Seq    uint64
	Link   Link
}

// ErrCursor says that a text is no cursor.
var ErrCursor = errors.New("a cursor is <seq>.<stream>.<hash>: a decimal number without leading zeros, " +
	"32 and 64 lowercase hexadecimal digits")

// String returns the cursor's one spelling.
func (c Cursor) String() string {
	b := strconv.AppendUint(make([]byte, 0, 20+1+32+1+64), c.Seq, 10)
	b = append(b, '.')
	b = hex.AppendEncode(b, c.Stream[:])
	b = append(b, '.')
	return string(hex.AppendEncode(b, c.Link[:]))
}

// ParseCursor reads a cursor, which has exactly one spelling. The error is
// ErrCursor.
func ParseCursor(text string) (Cursor, error) {
	seq, rest, _ := strings.Cut(text, ".")
	stream, link, _ := strings.Cut(rest, ".")
	var c Cursor
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != seq ||
		!lowerHex(c.Stream[:], stream) || !lowerHex(c.Link[:], link) {
		return Cursor{}, ErrCursor
	}
	c.Seq = n
	return c, nil
}

// lowerHex fills dst with the bytes that text spells, if it spells just as many
// in lowercase.
func lowerHex(dst []byte, text string) bool {
	if len(text) != 2*len(dst) || strings.ContainsAny(text, "ABCDEF") {
		return false
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// Watch is a stream that a waiter watches and where it stands in it ("Waiting").
type Watch struct {
	Stream Name
	Cursor *Cursor // nil if the waiter knows nothing of the stream
}

// ParseWatch reads <name> or <name>:<cursor>. The error is a *NameError or
// ErrCursor.
func ParseWatch(text string) (Watch, error) {
	name, cursor, has := strings.Cut(text, ":")
	n, err := ParseName(name)
	if err != nil {
		return Watch{}, err
	}
	if !has {
		return Watch{Stream: n}, nil
	}
	c, err := ParseCursor(cursor)
	if err != nil {
		return Watch{}, err
	}
	return Watch{Stream: n, Cursor: &c}, nil
}
