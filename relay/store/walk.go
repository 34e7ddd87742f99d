package store

import (
	"fmt"
	"time"

	"hearth/relay/protocol"
)

// maxSealed is how many bytes a sealed batch may have before the end of it is
// taken for lost, which the chain does not cover: four times what fits a body.
const maxSealed = 4 * protocol.MaxBody

// Walk goes along a stream from its first entry, run by run, and checks what its
// entries promise: that they join, that each link follows from what precedes it,
// that epochs only rise, that the rows count them rightly.
//
// The costly part, hashing, is left to the stretches that it hands out: they may
// be checked elsewhere, in any order and at the same time.
type Walk struct {
	ref   Ref
	kind  Kind
	seq   uint64
	link  protocol.Link // as it is stored
	epoch uint32
	bytes uint64
	ts    time.Time // of the newest event

	// The batch that has begun and not ended.
	begun  bool
	sealed bool // so far
	batch  Keyed
}

// Keyed is what the index of batches has of a stream, so that repeats of it can be
// told: a batch of sealed entries, or an event whose id does not locate it.
type Keyed struct {
	First uint64

	epoch uint32
	count int
	early protocol.Entries // those of earlier stretches
	wire  [][]byte         // those behind them

	id []byte // of the event, a JSON string
}

// Key returns the key of the batch or the event.
func (k Keyed) Key() [32]byte {
	if k.id == nil {
		return protocol.BatchKey(k.epoch, k.count, k.all)
	}
	id, _ := Text(k.id) // the walk has read it before
	return IDKey(id)
}

// all goes through the entries.
func (k Keyed) all(yield func([]byte) bool) {
	for data := range k.early.All() {
		if !yield(data) {
			return
		}
	}
	for e, err := range (Page{Wire: k.wire}).All() {
		if err != nil || !yield(e.Data) {
			return // no error: the walk has decoded them before
		}
	}
}

// gathered returns the batch without the memory of a stretch.
func (k Keyed) gathered() Keyed {
	for e, err := range (Page{Wire: k.wire}).All() {
		if err == nil {
			k.early = k.early.Add(e.Data)
		}
	}
	k.wire = nil
	return k
}

// Stretch is a part of a stream whose links are still to be checked.
type Stretch struct {
	ref    Ref
	before protocol.Link // the link before its first entry, as it is stored
	runs   []Run

	// Keyed lists what ends in the stretch and belongs into the index.
	Keyed []Keyed
}

// NewWalk returns a walk that stands before the first entry of a stream.
func NewWalk(ref Ref, kind Kind, id protocol.Identity) *Walk {
	return &Walk{ref: ref, kind: kind, link: protocol.Genesis(id)}
}

// Seq returns the position to which the walk has come.
func (w *Walk) Seq() uint64 { return w.seq }

// Link returns the link there, as it is stored.
func (w *Walk) Link() protocol.Link { return w.link }

// Epoch returns the epoch there.
func (w *Walk) Epoch() uint32 { return w.epoch }

// Bytes returns how many bytes the entries up to there have.
func (w *Walk) Bytes() uint64 { return w.bytes }

// Whole says whether a batch ends there.
func (w *Walk) Whole() bool { return !w.begun }

// Take goes along the next runs, whose memory the stretch shares. The error, a
// *DamagedError, ends the walk; the stretch then holds the runs before the damage.
func (w *Walk) Take(runs []Run) (Stretch, error) {
	s := Stretch{ref: w.ref, before: w.link}
	defer func() { w.batch = w.batch.gathered() }()
	for i, run := range runs {
		keyed, err := w.take(run)
		if err != nil {
			s.runs = runs[:i]
			return s, err
		}
		s.Keyed = append(s.Keyed, keyed...)
	}
	s.runs = runs
	return s, nil
}

