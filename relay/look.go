package relay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay/access"
	"hearth/relay/backup"
	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// reader is what a look into a store takes.
type reader interface {
	Streams(ctx context.Context, after store.Ref, limit int) ([]store.Stream, error)
	Stream(ctx context.Context, ref store.Ref) (store.Stream, error)
	Back(ctx context.Context, ref store.Ref, before uint64, limit int) ([]store.Record, error)
	Record(ctx context.Context, ref store.Ref, seq uint64) (store.Record, error)
	Find(ctx context.Context, ref store.Ref, id string) (store.Record, error)
	Epochs(ctx context.Context, ref store.Ref, limit int) ([]store.EpochStart, error)
	Page(ctx context.Context, r store.Read) (store.Page, error)
	Totals(ctx context.Context) (store.Totals, error)
	Damaged() []*store.DamagedError
	Verify(ctx context.Context, v store.Verify) (store.Verified, error)
	Runs(ctx context.Context, ref store.Ref, after, head uint64) ([]store.Run, error)
}

// look shows what lies in a store.
type look struct {
	dir     string
	store   reader
	workers int // how many hash in a check, beside the one who reads
	backups *backup.Keeper
}

// Streams implements [console.Relay].
func (l look) Streams(ctx context.Context, after console.StreamRef, limit int) ([]console.Stream, error) {
	list, err := l.store.Streams(ctx, store.Ref(after), limit)
	if err != nil {
		return nil, err
	}
	streams := make([]console.Stream, len(list))
	for i, s := range list {
		streams[i] = shownStream(s)
	}
	return streams, nil
}

// Stream implements [console.Relay].
func (l look) Stream(ctx context.Context, ref console.StreamRef) (console.Stream, error) {
	s, err := l.store.Stream(ctx, store.Ref(ref))
	if err != nil {
		return console.Stream{}, notFound(err)
	}
	return shownStream(s), nil
}

// Entries implements [console.Relay].
func (l look) Entries(ctx context.Context, ref console.StreamRef, before uint64, limit int) ([]console.Entry, error) {
	entries := []console.Entry{}
	for len(entries) < limit {
		// Large entries come a few at a time, and are let go one list after the other.
		list, err := l.store.Back(ctx, store.Ref(ref), before, limit-len(entries))
		if err != nil {
			return nil, notFound(err)
		}
		for _, r := range list {
			entries = append(entries, console.Entry{
				Position: r.Seq, Epoch: r.Epoch, Size: len(r.Data), Link: r.Link.String(),
				EndsBatch: r.EndsBatch, WrittenAt: r.WrittenAt, Writer: r.Writer,
			})
		}
		if len(list) == 0 || list[len(list)-1].Seq == 1 {
			break
		}
		before = list[len(list)-1].Seq
	}
	return entries, nil
}

// EntryData implements [console.Relay].
func (l look) EntryData(ctx context.Context, ref console.StreamRef, position uint64) ([]byte, error) {
	r, err := l.store.Record(ctx, store.Ref(ref), position)
	if err != nil {
		return nil, notFound(err)
	}
	return r.Data, nil
}

// Epochs implements [console.Relay].
func (l look) Epochs(ctx context.Context, ref console.StreamRef, limit int) ([]console.EpochStart, error) {
	list, err := l.store.Epochs(ctx, store.Ref(ref), limit)
	if err != nil {
		return nil, notFound(err)
	}
	starts := make([]console.EpochStart, len(list))
	for i, e := range list {
		starts[i] = console.EpochStart{Epoch: e.Epoch, Position: e.Seq}
	}
	return starts, nil
}

