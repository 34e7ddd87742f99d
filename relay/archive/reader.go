package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"hearth/relay/store"
)

// DamagedError says that a file is no whole archive.
type DamagedError struct {
	Offset int64 // where the record begins that is not as it should be
	Reason string
	Err    error // what is behind it; may be nil
}

func (e *DamagedError) Error() string {
	text := "the file is damaged or no archive of Hearth's"
	if e.Offset > 0 {
		text += fmt.Sprintf(", at byte %d", e.Offset)
	}
	text += ": " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Record is what an archive holds: one of its fields is set.
type Record struct {
	File    *File
	Type    *store.Type
	Command *store.Remembered
	Stream  *store.Stream // it begins, and its runs follow
	Run     *store.Run    // which shares memory with the next one
	Carried *store.Carried

	// Keyed lists what ends in the run and belongs into the index of a store.
	Keyed []store.Keyed
}

// Reader reads an archive and checks all of it on the way: each link of each
// chain, that each stream ends as it says, and the sum over everything. What it
// returns counts only once it has come to the end.
type Reader struct {
	in       *bufio.Reader
	sum      hash.Hash
	read     int64 // bytes
	began    int64 // where the record at hand does
	records  uint64
	manifest Manifest
	buffer   []byte
	earlier  bool // it is of the format before
	seen     map[store.Ref]bool
	types    map[string]map[string]bool // of each space
	commands uint64
	stream   store.Stream
	walk     *store.Walk // of the stream; nil before the first one
	behind   bool        // whether what automations had left follows, so that no more runs do
	spaces   bool        // whether that is of spaces, so that no more streams follow
	versions map[[2]string]uint64
	ended    bool
}

// damaged returns damage to the record at hand.
func (r *Reader) damaged(err error, format string, args ...any) error {
	return &DamagedError{Offset: r.began, Reason: fmt.Sprintf(format, args...), Err: err}
}

// lockedMagic is how a file begins that age has encrypted.
const lockedMagic = "age-encryption.org/v1\n"

// NewReader reads how an archive begins. The error is a *DamagedError or that of in.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{
		in: bufio.NewReaderSize(in, 256<<10), sum: sha256.New(), seen: make(map[store.Ref]bool), types: make(map[string]map[string]bool),
		versions: make(map[[2]string]uint64),
	}
	var begins [len(magic)]byte
	if err := r.fill(begins[:]); err != nil {
		return nil, err
	}
	r.earlier = string(begins[:]) == earlierMagic
	if string(begins[:]) != magic && !r.earlier {
		reason := "it does not begin like one"
		switch {
		case bytes.HasPrefix(begins[:], []byte(magic[:len(magic)-2])):
			reason = "its format is of a newer Hearth: update this one"
		case bytes.HasPrefix([]byte(lockedMagic), begins[:]):
			reason = "it is encrypted: decrypt it with age first"
		}
		return nil, r.damaged(nil, "%s", reason)
	}
	kind, size, err := r.head()
	if err != nil {
		return nil, err
	}
	body, err := r.body(size)
	if err != nil {
		return nil, err
	}
	if kind != kindManifest || json.Unmarshal(body, &r.manifest) != nil {
		return nil, r.damaged(nil, "it does not say where it is from")
	}
	return r, nil
}

// Manifest says where the archive is from.
func (r *Reader) Manifest() Manifest { return r.manifest }

// Next returns the next record, and io.EOF after a proper end. Other errors are a
// *DamagedError, or that of the reader beneath.
func (r *Reader) Next() (Record, error) {
	if r.ended {
		return Record{}, io.EOF
	}
	kind, size, err := r.head()
	if err != nil {
		return Record{}, err
	}
	if kind == kindEnd {
		return Record{}, r.end(size)
	}
	body, err := r.body(size)
	if err != nil {
		return Record{}, err
	}
	switch kind {
	case kindFile:
		return r.file(body)
	case kindType:
		return r.typed(body)
	case kindCommand:
		return r.command(body)
	case kindStream:
		return r.begin(body)
	case kindRun:
		return r.run(body)
	case kindCarried:
		return r.carried(body)
	default:
		return Record{}, r.damaged(nil, "it holds a record of the kind %q, which is not known", kind)
	}
}

