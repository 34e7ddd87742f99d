package ui

import (
	"cmp"
	"slices"
	"strings"

	"hearth/relay/console"
)

// The columns of the list of streams, by which it can be sorted.
const (
	byName = iota
	byEntries
	byEpoch
	bySize
	byWrite
	byHour
)

// order is by which column a list is sorted, and whether it falls.
type order struct {
	column int
	down   bool
}

// turned is the order after a column's title was chosen: the same column turns
// around; another one begins as it is most useful, names from A and figures from
// the largest.
func (o order) turned(column int) order {
	if o.column == column {
		return order{column, !o.down}
	}
	return order{column, column != byName}
}

// figure is what a stream is sorted by in each column but the name, by which
// they are listed anyway.
var figure = map[int]func(*console.Stream) uint64{
	byEntries: func(s *console.Stream) uint64 { return s.Head },
	byEpoch:   func(s *console.Stream) uint64 { return uint64(s.Epoch) },
	bySize:    func(s *console.Stream) uint64 { return s.Bytes },
	byWrite:   func(s *console.Stream) uint64 { return uint64(s.WrittenAt.UnixMilli()) },
	byHour:    func(s *console.Stream) uint64 { return uint64(batches(&s.Hour)) },
}

// batches counts those of an hour.
func batches(h *console.Hour) int {
	n := 0
	for _, m := range h {
		n += int(m)
	}
	return n
}

// arranged picks those of the streams, which come by name, whose name contains
// what is looked for, and sorts them. Equals stay in the order of their names.
func arranged(all []console.Stream, looked string, o order) []*console.Stream {
	looked = strings.ToLower(strings.TrimSpace(looked))
	shown := make([]*console.Stream, 0, len(all))
	for i := range all {
		if looked == "" || strings.Contains(strings.ToLower(fullName(all[i].StreamRef)), looked) {
			shown = append(shown, &all[i])
		}
	}
	if of, ok := figure[o.column]; ok {
		sortBy(shown, of, o.down)
		return shown
	}
	if o.down {
		slices.Reverse(shown)
	}
	// What the relay tells of itself stands behind what people keep on it.
	slices.SortStableFunc(shown, func(a, b *console.Stream) int { return cmp.Compare(place(a), place(b)) })
	return shown
}

// place is that of a stream among those that are listed by name.
func place(s *console.Stream) int {
	if s.Name == console.RelayStream {
		return 1
	}
	return 0
}

// sortBy sorts by a figure that is worked out once a stream.
func sortBy(list []*console.Stream, of func(*console.Stream) uint64, down bool) {
	type ranked struct {
		stream *console.Stream
		figure uint64
	}
	all := make([]ranked, len(list))
	for i, s := range list {
		all[i] = ranked{s, of(s)}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		if down {
			a, b = b, a
		}
		return cmp.Compare(a.figure, b.figure)
	})
	for i := range all {
		list[i] = all[i].stream
	}
}
