package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// The keys of a batch.
const (
	batchEpoch   = 0
	batchEntries = 1
	batchStream  = 2
	batchFirst   = 3
)

// Batch is what a writer sends ("batch").
type Batch struct {
	Epoch   uint32
	Entries Entries
	Stream  *Identity // the incarnation that the writer means, if it says
	First   *uint64   // the position that the first entry has to get, if it says
}

// Entries are the entries of a batch, in the encoding in which they came. They
// are not spread into a slice of slices: a body may hold millions of entries
// of no bytes, whose slice headers would take two dozen times its own size.
type Entries struct {
	items []byte // byte strings of known length, one after the other
	count int
	bytes int
}

// NewEntries returns entries with the given bytes.
func NewEntries(data ...[]byte) Entries {
	var e Entries
	for _, d := range data {
		e.items = append(appendHead(e.items, majorBytes, uint64(len(d))), d...)
		e.bytes += len(d)
	}
	e.count = len(data)
	return e
}

// Add returns e with an entry behind it. Both share memory as with append: only
// one of those that an e was added to may be used.
func (e Entries) Add(data []byte) Entries {
	e.items = slices.Grow(e.items, headSize(uint64(len(data)))+len(data))
	e.items = append(appendHead(e.items, majorBytes, uint64(len(data))), data...)
	e.count++
	e.bytes += len(data)
	return e
}

// Len returns how many entries there are.
func (e Entries) Len() int { return e.count }

// Bytes returns how many bytes the entries have together.
func (e Entries) Bytes() int { return e.bytes }

// All goes through the entries in their order. Their bytes are the batch's own:
// they must not be changed.
func (e Entries) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := e; rest.count > 0; {
			var data []byte
			if data, rest = rest.Next(); !yield(data) {
				return
			}
		}
	}
}

// Next returns the first entry and those behind it. There must be one.
func (e Entries) Next() (data []byte, rest Entries) {
	s := scanner{body: e.items}
	data, err := s.bytes()
	if err != nil {
		return nil, Entries{} // the items were checked when they were taken in
	}
	return data, Entries{items: e.items[s.at:], count: e.count - 1, bytes: e.bytes - len(data)}
}

// Sealed says whether every entry is sealed.
func (e Entries) Sealed() bool {
	for data := range e.All() {
		if !Sealed(data) {
			return false
		}
	}
	return e.count > 0
}

// Sealed says whether an entry starts like a sealed blob ('S', version 1) or a
// lock ('L', version 1). Both begin with random bytes soon after, so that the
// same bytes in a second batch can only be a repeat of the first.
func Sealed(data []byte) bool {
	return len(data) >= 2 && (data[0] == 'S' || data[0] == 'L') && data[1] == 1
}

// batchKeyTag starts the hash that names a batch by its content.
const batchKeyTag = "efema/batch/v1"

// Key returns what names the batch by its content.
func (b Batch) Key() [32]byte { return BatchKey(b.Epoch, b.Entries.Len(), b.Entries.All()) }

// BatchKey returns what names a batch of so many entries by its content: the
// SHA-256 of its epoch and its entries.
func BatchKey(epoch uint32, count int, entries iter.Seq[[]byte]) [32]byte {
	h := sha256.New()
	head := binary.BigEndian.AppendUint32([]byte(batchKeyTag), epoch)
	h.Write(binary.BigEndian.AppendUint64(head, uint64(count)))
	var size [8]byte
	for data := range entries {
		binary.BigEndian.PutUint64(size[:], uint64(len(data)))
		h.Write(size[:])
		h.Write(data)
	}
	return [32]byte(h.Sum(nil))
}