func (r *Reader) file(body []byte) (Record, error) {
	if r.walk != nil || len(body) == 0 || len(body) < 1+int(body[0]) {
		return Record{}, r.damaged(nil, "a file is not as it should be")
	}
	name := 1 + int(body[0])
	return Record{File: &File{Name: string(body[1:name]), Data: bytes.Clone(body[name:])}}, nil
}

func (r *Reader) begin(body []byte) (Record, error) {
	if err := r.whole(); err != nil {
		return Record{}, err
	}
	var s streamRecord
	if err := json.Unmarshal(body, &s); err != nil {
		return Record{}, r.damaged(err, "a stream cannot be read")
	}
	stream, err := s.stream()
	if err != nil {
		return Record{}, r.damaged(err, "a stream is not as it should be")
	}
	if r.seen[stream.Ref] {
		return Record{}, r.damaged(nil, "it holds the stream %q twice", stream.Name)
	}
	if r.spaces {
		return Record{}, r.damaged(nil, "a stream is where none belongs")
	}
	r.seen[stream.Ref], r.behind = true, false
	r.stream, r.walk = stream, store.NewWalk(stream.Ref, stream.Kind, stream.Identity)
	return Record{Stream: &stream}, nil
}

func (r *Reader) run(body []byte) (Record, error) {
	run, ok := parseRun(body)
	if !ok || r.walk == nil || r.behind {
		return Record{}, r.damaged(nil, "a run is not as it should be")
	}
	stretch, err := r.walk.Take([]store.Run{run})
	if err == nil {
		err = stretch.Check()
	}
	if err != nil {
		return Record{}, r.damaged(err, "its chain is broken")
	}
	if r.stream.Kind == store.Events {
		for e, err := range (store.Page{Wire: [][]byte{run.Wire}}).All() {
			if err == nil {
				_, err = store.CheckEnvelope(e.Data)
			}
			if err != nil {
				return Record{}, r.damaged(err, "it holds at %d what is no event", e.Seq)
			}
		}
	}
	return Record{Run: &run, Keyed: stretch.Keyed}, nil
}

// whole checks that the last stream has come to its end.
func (r *Reader) whole() error {
	if r.walk == nil {
		return nil
	}
	if err := r.walk.End(r.stream); err != nil {
		return r.damaged(err, "a stream does not end as it says")
	}
	return nil
}

// end reads the last record, whose sum is over all that precedes it.
func (r *Reader) end(size int) error {
	if err := r.whole(); err != nil {
		return err
	}
	var records [8]byte
	var sum [sha256.Size]byte
	if size != len(records)+len(sum) {
		return r.damaged(nil, "its end is not as it should be")
	}
	if err := r.fill(records[:]); err != nil {
		return err
	}
	want := r.sum.Sum(nil)
	if err := r.fill(sum[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint64(records[:]) != r.records || !bytes.Equal(sum[:], want) {
		return r.damaged(nil, "its sum is another than that of what it holds")
	}
	r.began = r.read
	switch _, err := r.in.ReadByte(); {
	case err == nil:
		return r.damaged(nil, "there is more behind its end")
	case !errors.Is(err, io.EOF):
		return err
	}
	r.ended = true
	return io.EOF
}

// head reads how a record begins.
func (r *Reader) head() (kind byte, size int, err error) {
	r.began = r.read
	var head [recordHead]byte
	if err := r.fill(head[:]); err != nil {
		return 0, 0, err
	}
	size = int(binary.BigEndian.Uint32(head[1:]))
	if size > maxRecord {
		return 0, 0, r.damaged(nil, "it holds a record of %d bytes", size)
	}
	return head[0], size, nil
}

// body reads what a record holds, which lasts until the next one is read.
func (r *Reader) body(size int) ([]byte, error) {
	if cap(r.buffer) < size {
		r.buffer = make([]byte, size)
	}
	r.records++
	body := r.buffer[:size]
	return body, r.fill(body)
}

// fill reads just as much as fits.
func (r *Reader) fill(into []byte) error {
	if _, err := io.ReadFull(r.in, into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return r.damaged(nil, "it ends too early")
		}
		return err
	}
	r.sum.Write(into)
	r.read += int64(len(into))
	return nil
}
