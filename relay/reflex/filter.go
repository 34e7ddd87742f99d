package reflex

import (
	"bytes"

	"hearth/relay/store"
)

// filter holds the types of events that are wanted, as JSON strings; nil wants
// all, and an empty one none.
type filter map[string]struct{}

// newFilter returns a filter for types; nil for all.
func newFilter(types []string) filter {
	if types == nil {
		return nil
	}
	f := make(filter, len(types))
	for _, name := range types {
		f[string(store.AppendID(nil, name))] = struct{}{}
	}
	return f
}

// eventMarker is what comes before the type of an event in its envelope: actors
// have no such member, so the first one is the envelope's own.
var eventMarker = []byte(`,"event":{"type":`)

// wants says whether an envelope, or a frame with one, is one of those that are
// wanted.
func (f filter) wants(envelope []byte) bool {
	if f == nil {
		return true
	}
	at := bytes.Index(envelope, eventMarker)
	if at < 0 || len(f) == 0 {
		return false
	}
	kind := envelope[at+len(eventMarker):]
	_, ok := f[string(kind[:stringEnd(kind, 0)])]
	return ok
}
