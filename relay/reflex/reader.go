package reflex

import (
	"context"
	"iter"
	"slices"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// reader goes along a stream of either kind.
type reader struct {
	store       Store
	ref         store.Ref
	withoutData bool

	at     protocol.Cursor // the last entry that was read, or passed over
	linked bool            // whether more of that is known than its position
	head   uint64          // the stream's, when it was last looked at
	opaque *opaque         // once it is known that the entries are opaque
}

// moveTo puts the reader to a position of which no more is known.
func (r *reader) moveTo(seq uint64) { r.at, r.linked = protocol.Cursor{Seq: seq}, false }

// moveBy puts the reader to an entry that it has read.
func (r *reader) moveBy(e shown) { r.at.Seq, r.at.Link, r.linked = e.seq, e.link, true }

// stretch is consecutive entries of a stream.
type stretch struct {
	page    store.Page     // of events
	records []store.Record // or of opaque entries
	opaque  *opaque
}

// opaqueStretch is how many opaque entries are read at a time at the most: those
// of what people write fill a batch about once.
const opaqueStretch = 64

// read reads what follows: at least one entry if there is one, at most so many and
// up to a position, and about so many bytes. Of opaque entries, once that is what
// they are known to be, there has to be one. The stretch has to be released.
func (r *reader) read(ctx context.Context, upTo uint64, entries, bytes int) (*stretch, error) {
	if r.opaque == nil {
		ask := store.Read{Ref: r.ref, Behind: r.at.Seq, Entries: entries, Bytes: bytes}
		if r.linked {
			ask.After = &r.at
		}
		page, err := r.store.Page(ctx, ask)
		if err != nil {
			return nil, err
		}
		r.at.Stream, r.head = page.Stream, page.Head
		if page.Count == 0 {
			r.at, r.linked = page.Cursor(), true
		}
		if page.Kind == store.Events || page.Count == 0 {
			return &stretch{page: page}, nil
		}
		page.Release()
		upTo = min(upTo, page.Head)
		r.opaque = newOpaque(r.ref.Name, page.Stream, r.withoutData)
	}
	r.at.Stream = r.opaque.identity
	records, err := r.readOpaque(ctx, min(uint64(entries), opaqueStretch, upTo-r.at.Seq))
	if err != nil {
		return nil, err
	}
	return &stretch{records: records, opaque: r.opaque}, nil
}

// readOpaque reads up to n of the entries that follow, the first of them in any
// case.
func (r *reader) readOpaque(ctx context.Context, n uint64) ([]store.Record, error) {
	for {
		records, err := r.store.Back(ctx, r.ref, r.at.Seq+n+1, int(n))
		if err != nil {
			return nil, err
		}
		if records[len(records)-1].Seq == r.at.Seq+1 {
			slices.Reverse(records)
			return records, nil
		}
		// What is read backwards was enough before it came to where the reader is.
		n = min(n/2, uint64(len(records)))
	}
}

// all goes through the entries. Should what is stored be damaged, it yields the
// error last.
func (s *stretch) all() iter.Seq2[shown, error] {
	return func(yield func(shown, error) bool) {
		for _, r := range s.records {
			if !yield(s.opaque.show(r), nil) {
				return
			}
		}
		for e, err := range s.page.All() {
			if !yield(showEvent(e), err) || err != nil {
				return
			}
		}
	}
}

// release gives back the memory of the entries.
func (s *stretch) release() { s.page.Release() }