// Append appends the batch's encoding to dst.
func (b Batch) Append(dst []byte) []byte {
	keys := uint64(2)
	if b.Stream != nil {
		keys++
	}
	if b.First != nil {
		keys++
	}
	dst = appendHead(dst, majorMap, keys)
	dst = appendHead(append(dst, batchEpoch), majorUint, uint64(b.Epoch))
	dst = appendHead(append(dst, batchEntries), majorArray, uint64(b.Entries.count))
	for data := range b.Entries.All() {
		dst = append(appendHead(dst, majorBytes, uint64(len(data))), data...)
	}
	if b.Stream != nil {
		dst = append(appendHead(append(dst, batchStream), majorBytes, uint64(len(b.Stream))), b.Stream[:]...)
	}
	if b.First != nil {
		dst = appendHead(append(dst, batchFirst), majorUint, *b.First)
	}
	return dst
}

// DecodeBatch reads a body that is one batch. It is as strict as the known
// relays: known fields only in their plain form, keys only integers that fit 64
// bits with a sign, and nothing behind the map. Unknown keys are passed over,
// and of a key that comes twice the last one holds. A batch without entries
// decodes. Its entries share the body's memory. The error is a *DecodeError.
func DecodeBatch(body []byte) (Batch, error) {
	s := scanner{body: body}
	h, err := s.next()
	if err != nil {
		return Batch{}, err
	}
	if h.major != majorMap {
		return Batch{}, &DecodeError{Reason: "expected a map"}
	}
	var d batchDecoder
	for i := uint64(0); h.info == indefinite || i < h.arg; i++ {
		if h.info == indefinite && s.has(breakCode) {
			break
		}
		if err := d.field(&s); err != nil {
			return Batch{}, err
		}
	}
	if s.left() > 0 {
		return Batch{}, s.fail("bytes after the message")
	}
	if !d.hasEpoch || !d.hasEntries {
		return Batch{}, s.fail("the epoch or the entries are missing")
	}
	return d.batch, nil
}

// batchDecoder holds what the batch points to, so that a key that comes a
// million times is not allocated as often.
type batchDecoder struct {
	batch                Batch
	stream               Identity
	first                uint64
	hasEpoch, hasEntries bool
}

// field reads one key with its value.
func (d *batchDecoder) field(s *scanner) error {
	start := s.at
	key, err := s.next()
	if err != nil {
		return err
	}
	if key.major != majorUint && key.major != majorNegint || key.arg > math.MaxInt64 {
		s.at = start
		return s.fail("a key that is not an integer of 64 bits")
	}
	if key.major == majorNegint {
		return s.skip()
	}
	switch key.arg {
	case batchEpoch:
		epoch, err := s.uint(math.MaxUint32)
		d.batch.Epoch, d.hasEpoch = uint32(epoch), true
		return err
	case batchEntries:
		d.batch.Entries, err = s.entries()
		d.hasEntries = true
		return err
	case batchStream:
		d.batch.Stream = nil
		if s.has(nullCode) {
			return nil
		}
		d.stream, err = s.identity()
		d.batch.Stream = &d.stream
		return err
	case batchFirst:
		d.batch.First = nil
		if s.has(nullCode) {
			return nil
		}
		d.first, err = s.uint(math.MaxUint64)
		d.batch.First = &d.first
		return err
	default:
		return s.skip()
	}
}

// entries reads an array of known length of byte strings.
func (s *scanner) entries() (Entries, error) {
	start := s.at
	h, err := s.next()
	if err != nil {
		return Entries{}, err
	}
	if h.major != majorArray || h.info == indefinite {
		s.at = start
		return Entries{}, s.fail("expected an array of known length")
	}
	if h.arg > uint64(s.left()) {
		return Entries{}, s.fail("the body ends too early")
	}
	start = s.at
	e := Entries{count: int(h.arg)}
	for range e.count {
		data, err := s.bytes()
		if err != nil {
			return Entries{}, err
		}
		e.bytes += len(data)
	}
	e.items = s.body[start:s.at]
	return e, nil
}

// identity reads an identity.
func (s *scanner) identity() (Identity, error) {
	start := s.at
	b, err := s.bytes()
	if err != nil {
		return Identity{}, err
	}
	if len(b) != len(Identity{}) {
		s.at = start
		return Identity{}, s.fail("an identity of %d bytes", len(b))
	}
	return Identity(b), nil
}
