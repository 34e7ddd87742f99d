package protocol

import "encoding/binary"

// Passed is an entry that was passed over: what a page has to know of it.
type Passed struct {
	Seq  uint64
	Data int // bytes of its data
	Size int // bytes of all of it
}

// longestHeads is how many bytes of an entry precede its data at the most: the
// map's head, four keys, the largest position, epoch and length, and the link
// with its head.
const longestHeads = 1 + 4 + 9 + 5 + 9 + 2 + len(Link{})

// SkipEntry passes over the entry that b starts with. It takes and refuses just
// what DecodeEntry does, in a fraction of the time.
func SkipEntry(b []byte) (Passed, error) {
	if len(b) >= longestHeads {
		if p := skipEntry(b); p.Size > 0 {
			return p, nil
		}
	}
	// It is short, or something is wrong with it.
	e, rest, err := DecodeEntry(b)
	if err != nil {
		return Passed{}, err
	}
	return Passed{Seq: e.Seq, Data: len(e.Data), Size: len(b) - len(rest)}, nil
}

// skipEntry is SkipEntry where there are bytes enough for the longest heads. Its
// answer is zero where it did not find an entry.
func skipEntry(b []byte) Passed {
	const four, five = majorMap<<5 | 4, majorMap<<5 | 5
	if b[0] != four && b[0] != five || b[1] != entrySeq {
		return Passed{}
	}
	seq, at := shortest(b, 2, majorUint)
	if at == 0 || b[at] != entryEpoch {
		return Passed{}
	}
	epoch, at := shortest(b, at+1, majorUint)
	if at == 0 || epoch>>32 != 0 || b[at] != entryHash || b[at+1] != majorBytes<<5|24 || int(b[at+2]) != len(Link{}) {
		return Passed{}
	}
	if at += 3 + len(Link{}); b[at] != entryData {
		return Passed{}
	}
	data, at := shortest(b, at+1, majorBytes)
	if at == 0 || data > uint64(len(b)-at) {
		return Passed{}
	}
	at += int(data)
	if b[0] == five {
		if len(b)-at < 2 || b[at] != entryEndsBatch || b[at+1] != trueCode {
			return Passed{}
		}
		at += 2
	}
	return Passed{Seq: seq, Data: int(data), Size: at}
}

// shortest reads the head of an item of a major type, in its shortest form, and
// returns the number in it and the place behind it; the place is 0 if there is
// no such head. At most 9 bytes are read.
func shortest(b []byte, at int, major byte) (arg uint64, next int) {
	switch b[at] - major<<5 {
	case 24:
		if arg = uint64(b[at+1]); arg >= 24 {
			return arg, at + 2
		}
	case 25:
		if arg = uint64(binary.BigEndian.Uint16(b[at+1:])); arg >= 1<<8 {
			return arg, at + 3
		}
	case 26:
		if arg = uint64(binary.BigEndian.Uint32(b[at+1:])); arg >= 1<<16 {
			return arg, at + 5
		}
	case 27:
		if arg = binary.BigEndian.Uint64(b[at+1:]); arg >= 1<<32 {
			return arg, at + 9
		}
	default:
		if arg = uint64(b[at] - major<<5); arg < 24 {
			return arg, at + 1
		}
	}
	return 0, 0
}
