package store

import "time"

// Run is consecutive entries of a stream that one key wrote at one time: the
// form in which streams are kept and copied.
type Run struct {
	First     uint64
	Count     int
	Bytes     int // of entries
	WrittenAt time.Time
	Writer    string // the id of the key that wrote it; empty if none
	Wire      []byte // the entries as protocol.Entry.Append gives them
}

// Last returns the position of the run's last entry.
func (r Run) Last() uint64 { return r.First + uint64(r.Count) - 1 }
