package protocol

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// The major types of CBOR (RFC 8949, section 3.1).
const (
	majorUint   = 0
	majorNegint = 1
	majorBytes  = 2
	majorText   = 3
	majorArray  = 4
	majorMap    = 5
	majorTag    = 6
	majorSimple = 7
)

// The items that are told by their one byte.
const (
	trueCode  = majorSimple<<5 | 21
	nullCode  = majorSimple<<5 | 22
	breakCode = majorSimple<<5 | indefinite
)

const (
	// indefinite is the additional information that opens an item of
	// indefinite length, or with major type 7 the break that ends one.
	indefinite = 31

	// maxOpen is how many items of indefinite length may stand open inside each
	// other in a value that is skipped. Those of a known length cost no memory,
	// so it is only here that a hostile body could make it grow.
	maxOpen = 1 << 16
)

// DecodeError says where and why a body is not the expected CBOR.
type DecodeError struct {
	Offset int // in bytes from the start of the body
	Reason string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
}

// scanner reads CBOR from front to back, one item's head at a time. It does not
// recurse and copies nothing.
type scanner struct {
	body []byte
	at   int
}

// head is the start of an item: its major type, its additional information and
// the number that follows from it.
type head struct {
	major byte
	info  byte
	arg   uint64
}

func (h head) isBreak() bool { return h.major == majorSimple && h.info == indefinite }

func (s *scanner) left() int { return len(s.body) - s.at }

func (s *scanner) fail(format string, args ...any) error {
	return &DecodeError{Offset: s.at, Reason: fmt.Sprintf(format, args...)}
}

// next reads an item's head.
func (s *scanner) next() (head, error) {
	if s.left() == 0 {
		return head{}, s.fail("the body ends too early")
	}
	first := s.body[s.at]
	h := head{major: first >> 5, info: first & 0x1f}
	switch {
	case h.info < 24:
		h.arg = uint64(h.info)
		s.at++
	case h.info < 28:
		size := 1 << (h.info - 24)
		if s.left() < 1+size {
			return head{}, s.fail("the body ends too early")
		}
		arg := s.body[s.at+1 : s.at+1+size]
		switch size {
		case 1:
			h.arg = uint64(arg[0])
		case 2:
			h.arg = uint64(binary.BigEndian.Uint16(arg))
		case 4:
			h.arg = uint64(binary.BigEndian.Uint32(arg))
		case 8:
			h.arg = binary.BigEndian.Uint64(arg)
		}
		s.at += 1 + size
	case h.info == indefinite && h.major != majorUint && h.major != majorNegint && h.major != majorTag:
		s.at++
	default:
		return head{}, s.fail("a reserved length")
	}
	return h, nil
}

// take returns the next n bytes, without room to grow into those behind them.
func (s *scanner) take(n uint64) ([]byte, error) {
	if n > uint64(s.left()) {
		return nil, s.fail("the body ends too early")
	}
	end := s.at + int(n)
	b := s.body[s.at:end:end]
	s.at = end
	return b, nil
}

// bytes reads a byte string of known length.
func (s *scanner) bytes() ([]byte, error) {
	start := s.at
	h, err := s.next()
	if err != nil {
		return nil, err
	}
	if h.major != majorBytes || h.info == indefinite {
		s.at = start
		return nil, s.fail("expected a byte string of known length")
	}
	return s.take(h.arg)
}

// uint reads an unsigned integer of at most limit.
func (s *scanner) uint(limit uint64) (uint64, error) {
	start := s.at
	h, err := s.next()
	if err != nil {
		return 0, err
	}
	if h.major != majorUint || h.arg > limit {
		s.at = start
		return 0, s.fail("expected an unsigned integer of at most %d", limit)
	}
	return h.arg, nil
}

// has passes over a byte if it is the next one, and says whether it was.
func (s *scanner) has(b byte) bool {
	if s.left() == 0 || s.body[s.at] != b {
		return false
	}
	s.at++
	return true
}

