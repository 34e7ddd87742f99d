package sqlite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// recentKeys are recent batches, by the key of their stream.
type recentKeys map[int64]map[batchKey]bool

// recent reads the recent batches of the streams whose keys are after one. If they cannot be read, that is a fault of the file: what can be said of
// the streams is said.
func (v *verification) recent(conn *connection, after int64) (recentKeys, error) {
	if v.unread || !conn.has(recentVersion) {
		return nil, nil
	}
	keys := make(recentKeys)
	err := eachRecent(conn.Prep(recentRows), func(p place) {
		if p.stream <= after {
			return
		}
		if keys[p.stream] == nil {
			keys[p.stream] = make(map[batchKey]bool)
		}
		keys[p.stream][p.batchKey] = true
	})
	if isCorrupt(err) || errors.Is(err, errCutOff) {
		v.unread = true
		v.fault("The newest part of the index of batches cannot be read: " + err.Error() + ".")
		return nil, nil
	}
	return keys, err
}

// strays checks that recent batches up to the last key belong to one of the streams.
func (v *verification) strays(recent recentKeys, streams []found, last int64) {
	for _, key := range slices.Sorted(maps.Keys(recent)) {
		if key <= last && !slices.ContainsFunc(streams, func(f found) bool { return f.key == key }) {
			v.stray(key)
			return
		}
	}
}

// stray puts down that there are batches of no stream.
func (v *verification) stray(key int64) {
	v.fault(fmt.Sprintf("There are batches in the index that belong to no stream, with the key %d.", key))
}
