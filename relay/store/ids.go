package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxID is the length of the longest id of an event, in bytes: four times what
// any known way to draw ids needs.
const MaxID = 256

// ValidID says whether a publisher may give an event this id: any text in UTF-8
// of up to MaxID bytes without NUL.
func ValidID(id string) bool {
	return id != "" && len(id) <= MaxID && utf8.ValidString(id) && strings.IndexByte(id, 0) < 0
}

// IDKey returns the key by which the event with an id is found in the index of
// its stream, unless its id locates it.
func IDKey(id string) [32]byte { return sha256.Sum256([]byte(id)) }

// drawnPrefix is how ids begin that are drawn; a mark and a position follow.
const drawnPrefix = "evt_"

// Mark makes the ids unique that one writer draws.
type Mark [6]byte

// AppendID appends the id that is drawn for the event at a position. It locates
// itself: whoever looks for it looks there, and needs no index.
func (m Mark) AppendID(dst []byte, seq uint64) []byte {
	dst = hex.AppendEncode(append(dst, drawnPrefix...), m[:])
	return strconv.AppendUint(append(dst, '_'), seq, 10)
}

// Located returns the position that an id tells, if it is spelled like one that
// was drawn, and the mark. The event there may have another id all the same, and
// one that was given such an id may be elsewhere.
func Located(id string) (seq uint64, m Mark, ok bool) {
	const place = len(drawnPrefix) + 2*len(Mark{}) + 1
	if len(id) <= place || id[:len(drawnPrefix)] != drawnPrefix || id[place-1] != '_' || id[place] == '0' {
		return 0, m, false
	}
	for i := range m {
		high, low := hexDigit(id[len(drawnPrefix)+2*i]), hexDigit(id[len(drawnPrefix)+2*i+1])
		if high > 0xf || low > 0xf {
			return 0, m, false
		}
		m[i] = high<<4 | low
	}
	for _, digit := range []byte(id[place:]) {
		if digit < '0' || digit > '9' {
			return 0, m, false // ParseUint takes a sign
		}
	}
	seq, err := strconv.ParseUint(id[place:], 10, 64)
	return seq, m, err == nil
}

// LocatesItself says whether the id of an event at a position tells just that.
func LocatesItself(id string, seq uint64) bool {
	at, _, ok := Located(id)
	return ok && at == seq
}

// hexDigit returns what a lowercase hexadecimal digit stands for, and more than
// any does for what is none.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	default:
		return 0xff
	}
}