// opened is an item of indefinite length that has not ended yet.
type opened struct {
	isMap bool
	items uint64 // those of its own that have begun
	owed  uint64 // items that are still to come inside the last of them
}

// skip passes over one item, whatever it holds, and checks that it is
// well-formed (RFC 8949, section 5.3.1) with text in UTF-8.
func (s *scanner) skip() error {
	// Items of known length only add to what is owed, so that they may nest as
	// deep as they like; only the indefinite ones need a place on the stack.
	top := opened{owed: 1}
	var stack []opened
	for {
		if top.owed == 0 && len(stack) == 0 {
			return nil
		}
		start := s.at
		h, err := s.next()
		if err != nil {
			return err
		}
		own := top.owed == 0
		if h.isBreak() {
			if !own || top.isMap && top.items%2 != 0 {
				s.at = start
				return s.fail("a break out of place")
			}
			top, stack = stack[len(stack)-1], stack[:len(stack)-1]
			continue
		}
		if own {
			top.items++
		} else {
			top.owed--
		}
		more, opens, err := s.inside(h)
		if err != nil {
			return err
		}
		if opens {
			if len(stack) == maxOpen {
				return s.fail("more than %d items of indefinite length inside each other", maxOpen)
			}
			stack = append(stack, top)
			top = opened{isMap: h.major == majorMap}
			continue
		}
		top.owed += more
	}
}

// inside passes over what belongs to a head, but for the items that it holds:
// it returns how many are to come, or that they come until a break.
func (s *scanner) inside(h head) (more uint64, opens bool, err error) {
	switch h.major {
	case majorBytes, majorText:
		if h.info == indefinite {
			return 0, false, s.chunks(h.major)
		}
		return 0, false, s.str(h)
	case majorArray, majorMap:
		if h.info == indefinite {
			return 0, true, nil
		}
		// Each item takes a byte at least; more cannot be there. This bounds
		// the count, so that sums of it do not overflow.
		if h.arg > uint64(s.left()) {
			return 0, false, s.fail("the body ends too early")
		}
		if h.major == majorMap {
			return 2 * h.arg, false, nil
		}
		return h.arg, false, nil
	case majorTag:
		return 1, false, nil
	case majorSimple:
		if h.info == 24 && h.arg < 32 {
			return 0, false, s.fail("an ill-formed simple value")
		}
	}
	return 0, false, nil
}

// str passes over the content of a string of known length.
func (s *scanner) str(h head) error {
	b, err := s.take(h.arg)
	if err != nil {
		return err
	}
	if h.major == majorText && !utf8.Valid(b) {
		return s.fail("a text that is not UTF-8")
	}
	return nil
}

// chunks passes over the chunks of a string of indefinite length.
func (s *scanner) chunks(major byte) error {
	for {
		h, err := s.next()
		if err != nil {
			return err
		}
		if h.isBreak() {
			return nil
		}
		if h.major != major || h.info == indefinite {
			return s.fail("a string's chunk of another kind")
		}
		if err := s.str(h); err != nil {
			return err
		}
	}
}

// appendHead appends an item's head in its shortest form.
func appendHead(dst []byte, major byte, arg uint64) []byte {
	m := major << 5
	switch {
	case arg < 24:
		return append(dst, m|byte(arg))
	case arg < 1<<8:
		return append(dst, m|24, byte(arg))
	case arg < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, m|25), uint16(arg))
	case arg < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, m|26), uint32(arg))
	default:
		return binary.BigEndian.AppendUint64(append(dst, m|27), arg)
	}
}

// headSize returns how many bytes appendHead appends.
func headSize(arg uint64) int {
	switch {
	case arg < 24:
		return 1
	case arg < 1<<8:
		return 2
	case arg < 1<<16:
		return 3
	case arg < 1<<32:
		return 5
	default:
		return 9
	}
}
