package relay

import (
	"slices"
	"sync"

	"hearth/relay/console"
)

// maxRefusals is how many kinds of refusals are kept: more than a person looks
// through, in some 100 kB.
const maxRefusals = 256

// refusals keeps the recent refusals, those that repeat counted together, so
// that one client that keeps asking does not push the others out.
type refusals struct {
	mu    sync.Mutex
	list  []console.Refusal // newest first
	total uint64
}

// add counts a refusal. Its First, Last and Times are those of one.
func (r *refusals) add(one console.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	if at := slices.IndexFunc(r.list, func(known console.Refusal) bool { return alike(known, one) }); at >= 0 {
		one.First = r.list[at].First
		one.Times += r.list[at].Times
		r.list = slices.Delete(r.list, at, at+1)
	}
	r.list = slices.Insert(r.list, 0, one)
	if len(r.list) > maxRefusals {
		r.list = r.list[:maxRefusals]
	}
}

// alike says whether two refusals are one kind: the same client, refused for the
// same reason in doing the same.
func alike(a, b console.Refusal) bool {
	return a.Code == b.Code && a.Action == b.Action && a.Space == b.Space && a.Stream == b.Stream && a.Client == b.Client && a.Key == b.Key
}

// recent returns the kinds of refusals, newest first.
func (r *refusals) recent() []console.Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// count returns how many refusals there have been.
func (r *refusals) count() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}
