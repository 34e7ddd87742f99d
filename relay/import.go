package relay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hearth/relay/archive"
	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// Import implements [console.Archives].
func (v view) Import(ctx context.Context, from io.Reader) (_ []console.Imported, err error) {
	r := v.relay
	if !r.importing.TryLock() {
		return nil, console.ErrImporting
	}
	defer r.importing.Unlock()
	spool, err := newSpool(r.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	i := importing{store: r.store}
	if err := i.prove(ctx, io.TeeReader(from, spool)); err != nil {
		return nil, damagedArchive(err)
	}
	if err := spool.rewind(); err != nil {
		return nil, err
	}
	if err := i.apply(ctx, spool); err != nil {
		return nil, i.brokenOff(err)
	}
	for _, s := range i.streams {
		r.options.Logger.Info("imported", "space", s.Space, "stream", s.Name, "before", s.before, "head", max(s.before, s.Head))
	}
	return i.imported(), nil
}

// importing is an archive that is being imported.
type importing struct {
	store   *sqlite.Store
	streams []arriving
	done    int // how many of them are there
}

// arriving is a stream of an archive, beside what the relay holds under its name.
type arriving struct {
	store.Stream        // as it is in the archive
	before       uint64 // the head here; 0 if there is no such stream
	link         protocol.Link
	differs      error // why it cannot be imported
}

// prove reads an archive to its end, and compares its streams with those that are
// here.
func (i *importing) prove(ctx context.Context, from io.Reader) error {
	r, err := archive.NewReader(from)
	if err != nil {
		return err
	}
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			for _, s := range i.streams {
				if s.differs != nil {
					return s.differs
				}
			}
			return nil
		case err != nil:
			return err
		case record.Stream != nil:
			s, err := i.compare(ctx, *record.Stream)
			if err != nil {
				return err
			}
			i.streams = append(i.streams, s)
		case record.Run != nil:
			i.streams[len(i.streams)-1].meet(*record.Run)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// compare looks what the relay holds under a stream's name.
func (i *importing) compare(ctx context.Context, archived store.Stream) (arriving, error) {
	s := arriving{Stream: archived}
	here, err := i.store.Stream(ctx, archived.Ref)
	if _, missing := errors.AsType[*store.NotFoundError](err); missing {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.before, s.link = here.Head, here.Link
	switch {
	case here.Damage != nil:
		s.differs = here.Damage
	case here.Identity != archived.Identity:
		s.differs = conflict(archived.Ref, "this relay holds another one of that name, with the identity %s; that in the archive has %s",
			here.Identity, archived.Identity)
	case here.Kind != archived.Kind:
		s.differs = conflict(archived.Ref, "this relay holds one of that name and of another kind")
	case here.Head > archived.Head:
		e, err := i.store.Record(ctx, archived.Ref, archived.Head)
		if err != nil {
			return s, err
		}
		if e.Link != archived.Link {
			s.differs = diverged(archived.Ref, archived.Head)
		}
	}
	return s, nil
}

// meet compares a run of the archive with the head that the stream has here.
func (s *arriving) meet(r store.Run) {
	if s.differs != nil || s.before < r.First || s.before > r.Last() {
		return
	}
	for e, err := range (store.Page{Wire: [][]byte{r.Wire}}).All() {
		if err == nil && e.Seq == s.before && (e.Link != s.link || !e.EndsBatch) {
			s.differs = diverged(s.Ref, s.before)
		}
	}
}

// apply takes in what was proven, stream by stream.
func (i *importing) apply(ctx context.Context, from io.Reader) error {
	r, err := archive.NewReader(from)
	if err != nil {
		return err
	}
	u := unpacking{reader: r}
	for u.next(); u.err == nil; {
		if u.record.Stream == nil { // what a backup has beside its streams
			u.next()
			continue
		}
		if err := i.take(ctx, &u, i.streams[i.done]); err != nil {
			return err
		}
		i.done++
	}
	if !errors.Is(u.err, io.EOF) {
		return u.err
	}
	return nil
}

// take takes in what is missing of a stream.
func (i *importing) take(ctx context.Context, u *unpacking, s arriving) error {
	runs := u.runs(s.before)
	if s.before >= s.Head {
		for _, err := range runs { // passes them by
			if err != nil {
				return err
			}
		}
		return nil
	}
	restore := store.Restore{Stream: s.Stream, Runs: runs}
	if s.before > 0 {
		restore.After = &protocol.Cursor{Stream: s.Identity, Seq: s.before, Link: s.link}
	}
	return i.store.Restore(ctx, restore)
}

func (i *importing) imported() []console.Imported {
	list := make([]console.Imported, len(i.streams))
	for n, s := range i.streams {
		list[n] = console.Imported{StreamRef: console.StreamRef(s.Ref), Archived: s.Head, Before: s.before, Head: max(s.before, s.Head)}
	}
	return list
}

// brokenOff says how far an import has come that failed on its way.
func (i *importing) brokenOff(err error) error {
	return fmt.Errorf("%d of %d streams were imported, the others are as they were: %w; import the archive again to go on",
		i.done, len(i.streams), err)
}

// unpacking goes along an archive that was proven.
type unpacking struct {
	reader *archive.Reader
	record archive.Record
	err    error
}

func (u *unpacking) next() { u.record, u.err = u.reader.Next() }

// runs yields what follows a position of the stream that has begun, and leaves
// the record behind it to be looked at.
func (u *unpacking) runs(after uint64) func(yield func(store.Walked, error) bool) {
	return func(yield func(store.Walked, error) bool) {
		for u.next(); u.err == nil && u.record.Run != nil; u.next() {
			w := store.Walked{Run: *u.record.Run, Keyed: u.record.Keyed}
			if w.Last() > after && !yield(behind(w, after), nil) {
				return
			}
		}
		if u.err != nil && !errors.Is(u.err, io.EOF) {
			yield(store.Walked{}, u.err)
		}
	}
}

// behind returns what of a run follows a position.
func behind(w store.Walked, after uint64) store.Walked {
	if w.First > after {
		return w
	}
	rest := store.Walked{Run: store.Run{First: after + 1, WrittenAt: w.WrittenAt, Writer: w.Writer}}
	for e, err := range (store.Page{Wire: [][]byte{w.Wire}}).All() {
		if err == nil && e.Seq > after {
			rest.Count, rest.Bytes, rest.Wire = rest.Count+1, rest.Bytes+len(e.Data), e.Append(rest.Wire)
		}
	}
	for _, b := range w.Keyed {
		if b.First > after {
			rest.Keyed = append(rest.Keyed, b)
		}
	}
	return rest
}

// conflict says why a stream of an archive cannot be imported.
func conflict(ref store.Ref, format string, args ...any) error {
	return &console.ImportError{
		Reason: fmt.Sprintf("the stream %q is not imported: ", ref.Name) + fmt.Sprintf(format, args...),
		Todo:   "nothing was changed; import it where there is none of that name: --data names another data folder",
	}
}

// diverged says that a stream has two histories.
func diverged(ref store.Ref, seq uint64) error {
	return conflict(ref, "what this relay holds of it and what the archive does are two histories: they differ at position %d or before", seq)
}

// damagedArchive puts damage to an archive into the console's words.
func damagedArchive(err error) error {
	damaged, ok := errors.AsType[*archive.DamagedError](err)
	if !ok {
		return err
	}
	return &console.ImportError{
		Reason: damaged.Error(), Err: damaged,
		Todo: "nothing was changed; export the stream once more, or copy the file again",
	}
}
