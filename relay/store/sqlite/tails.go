package sqlite

import (
	"slices"
	"sync"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

const (
	// maxTail is how many bytes of a stream's newest entries are remembered: what
	// devices that were just woken ask for.
	maxTail = 64 << 10

	// maxTailBytes is how many are for all streams together.
	maxTailBytes = 8 << 20

	// maxTails is how many streams are remembered, each in some 400 bytes besides.
	maxTails = 4096
)

// tails remembers where streams stand that are being read, and their newest
// entries: those who are up to date or nearly so, many of them at the same time,
// are answered without asking the database. Entries never change and heads only
// rise, so what is remembered holds for as long as the head does.
type tails struct {
	mu      sync.Mutex
	closed  bool
	streams map[store.Ref]*tail
	bytes   int // of all entries
}

// tail is what is remembered of a stream.
type tail struct {
	// floor is the highest head that anybody has heard of. What is known of a
	// lower one is out of date.
	floor uint64
	found

	// The newest entries, up to the head, if there are any: the first of them, the
	// link before it, and all of them in the wire's encoding.
	first  uint64
	before protocol.Link
	wire   []byte

	// Where pages ended that were read last, from which their readers go on.
	ends [4]end
	turn int
}

// end is an entry that was read, and its link.
type end struct {
	seq  uint64
	link protocol.Link
}

// current says whether it is known where the stream stands.
func (t *tail) current() bool { return t.Head > 0 && t.Head == t.floor }

// enter returns the place of a stream that is about to be looked at in the
// database: a move that is committed from now on is noted there. It is nil if
// nothing is to be remembered any more.
func (t *tails) enter(ref store.Ref) *tail {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.streams[ref]
	if s == nil && !t.closed {
		if t.streams == nil {
			t.streams = make(map[store.Ref]*tail)
		}
		s = new(tail)
		t.streams[ref] = s
		t.shrink(s)
	}
	return s
}

// isTail says whether a page is worth being remembered: it has a stream's newest
// entries, and not too much of them.
func isTail(page *store.Page) bool {
	size := 0
	for _, piece := range page.Wire {
		size += len(piece)
	}
	return page.Count > 0 && page.Last == page.Head && size <= maxTail
}

// fill notes in a place that was entered before what was read of the stream
// then: a page, and the link before it if that is one of the newest.
func (t *tails) fill(s *tail, f found, before protocol.Link, page *store.Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s == nil || t.streams[f.Ref] != s || f.Head < s.floor {
		return
	}
	t.move(s, f)
	if page.Count > 0 && page.Last != f.Head {
		s.ends[s.turn] = end{page.Last, page.Link}
		s.turn = (s.turn + 1) % len(s.ends)
	}
	first := page.Last - uint64(page.Count) + 1
	if !isTail(page) || len(s.wire) > 0 && s.first <= first {
		return
	}
	t.bytes -= len(s.wire)
	s.first, s.before = first, before
	// A piece that is made for what it holds is nobody else's later.
	if s.wire = page.Wire[0]; len(page.Wire) > 1 || cap(s.wire) == store.PieceSize {
		s.wire = slices.Concat(page.Wire...)
	}
	t.bytes += len(s.wire)
	t.shrink(s)
}

// ended says whether a page was read that ended at a cursor.
func (t *tails) ended(s *tail, at *protocol.Cursor) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s != nil && at != nil && s.Identity == at.Stream && slices.Contains(s.ends[:], end{at.Seq, at.Link})
}

// moved notes where a stream stands once that is committed, before anybody is
// told.
func (t *tails) moved(ref store.Ref, to state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.streams[ref]
	if s == nil || to.head < s.floor {
		return
	}
	t.move(s, found{key: to.key, Stream: store.Stream{
		Ref: ref, Kind: to.kind, Identity: to.id, Epoch: to.epoch, Head: to.head, Link: to.link,
	}})
}

// saw notes that somebody was told of a head.
func (t *tails) saw(ref store.Ref, head uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.streams[ref]; s != nil {
		s.floor = max(s.floor, head)
	}
}

// move notes where a stream stands.
func (t *tails) move(s *tail, f found) {
	if s.Head != f.Head {
		t.bytes -= len(s.wire)
		s.wire = nil
	}
	s.floor, s.found = f.Head, f
}

// shrink forgets streams until there is room, whichever they are, but for one.
func (t *tails) shrink(but *tail) {
	for ref, s := range t.streams {
		if len(t.streams) <= maxTails && t.bytes <= maxTailBytes {
			return
		}
		if s != but {
			t.bytes -= len(s.wire)
			delete(t.streams, ref)
		}
	}
}

// close forgets everything for good.
func (t *tails) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed, t.streams = true, nil
}

// of returns what is known of a stream, if that is current.
func (t *tails) of(ref store.Ref) (tail, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.streams[ref]; s != nil && s.current() {
		return *s, true
	}
	return tail{}, false
}

// heads fills in where streams stand if that is known of all of them.
func (t *tails) heads(space string, names []string, states []store.State) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, name := range names {
		s := t.streams[store.Ref{Space: space, Name: name}]
		if s == nil || !s.current() {
			return false
		}
		states[i] = store.State{Stream: s.Identity, Head: s.Head}
	}
	return true
}

// page answers a reader from what is remembered, and says whether that was
// enough. The error is one of those of Page that cursors are refused with.
func (t *tail) page(ask store.Read) (page store.Page, known bool, err error) {
	if err := checkCursor(t.found, ask); err != nil {
		return store.Page{}, true, err
	}
	page = begun(t.found, ask)
	if page.Last == t.Head {
		return page, true, nil
	}
	if ask.Entries <= 0 {
		return page, ask.After != nil || ask.Behind == 0, nil
	}
	if len(t.wire) == 0 || page.Last+1 < t.first {
		return store.Page{}, false, nil
	}
	body, link := t.wire, t.before
	if page.Last >= t.first {
		at, rest, err := row{first: t.first}.skipTo(body, page.Last)
		if err != nil {
			return store.Page{}, false, err
		}
		body, link = rest, at.Link
	}
	if ask.After != nil && ask.After.Link != link {
		return store.Page{}, true, &store.DivergedError{Ref: ask.Ref, Seq: page.Last}
	}
	g := gather(&page, ask)
	size, count, err := g.walk(body, len(body))
	if err != nil {
		return store.Page{}, false, err
	}
	page.Wire = [][]byte{body[:size:size]}
	g.count(body[:size], count)
	return page, true, nil
}
