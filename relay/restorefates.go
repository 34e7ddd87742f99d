package relay

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"hearth/relay/archive"
	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// Fate is what a restore does to a stream, as its readers see it.
type Fate string

// The fates. After the first three a reader goes on without noticing; the others
// are what the relay answers it from then on.
const (
	FateSame     Fate = "same"     // it ends where it did
	FateForward  Fate = "forward"  // the backup has more of it
	FateNew      Fate = "new"      // it was not there
	FateBack     Fate = "back"     // it ends earlier: cursor_ahead to who has read on
	FateDiverged Fate = "diverged" // it went on in another way: cursor_diverged
	FateReplaced Fate = "replaced" // the name is another stream's: stream_replaced
	FateGone     Fate = "gone"     // the backup does not have it: stream_not_found
)

// Noticed says whether readers notice, and have to read from the start or send
// again.
func (f Fate) Noticed() bool {
	return f == FateBack || f == FateDiverged || f == FateReplaced || f == FateGone
}

// RestoredStream is what a restore does to a stream.
type RestoredStream struct {
	console.StreamRef
	Fate   Fate
	Before uint64 // where it ended
	Head   uint64 // where it ends now; 0 if it is gone
}

// Lost says whether it takes something away that is missed. What happened on the relay
// does not count: its stream has always gone on since a backup.
func (s RestoredStream) Lost() bool { return s.Fate.Noticed() && s.Name != reflex.RelayStream }

// live is the data that is there before a restore.
type live struct {
	reader     *sqlite.Reader // nil if there is none, or it cannot be read
	streams    map[store.Ref]store.Stream
	unreadable error // why it cannot be read
}

// openLive opens the data at a path, if there is any, and lists its streams.
func openLive(ctx context.Context, path string) *live {
	l := &live{streams: make(map[store.Ref]store.Stream)}
	l.unreadable = l.open(ctx, path)
	return l
}

func (l *live) open(ctx context.Context, path string) (err error) {
	if l.reader, err = sqlite.OpenReader(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const atOnce = 1000
	for after, more := (store.Ref{}), true; err == nil && more; {
		var list []store.Stream
		list, err = l.reader.Streams(ctx, after, atOnce)
		for _, s := range list {
			after = s.Ref
			l.streams[s.Ref] = s
		}
		more = len(list) == atOnce
	}
	return err
}

func (l *live) close() error {
	if l.reader == nil {
		return nil
	}
	return l.reader.Close()
}

// comparison is of a backup that is being read with what is there.
type comparison struct {
	streams []store.Stream
	links   map[store.Ref]protocol.Link // the backup's, where streams end that are there
}

// compare takes note of a record.
func (l *live) compare(_ context.Context, c *comparison, record archive.Record) error {
	if record.Stream != nil {
		c.streams = append(c.streams, *record.Stream)
	}
	if record.Run == nil {
		return nil
	}
	now := c.streams[len(c.streams)-1].Ref
	there, ok := l.streams[now]
	if !ok || there.Head < record.Run.First || there.Head > record.Run.Last() {
		return nil
	}
	link, err := linkAt(*record.Run, there.Head)
	if c.links == nil {
		c.links = make(map[store.Ref]protocol.Link)
	}
	c.links[now] = link
	return err
}

// judged says what becomes of each stream, in the order of space and name.
func (l *live) judged(ctx context.Context, c comparison) ([]RestoredStream, error) {
	var list []RestoredStream
	kept := make(map[store.Ref]bool, len(c.streams))
	for _, s := range c.streams {
		kept[s.Ref] = true
		there := l.streams[s.Ref]
		fate, err := l.fate(ctx, c, s, there)
		if err != nil {
			return nil, err
		}
		list = append(list, RestoredStream{console.StreamRef(s.Ref), fate, there.Head, s.Head})
	}
	for ref, there := range l.streams {
		if !kept[ref] {
			list = append(list, RestoredStream{console.StreamRef(ref), FateGone, there.Head, 0})
		}
	}
	slices.SortFunc(list, func(a, b RestoredStream) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// fate says what becomes of a stream that is in the backup as s, and there as there.
func (l *live) fate(ctx context.Context, c comparison, s, there store.Stream) (Fate, error) {
	switch {
	case there.Head == 0:
		return FateNew, nil
	case there.Identity != s.Identity:
		return FateReplaced, nil
	case there.Head <= s.Head:
		if c.links[s.Ref] != there.Link {
			return FateDiverged, nil
		}
		if there.Head < s.Head {
			return FateForward, nil
		}
		return FateSame, nil
	}
	// It ends earlier. Where the link differs there already, nobody who has read as far
	// can go on.
	at, err := l.reader.Record(ctx, s.Ref, s.Head)
	_, damaged := errors.AsType[*store.DamagedError](err)
	switch {
	case damaged:
		return FateBack, nil // there is nothing to hold it against
	case err != nil:
		return "", err
	case at.Link != s.Link:
		return FateDiverged, nil
	default:
		return FateBack, nil
	}
}
