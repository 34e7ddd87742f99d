package storetest

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// model is what a store has to be like, kept in memory.
type model struct {
	streams  map[store.Ref]*modelStream
	commands map[store.Command][]byte // their results
}

func newModel() model {
	return model{streams: make(map[store.Ref]*modelStream), commands: make(map[store.Command][]byte)}
}

type modelStream struct {
	kind    store.Kind
	id      protocol.Identity
	epoch   uint32
	entries []protocol.Entry
	writers []string // of the entries
	batches []modelBatch

	// Of a stream of events: where each is, and the time of the newest.
	ids map[string]uint64
	ts  time.Time
}

type modelBatch struct {
	protocol.Batch
	first uint64
}

func (m *modelStream) head() uint64 { return uint64(len(m.entries)) }

// link returns the link at a position.
func (m *modelStream) link(seq uint64) protocol.Link {
	if seq == 0 {
		return protocol.Genesis(m.id)
	}
	return m.entries[seq-1].Link
}

func (m *modelStream) bytes() (n uint64) {
	for _, e := range m.entries {
		n += uint64(len(e.Data))
	}
	return n
}

// append says what a batch comes to, and writes it if it is to be written. The
// identity is the one that the store has drawn, should the batch make a stream.
func (m model) append(a store.Append, drawn protocol.Identity) (store.Written, error) {
	s, b := m.streams[a.Ref], a.Batch
	if s == nil {
		switch {
		case b.Stream != nil && (b.First == nil || *b.First != 1):
			return store.Written{}, &store.NotFoundError{Ref: a.Ref}
		case b.First != nil && *b.First != 1:
			return store.Written{}, &store.OutOfPlaceError{Ref: a.Ref, First: *b.First}
		case b.Stream != nil:
			drawn = *b.Stream
		}
		s = &modelStream{kind: store.Entries, id: drawn}
		m.streams[a.Ref] = s
	}
	repeat := slices.IndexFunc(s.batches, func(held modelBatch) bool {
		return b.Entries.Sealed() && held.Epoch == b.Epoch &&
			slices.EqualFunc(slices.Collect(held.Entries.All()), slices.Collect(b.Entries.All()), bytes.Equal)
	})
	switch {
	case s.kind != store.Entries:
		return store.Written{}, &store.WrongKindError{Ref: a.Ref, Kind: s.kind}
	case b.Stream != nil && *b.Stream != s.id:
		return store.Written{}, &store.ReplacedError{Ref: a.Ref, Now: s.id}
	case repeat >= 0:
		first := s.batches[repeat].first
		return store.Written{
			Stream: s.id, Epoch: s.epoch, Repeated: true,
			First: first, Last: first + uint64(b.Entries.Len()) - 1,
		}, nil
	case b.First != nil && *b.First != s.head()+1:
		return store.Written{}, &store.OutOfPlaceError{Ref: a.Ref, First: *b.First, Head: s.head()}
	case b.Epoch < s.epoch:
		return store.Written{}, &store.EpochBehindError{Ref: a.Ref, Batch: b.Epoch, Epoch: s.epoch}
	}
	w := store.Written{Stream: s.id, Epoch: b.Epoch, First: s.head() + 1, Last: s.head() + uint64(b.Entries.Len())}
	chain := protocol.NewChain(s.head(), s.link(s.head()))
	for data := range b.Entries.All() {
		e := protocol.Entry{Epoch: b.Epoch, Data: data, Link: chain.Next(b.Epoch, data), Seq: chain.Seq()}
		e.EndsBatch = e.Seq == w.Last
		s.entries = append(s.entries, e)
		s.writers = append(s.writers, a.Writer)
	}
	s.epoch = b.Epoch
	s.batches = append(s.batches, modelBatch{Batch: b, first: w.First})
	return w, nil
}

// events returns a stream of events, and makes it if there is none.
func (m model) events(ref store.Ref, id protocol.Identity) *modelStream {
	s := m.streams[ref]
	if s == nil {
		s = &modelStream{kind: store.Events, id: id, ids: make(map[string]uint64)}
		m.streams[ref] = s
	}
	return s
}

// publish says what a publication comes to, without writing it. Ids that the store
// draws are left out.
func (m model) publish(p store.Publish) (store.Publication, error) {
	if p.Command != nil && m.commands[*p.Command] != nil {
		return store.Publication{Earlier: m.commands[*p.Command]}, nil
	}
	s := m.streams[p.Ref]
	if s != nil && s.kind != store.Events {
		return store.Publication{}, &store.WrongKindError{Ref: p.Ref, Kind: s.kind}
	}
	if p.Chain != "" {
		if s == nil || s.ids[p.Chain] == 0 {
			return store.Publication{}, &store.UnknownChainError{Ref: p.Ref, ID: p.Chain}
		}
		e, _ := store.ReadEnvelope(s.entries[s.ids[p.Chain]-1].Data)
		if begins, _ := store.Text(e.CorrelationID); begins != p.Chain {
			return store.Publication{}, &store.NotFirstError{Ref: p.Ref, ID: p.Chain, Chain: begins}
		}
	}
	var done store.Publication
	var head uint64
	ids := make(map[string]uint64)
	if s != nil {
		head = s.head()
		maps.Copy(ids, s.ids)
	}
	for _, e := range p.Events {
		seq := ids[e.ID]
		if e.ID == "" || seq == 0 {
			head++
			ids[e.ID] = head
			done.Events = append(done.Events, store.Published{Seq: head, ID: e.ID})
			done.Last = head
			if done.First == 0 {
				done.First = head
			}
		} else {
			done.Events = append(done.Events, store.Published{Seq: seq, ID: e.ID, Duplicate: true})
		}
	}
	return done, nil
}

// page says what a reader gets.
func (m model) page(r store.Read) ([]protocol.Entry, error) {
	s := m.streams[r.Ref]
	if s == nil {
		return nil, &store.NotFoundError{Ref: r.Ref}
	}
	var from uint64
	if c := r.After; c != nil {
		switch {
		case c.Stream != s.id:
			return nil, &store.ReplacedError{Ref: r.Ref, Now: s.id}
		case c.Seq > s.head():
			return nil, &store.AheadError{Ref: r.Ref, Seq: c.Seq, Head: s.head()}
		case c.Link != s.link(c.Seq):
			return nil, &store.DivergedError{Ref: r.Ref, Seq: c.Seq}
		}
		from = c.Seq
	}
	page := s.entries[from:]
	page = page[:min(len(page), r.Entries)]
	size := 0
	for i, e := range page {
		if size += len(e.Data); size > r.Bytes && i > 0 {
			return page[:i], nil
		}
	}
	return page, nil
}
