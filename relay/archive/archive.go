// Package archive is the form in which streams leave a relay and come back: a
// file that can be written and read in one go, and that proves itself.
package archive

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
	"unicode/utf8"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// magic is how an archive begins; the number is its format's.
const magic = "HEARTH-ARCHIVE\x02\n"

// earlierMagic is that of the format before, which has neither types nor commands.
const earlierMagic = "HEARTH-ARCHIVE\x01\n"

// The kinds of records.
const (
	kindManifest = 'M'
	kindFile     = 'F'
	kindType     = 'T'
	kindCommand  = 'C'
	kindStream   = 'S'
	kindRun      = 'R'
	kindCarried  = 'A'
	kindEnd      = 'E'
)

// maxRecord bounds a record, in bytes: the largest is a run with one entry that
// just fits a body.
const maxRecord = protocol.MaxBody + 64<<10

// recordHead is the length of a record's kind and size.
const recordHead = 1 + 4

// Manifest says where an archive is from.
type Manifest struct {
	Made    time.Time `json:"made"`
	Relay   string    `json:"relay,omitempty"` // the id of the relay
	Version string    `json:"version,omitempty"`

	// Lacking lists the streams that are left out, since they were damaged.
	Lacking []string `json:"lacking,omitempty"`
}

// File is a small file that belongs to a relay beside its streams.
type File struct {
	Name string
	Data []byte
}

// streamRecord is a stream in JSON.
type streamRecord struct {
	Space     string    `json:"space"`
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Identity  string    `json:"identity"`
	Epoch     uint32    `json:"epoch"`
	Head      uint64    `json:"head"`
	Link      string    `json:"link"`
	Bytes     uint64    `json:"bytes"`
	CreatedAt time.Time `json:"created_at"`
	WrittenAt time.Time `json:"written_at"`
}

var kindNames = map[store.Kind]string{store.Entries: "entries", store.Events: "events"}

func recordOf(s store.Stream) streamRecord {
	return streamRecord{
		s.Space, s.Name, kindNames[s.Kind], s.Identity.String(), s.Epoch, s.Head, s.Link.String(), s.Bytes, s.CreatedAt, s.WrittenAt,
	}
}

// stream returns the stream of a record that is all that a stream can be.
func (r streamRecord) stream() (store.Stream, error) {
	s := store.Stream{
		Ref: store.Ref{Space: r.Space, Name: r.Name}, Epoch: r.Epoch, Head: r.Head, Bytes: r.Bytes,
		CreatedAt: r.CreatedAt, WrittenAt: r.WrittenAt,
	}
	if _, err := protocol.ParseName(r.Space); err != nil {
		return s, fmt.Errorf("%.80q is no name of a space", r.Space)
	}
	if _, err := protocol.ParseName(r.Name); err != nil && r.Name != happenings {
		return s, fmt.Errorf("%.80q is no name of a stream", r.Name)
	}
	if !known(r.CreatedAt) || !known(r.WrittenAt) {
		return s, fmt.Errorf("the stream %q is of a time that no clock shows", r.Name)
	}
	switch r.Kind {
	case kindNames[store.Entries]:
	case kindNames[store.Events]:
		s.Kind = store.Events
	default:
		return s, fmt.Errorf("the stream %q is of the kind %.20q, which this program does not know", r.Name, r.Kind)
	}
	if !unhex(s.Identity[:], r.Identity) || !unhex(s.Link[:], r.Link) || r.Head == 0 {
		return s, fmt.Errorf("the stream %q has no proper identity, link or head", r.Name)
	}
	return s, nil
}

// happenings is the one name of a stream that v1 does not spell: that of what
// happens on a relay.
const happenings = "_relay"

// known says whether a time is one that can be: from 1970 on, and of a year with
// four digits, as JSON needs it (RFC 3339, section 1).
func known(t time.Time) bool { return t.Unix() >= 0 && t.UTC().Year() <= 9999 }

func unhex(dst []byte, text string) bool {
	if len(text) != hex.EncodedLen(len(dst)) {
		return false
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// runHead is the length of what precedes a run's writer and entries: first
// position, number of entries, bytes of them, milliseconds since 1970, and the
// length of the writer's id.
const runHead = 8 + 8 + 8 + 8 + 1

// maxWriter is the length of the longest id of a key.
const maxWriter = 255

func appendRun(dst []byte, r store.Run) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.First)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Count))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Bytes))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.WrittenAt.UnixMilli()))
	dst = append(append(dst, byte(len(r.Writer))), r.Writer...)
	return append(dst, r.Wire...)
}

// parseRun reads a run, which shares b's memory.
func parseRun(b []byte) (store.Run, bool) {
	if len(b) < runHead || len(b) < runHead+int(b[runHead-1]) {
		return store.Run{}, false
	}
	wire := runHead + int(b[runHead-1])
	r := store.Run{
		First:     binary.BigEndian.Uint64(b),
		Count:     int(binary.BigEndian.Uint64(b[8:])),
		Bytes:     int(binary.BigEndian.Uint64(b[16:])),
		WrittenAt: time.UnixMilli(int64(binary.BigEndian.Uint64(b[24:]))).UTC(),
		Writer:    string(b[runHead:wire]),
		Wire:      b[wire:],
	}
	return r, r.Count > 0 && r.Bytes >= 0 && known(r.WrittenAt) && utf8.ValidString(r.Writer)
}
