package sqlite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// damages remembers which streams were found damaged since the store was
// opened. They answer nothing any more; the others go on.
type damages struct {
	mu      sync.RWMutex
	streams map[store.Ref]*store.DamagedError
}

// note remembers damage and returns it as an error.
func (d *damages) note(e *store.DamagedError) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if first, ok := d.streams[e.Ref]; ok {
		return first
	}
	if d.streams == nil {
		d.streams = make(map[store.Ref]*store.DamagedError)
	}
	d.streams[e.Ref] = e
	return e
}

// of returns the damage of a stream, or nil.
func (d *damages) of(ref store.Ref) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if e, ok := d.streams[ref]; ok {
		return e
	}
	return nil
}

// all lists the damage in the order of the streams.
func (d *damages) all() []*store.DamagedError {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.SortedFunc(maps.Values(d.streams), func(a, b *store.DamagedError) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Name, b.Name))
	})
}

// reading names the error of reading a stream's runs. If SQLite cannot make
// sense of them, that is damage to this stream: others may be whole.
func (d *damages) reading(ref store.Ref, seq uint64, err error) error {
	if isCorrupt(err) {
		return d.note(&store.DamagedError{Ref: ref, Seq: seq, Reason: err.Error()})
	}
	return failure("reading "+ref.Name, err)
}

// isCorrupt says whether SQLite cannot make sense of what it read.
func isCorrupt(err error) bool { return sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt }

// endsAt says what is wrong with a stream's newest run if it does not end at
// the stream's head with its link; empty if it does.
func (r row) endsAt(found bool, head uint64, link protocol.Link) string {
	if !found {
		return "its newest entries are missing"
	}
	if r.last() != head {
		return fmt.Sprintf("its entries end at %d", r.last())
	}
	newest, rest, err := r.seek(head)
	switch {
	case err != nil:
		return err.Error()
	case len(rest) > 0:
		return "its newest run holds more than its row says"
	case newest.Link != link:
		return "its newest entry has another link than the stream"
	}
	return ""
}