// Check implements [console.Relay]: it reads as a reader would.
func (l look) Check(ctx context.Context, ref console.StreamRef, cursor string) (console.Verdict, error) {
	after, err := protocol.ParseCursor(cursor)
	if err != nil {
		return console.Verdict{}, err
	}
	v := console.Verdict{Position: after.Seq, Identity: after.Stream.String()}
	page, err := l.store.Page(ctx, store.Read{Ref: store.Ref(ref), After: &after, Entries: 1, Bytes: 1})
	if err == nil {
		v.Answer, v.Head, v.Behind = console.AnswerEntries, page.Head, page.Head-after.Seq
		return v, nil
	}
	switch {
	case isA[*store.ReplacedError](err):
		v.Answer = console.AnswerReplaced
	case isA[*store.AheadError](err):
		v.Answer = console.AnswerAhead
	case isA[*store.DivergedError](err):
		v.Answer = console.AnswerDiverged
	default:
		return console.Verdict{}, notFound(err)
	}
	s, err := l.store.Stream(ctx, store.Ref(ref))
	v.Head = s.Head
	return v, notFound(err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// overview counts what lies in the store.
func (l look) overview(ctx context.Context) (console.Overview, error) {
	t, err := l.store.Totals(ctx)
	if err != nil {
		return console.Overview{}, err
	}
	return console.Overview{
		Streams: t.Streams, Entries: t.Entries, Bytes: t.Bytes, DiskUsed: t.Disk, DiskFree: diskFree(l.dir),
		Damaged: shownDamage(l.store.Damaged()),
	}, nil
}

func shownDamage(list []*store.DamagedError) []console.Damage {
	var shown []console.Damage
	for _, d := range list {
		shown = append(shown, console.Damage{StreamRef: console.StreamRef(d.Ref), Position: d.Seq, Reason: d.Reason})
	}
	return shown
}

func shownStream(s store.Stream) console.Stream {
	shown := console.Stream{
		StreamRef: console.StreamRef(s.Ref), Kind: console.KindEntries,
		Identity: s.Identity.String(), Head: s.Head, Epoch: s.Epoch, Link: s.Link.String(),
		Bytes: s.Bytes, CreatedAt: s.CreatedAt, WrittenAt: s.WrittenAt,
	}
	if s.Kind == store.Events {
		shown.Kind = console.KindEvents
	}
	if s.Damage != nil {
		shown.Damage = s.Damage.Error()
	}
	return shown
}

// notFound makes of the store's error the console's.
func notFound(err error) error {
	if missing, ok := errors.AsType[*store.NotFoundError](err); ok {
		return fmt.Errorf("%w: %w", console.ErrNotFound, missing)
	}
	return err
}

// Stopped shows the data of a relay that does not run.
type Stopped struct {
	look
	reader *sqlite.Reader
	lock   *flock.Flock
	id     string
}

// Look opens the data in a folder for reading only; no relay starts on it
// meanwhile. The errors are those of Open, *InUseError also when a relay runs
// there, *UnfinishedError, and fs.ErrNotExist if none has ever. Close it soon.
func Look(ctx context.Context, dir string) (_ *Stopped, err error) {
	if unfinished(dir) {
		return nil, &UnfinishedError{Dir: dir}
	}
	path, err := database(dir)
	if err != nil {
		return nil, err
	}
	lock, err := watchFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	r, err := sqlite.OpenReader(path)
	if err != nil {
		return nil, err
	}
	s := &Stopped{look: look{dir: dir, store: r, workers: runtime.GOMAXPROCS(0)}, reader: r, lock: lock}
	if s.id, err = idIn(dir); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s.backups = newKeeper(dir, r, s.id, Options{}, nil)
	return s, nil
}

// idIn returns the id of the relay in a data folder; empty if the data came here
// without it.
func idIn(dir string) (string, error) {
	key := filepath.Join(dir, identityFile)
	if _, err := os.Stat(key); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	identity, err := access.OpenIdentity(key)
	if err != nil {
		return "", err
	}
	return identity.RelayID(), nil
}

// Overview implements [console.Relay], with what can be known of a relay that
// does not run.
func (s *Stopped) Overview(ctx context.Context) (console.Overview, error) {
	o, err := s.overview(ctx)
	o.ID = s.id
	return o, err
}

// Activity implements [console.Relay]: nobody has done anything.
func (s *Stopped) Activity(context.Context) (console.Activity, error) {
	return new(activity).recent(time.Now()), nil
}

// Refusals implements [console.Relay]: nobody has been refused.
func (s *Stopped) Refusals(context.Context) ([]console.Refusal, error) { return nil, nil }

// Changes implements [console.Relay]: nothing ever changes.
func (s *Stopped) Changes() (changed <-chan struct{}, stop func()) {
	return make(chan struct{}), func() {}
}

// Close closes the data.
func (s *Stopped) Close() error { return errors.Join(s.reader.Close(), s.lock.Close()) }

var _ console.Relay = (*Stopped)(nil)
