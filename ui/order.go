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

// ascending compares streams in each column but the name, by which they are
// listed anyway.
var ascending = map[int]func(a, b *console.Stream) int{
	byEntries: func(a, b *console.Stream) int { return cmp.Compare(a.Head, b.Head) },
	byEpoch:   func(a, b *console.Stream) int { return cmp.Compare(a.Epoch, b.Epoch) },
	bySize:    func(a, b *console.Stream) int { return cmp.Compare(a.Bytes, b.Bytes) },
	byWrite:   func(a, b *console.Stream) int { return a.WrittenAt.Compare(b.WrittenAt) },
	byHour:    func(a, b *console.Stream) int { return cmp.Compare(batches(&a.Hour), batches(&b.Hour)) },
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
	compare, ok := ascending[o.column]
	switch {
	case !ok && o.down:
		slices.Reverse(shown)
	case o.down:
		slices.SortStableFunc(shown, func(a, b *console.Stream) int { return compare(b, a) })
	case ok:
		slices.SortStableFunc(shown, compare)
	}
	return shown
}
