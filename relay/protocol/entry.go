package protocol

import "math"

// The keys of an entry.
const (
	entrySeq       = 0
	entryEpoch     = 1
	entryHash      = 2
	entryData      = 3
	entryEndsBatch = 4
)

// Entry is an entry as a page carries it ("entry").
type Entry struct {
	Seq   uint64
	Epoch uint32
	Link  Link
	Data  []byte

	// EndsBatch says that the entry is the last of the batch that it was
	// written in.
	EndsBatch bool
}

// Append appends the entry's encoding to dst: keys ascending, heads as short as
// they can be, ends_batch only where it is true.
func (e Entry) Append(dst []byte) []byte {
	keys := uint64(4)
	if e.EndsBatch {
		keys = 5
	}
	dst = appendHead(dst, majorMap, keys)
	dst = appendHead(append(dst, entrySeq), majorUint, e.Seq)
	dst = appendHead(append(dst, entryEpoch), majorUint, uint64(e.Epoch))
	dst = append(appendHead(append(dst, entryHash), majorBytes, uint64(len(e.Link))), e.Link[:]...)
	dst = append(appendHead(append(dst, entryData), majorBytes, uint64(len(e.Data))), e.Data...)
	if e.EndsBatch {
		dst = append(dst, entryEndsBatch, trueCode)
	}
	return dst
}

// Size returns how many bytes Append appends.
func (e Entry) Size() int {
	// The map's head, the five one-byte keys' first four, the link with its
	// head of two bytes.
	size := 1 + 4 + 2 + len(e.Link) + headSize(e.Seq) + headSize(uint64(e.Epoch)) +
		headSize(uint64(len(e.Data))) + len(e.Data)
	if e.EndsBatch {
		size += 2
	}
	return size
}

// DecodeEntry reads the entry that b starts with, in just the form that Append
// gives it, and returns what follows it. The data shares b's memory. The error
// is a *DecodeError.
func DecodeEntry(b []byte) (e Entry, rest []byte, err error) {
	s := scanner{body: b}
	h, err := s.next()
	if err != nil {
		return Entry{}, nil, err
	}
	if h.major != majorMap || h.arg != 4 && h.arg != 5 {
		return Entry{}, nil, &DecodeError{Reason: "expected an entry"}
	}
	if e.Seq, err = s.keyedUint(entrySeq, math.MaxUint64); err != nil {
		return Entry{}, nil, err
	}
	epoch, err := s.keyedUint(entryEpoch, math.MaxUint32)
	if err != nil {
		return Entry{}, nil, err
	}
	e.Epoch = uint32(epoch)
	link, err := s.keyedBytes(entryHash)
	if err != nil {
		return Entry{}, nil, err
	}
	if len(link) != len(e.Link) {
		return Entry{}, nil, s.fail("a link of %d bytes", len(link))
	}
	e.Link = Link(link)
	if e.Data, err = s.keyedBytes(entryData); err != nil {
		return Entry{}, nil, err
	}
	if h.arg == 5 {
		if !s.has(entryEndsBatch) || !s.has(trueCode) {
			return Entry{}, nil, s.fail("expected ends_batch")
		}
		e.EndsBatch = true
	}
	// One size for one content: any other head was not written by Append.
	if s.at != e.Size() {
		return Entry{}, nil, &DecodeError{Reason: "an entry with heads longer than needed"}
	}
	return e, b[s.at:], nil
}

func (s *scanner) key(key byte) error {
	if !s.has(key) {
		return s.fail("expected key %d", key)
	}
	return nil
}

func (s *scanner) keyedUint(key byte, limit uint64) (uint64, error) {
	if err := s.key(key); err != nil {
		return 0, err
	}
	return s.uint(limit)
}

func (s *scanner) keyedBytes(key byte) ([]byte, error) {
	if err := s.key(key); err != nil {
		return nil, err
	}
	return s.bytes()
}