func (w *Walk) take(run Run) (keyed []Keyed, err error) {
	if run.First != w.seq+1 {
		return nil, w.damaged("its runs do not join")
	}
	bytes := 0
	begins, rest := run.Wire, run.Wire // where the batch does, and what is left
	for len(rest) > 0 {
		e, after, err := protocol.DecodeEntry(rest)
		switch {
		case err != nil:
			return nil, w.damaged("%w", err)
		case e.Seq != w.seq+1:
			return nil, w.damaged("an entry calls itself %d where %d belongs", e.Seq, w.seq+1)
		case e.Epoch < w.epoch:
			return nil, w.damaged("its epoch falls from %d to %d", w.epoch, e.Epoch)
		case w.begun && e.Epoch > w.epoch:
			return nil, w.damaged("its epoch rises within a batch")
		}
		if !w.begun {
			w.begun, w.sealed, begins = true, w.kind == Entries, rest
			w.batch = Keyed{First: e.Seq, epoch: e.Epoch}
		}
		if w.kind == Events {
			id, err := w.event(e)
			if err != nil {
				return nil, err
			}
			if id != nil {
				keyed = append(keyed, Keyed{First: e.Seq, id: id})
			}
		}
		w.sealed = w.sealed && protocol.Sealed(e.Data)
		w.batch.count++
		w.seq, w.link, w.epoch = e.Seq, e.Link, e.Epoch
		bytes += len(e.Data)
		rest = after
		if e.EndsBatch {
			if w.sealed {
				w.batch.wire = append(w.batch.wire, begins[:len(begins)-len(rest)])
				keyed = append(keyed, w.batch)
			}
			w.begun, w.batch = false, Keyed{}
		}
	}
	switch {
	case !w.begun:
	case !w.sealed:
		w.batch = Keyed{} // nobody asks for its key
	case w.batch.early.Bytes() > maxSealed:
		return nil, w.damaged("a batch does not end")
	default:
		w.batch.wire = append(w.batch.wire, begins)
	}
	w.bytes += uint64(bytes)
	if w.seq != run.Last() || bytes != run.Bytes {
		return nil, &DamagedError{Ref: w.ref, Seq: run.First, Reason: "a run holds other entries than its row says"}
	}
	return keyed, nil
}

// event checks that an entry is the envelope of its event, and returns the event's
// id, a JSON string, unless it locates itself.
func (w *Walk) event(e protocol.Entry) (id []byte, err error) {
	env, err := ReadEnvelope(e.Data)
	if err != nil {
		return nil, w.damaged("%w", err)
	}
	stream, err := Text(env.StreamID)
	switch {
	case err != nil || stream != w.ref.Name:
		return nil, w.damaged("an event says that it is of the stream %.80s", env.StreamID)
	case env.Seq != e.Seq:
		return nil, w.damaged("an event calls itself %d", env.Seq)
	case e.Epoch != 0:
		return nil, w.damaged("an event is in epoch %d", e.Epoch)
	case env.TS.Before(w.ts):
		return nil, w.damaged("its time goes back to %s", AppendTime(nil, env.TS))
	}
	w.ts = env.TS
	if LocatesItself(env.ID, e.Seq) {
		return nil, nil
	}
	return env.rawID, nil
}

// End checks that the stream, as s has it, ends where the walk has come to. The
// error is a *DamagedError.
func (w *Walk) End(s Stream) error {
	var reason string
	switch {
	case w.seq < s.Head:
		return w.damaged("its entries are missing")
	case w.seq > s.Head:
		reason = "a run goes past its head"
	case w.begun:
		reason = "its newest batch does not end"
	case w.link != s.Link:
		reason = "its newest entry has another link than the stream"
	case w.epoch != s.Epoch:
		reason = fmt.Sprintf("its newest entry is in epoch %d, the stream in %d", w.epoch, s.Epoch)
	case w.bytes != s.Bytes:
		reason = fmt.Sprintf("its entries have %d bytes, and the stream says %d", w.bytes, s.Bytes)
	default:
		return nil
	}
	return &DamagedError{Ref: w.ref, Seq: s.Head, Reason: reason}
}

// damaged returns damage to the entry that the walk comes to next.
func (w *Walk) damaged(format string, args ...any) error {
	return &DamagedError{Ref: w.ref, Seq: w.seq + 1, Reason: fmt.Errorf(format, args...).Error()}
}

// Check computes the links of the stretch. The error is a *DamagedError.
func (s Stretch) Check() error {
	chain := protocol.NewChain(0, s.before)
	for i, run := range s.runs {
		if i == 0 {
			chain.Move(run.First-1, s.before)
		}
		for rest := run.Wire; len(rest) > 0; {
			e, after, err := protocol.DecodeEntry(rest)
			if err != nil {
				return &DamagedError{Ref: s.ref, Seq: chain.Seq() + 1, Reason: err.Error()}
			}
			if chain.Next(e.Epoch, e.Data) != e.Link {
				return &DamagedError{Ref: s.ref, Seq: e.Seq, Reason: "its link does not follow from what precedes it"}
			}
			rest = after
		}
	}
	return nil
}
