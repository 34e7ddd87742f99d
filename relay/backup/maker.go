package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"filippo.io/age"

	"hearth/relay/archive"
	"hearth/relay/store"
)

const (
	// streamsAtOnce is how many streams are listed in one snapshot.
	streamsAtOnce = 256

	// commandsAtOnce is how many commands are, each of some 150 bytes.
	commandsAtOnce = 1000

	// wireHead is about how many bytes an entry takes beside its own.
	wireHead = 48

	// maxLacking is how many of the streams that a backup lacks are listed: who has
	// more damage than this looks at the relay.
	maxLacking = 100
)

// Source is what a backup is made of: the store, or one who reads it.
type Source interface {
	Streams(ctx context.Context, after store.Ref, limit int) ([]store.Stream, error)
	Runs(ctx context.Context, ref store.Ref, after, head uint64) ([]store.Run, error)
	Types(ctx context.Context, space string) ([]store.Type, error)
	Commands(ctx context.Context, after uint64, limit int) ([]store.Remembered, error)
	Carry(ctx context.Context, ref store.Ref) (store.Stream, []store.Carried, error)
	Rules(ctx context.Context, space string) ([]store.Rule, uint64, error)
	RuleHistory(ctx context.Context, space, rule string, before uint64, limit int) ([]store.Rule, error)
	Schedules(ctx context.Context, space string) ([]store.Schedule, error)
	Totals(ctx context.Context) (store.Totals, error)
	Damaged() []*store.DamagedError
	Verify(ctx context.Context, v store.Verify) (store.Verified, error)
}

// Maker makes backups of a relay.
type Maker struct {
	Source  Source
	Relay   string // its id
	Version string // the program's

	// Files returns the small files that belong to the relay. Those in a backup that
	// is not encrypted can be read by whoever comes by it. May be nil.
	Files func(encrypted bool) ([]archive.File, error)

	// Free returns how many bytes are free where a folder lies, and 0 if that is not
	// known. May be nil.
	Free func(folder string) uint64

	// Rest is how many times as long as it works making one rests, every few
	// milliseconds, so that others hardly feel it.
	Rest int
}

// Progress hears how many bytes are done, of how many. It may be nil.
type Progress func(done, total uint64)

// part is a backup that is being made.
type part struct {
	Maker
	pace     pace
	made     time.Time
	to       []age.Recipient
	progress Progress
	done     uint64 // bytes of entries, written and read back
	total    uint64

	streams int
	entries uint64
	lacking []Lacking
}

// into makes a backup in a folder, where it counts once this returns.
func (m Maker) into(ctx context.Context, f folder, p Plan, progress Progress) (Kept, error) {
	if _, err := f.read(); err != nil {
		return Kept{}, err
	}
	if err := f.sweep(); err != nil {
		return Kept{}, err
	}
	to, err := p.recipients()
	if err != nil {
		return Kept{}, err
	}
	for {
		k, err := m.attempt(ctx, f, to, progress)
		if err == nil || ctx.Err() != nil || !m.foundDamage(ctx, err) {
			return k, err
		}
		// A stream was found damaged on the way: once more, without it.
	}
}

// foundDamage says whether an attempt failed since a stream is damaged that nobody
// knew of. It answers nothing more from then on, and is left out.
func (m Maker) foundDamage(ctx context.Context, err error) bool {
	damaged, ok := errors.AsType[*store.DamagedError](err)
	if !ok {
		return false
	}
	if _, readBack := errors.AsType[*UnreadableError](err); !readBack {
		return true // it was the store that said so
	}
	v, err := m.Source.Verify(ctx, store.Verify{Only: damaged.Ref, Rest: m.Rest})
	return err == nil && !v.Sound()
}

// attempt makes a backup of the streams that are not known to be damaged.
func (m Maker) attempt(ctx context.Context, f folder, to []age.Recipient, progress Progress) (k Kept, err error) {
	totals, err := m.Source.Totals(ctx)
	if err != nil {
		return Kept{}, err
	}
	if m.Free != nil {
		if need, free := totals.Bytes+wireHead*totals.Entries, m.Free(f.path); free > 0 && free < need {
			return Kept{}, &RoomError{Folder: f.path, Need: need, Free: free}
		}
	}
	a := &part{
		Maker: m, pace: newPace(m.Rest), made: time.Now().UTC().Truncate(time.Second), to: to,
		progress: progress, total: 2 * totals.Bytes,
	}
	file, err := os.CreateTemp(f.path, partPattern) // with mode 0600
	if err != nil {
		return Kept{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	identity, err := a.write(ctx, &synced{File: file})
	if err := errors.Join(err, file.Close()); err != nil {
		return Kept{}, err
	}
	info, err := os.Stat(file.Name())
	if err != nil {
		return Kept{}, err
	}
	if err := a.readBack(ctx, file.Name(), identity); err != nil {
		if ctx.Err() == nil {
			err = &UnreadableError{Folder: f.path, Err: err}
		}
		return Kept{}, err
	}
	k = Kept{
		Made: a.made, Bytes: info.Size(), Streams: a.streams, Entries: a.entries, Encrypted: len(to) > 0, Lacking: a.lacking,
	}
	err = f.take(file.Name(), &k)
	return k, err
}

// write writes the backup. If it is encrypted then also to a key that is forgotten
// with the backup: the relay does not hold the owner's, and is to read it back.
func (a *part) write(ctx context.Context, out *synced) (identity age.Identity, err error) {
	if len(a.to) == 0 {
		return nil, errors.Join(a.archive(ctx, out), out.end())
	}
	once, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("drawing a key: %w", err)
	}
	locked, err := age.Encrypt(out, append(slices.Clip(a.to), once.Recipient())...)
	if err != nil {
		return nil, err
	}
	if err := a.archive(ctx, locked); err != nil {
		return nil, err
	}
	return once, errors.Join(locked.Close(), out.end())
}

// archive writes what is backed up.
func (a *part) archive(ctx context.Context, out io.Writer) error {
	manifest := archive.Manifest{Made: a.made, Relay: a.Relay, Version: a.Version}
	lacking := make(map[store.Ref]bool)
	for _, d := range a.Source.Damaged() {
		lacking[d.Ref] = true
		manifest.Lacking = append(manifest.Lacking, d.Name)
		if len(a.lacking) < maxLacking {
			a.lacking = append(a.lacking, Lacking{d.Space, d.Name})
		}
	}
	w, err := archive.NewWriter(out, manifest)
	if err != nil {
		return err
	}
	if a.Files != nil {
		files, err := a.Files(len(a.to) > 0)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := w.File(f); err != nil {
				return err
			}
		}
	}
	if err := a.beside(ctx, w); err != nil {
		return err
	}
	for after := (store.Ref{}); ; {
		streams, err := a.Source.Streams(ctx, after, streamsAtOnce)
		if err != nil {
			return err
		}
		for _, s := range streams {
			after = s.Ref
			if lacking[s.Ref] {
				continue
			}
			if s.Damage != nil {
				return s.Damage // found since this began
			}
			if err := a.stream(ctx, w, s.Ref); err != nil {
				return err
			}
		}
		if len(streams) == streamsAtOnce {
			continue
		}
		if err := a.spaces(ctx, w); err != nil {
			return err
		}
		return w.Close()
	}
}

// beside writes what belongs to the relay beside its streams: types, and the
// commands that are remembered. Those come first: one that is not in the backup
// while its event is may run twice, but nobody is told of an event that is not there.
func (a *part) beside(ctx context.Context, w *archive.Writer) error {
	types, err := a.Source.Types(ctx, "")
	if err != nil {
		return err
	}
	for _, t := range types {
		if err := w.Type(t); err != nil {
			return err
		}
	}
	for after := uint64(0); ; {
		commands, err := a.Source.Commands(ctx, after, commandsAtOnce)
		if err != nil {
			return err
		}
		for _, c := range commands {
			after = c.Seq
			if err := w.Command(c); err != nil {
				return err
			}
		}
		if len(commands) < commandsAtOnce {
			return nil
		}
		if err := a.pace.rest(ctx); err != nil {
			return err
		}
	}
}

// spaces writes the rules and schedules of all spaces. They come last, so that all
// rules are there of which a stream has something.
func (a *part) spaces(ctx context.Context, w *archive.Writer) error {
	rules, _, err := a.Source.Rules(ctx, "")
	if err != nil {
		return err
	}
	for _, rule := range rules {
		versions, err := a.Source.RuleHistory(ctx, rule.Space, rule.Name, rule.Version+1, int(rule.Version))
		if err != nil {
			return err
		}
		for _, v := range slices.Backward(versions) {
			if err := w.Carried(store.Carried{Rule: &v}); err != nil {
				return err
			}
		}
		if err := a.pace.rest(ctx); err != nil {
			return err
		}
	}
	schedules, err := a.Source.Schedules(ctx, "")
	if err != nil {
		return err
	}
	for _, s := range schedules {
		if err := w.Carried(store.Carried{Schedule: &s}); err != nil {
			return err
		}
	}
	return nil
}

// stream writes a stream as it is now, and what rules have left in it at that moment;
// what is written to it meanwhile is not in this backup.
func (a *part) stream(ctx context.Context, w *archive.Writer, ref store.Ref) error {
	s, carried, err := a.Source.Carry(ctx, ref)
	if err != nil {
		return err
	}
	if err := w.Stream(s); err != nil {
		return err
	}
	for after := uint64(0); after < s.Head; {
		runs, err := a.Source.Runs(ctx, s.Ref, after, s.Head)
		if err != nil {
			return err
		}
		for _, r := range runs {
			if err := w.Run(r); err != nil {
				return err
			}
			after = r.Last()
			if err := a.step(ctx, r); err != nil {
				return err
			}
		}
	}
	for _, c := range carried {
		if err := w.Carried(c); err != nil {
			return err
		}
	}
	a.streams++
	a.entries += s.Head
	return a.pace.rest(ctx)
}

// step tells of a run that is done, and rests.
func (a *part) step(ctx context.Context, r store.Run) error {
	a.done += uint64(r.Bytes)
	if a.progress != nil {
		a.progress(min(a.done, a.total), a.total)
	}
	return a.pace.rest(ctx)
}

// readBack proves the backup from what lies on the disk.
func (a *part) readBack(ctx context.Context, path string, identity age.Identity) error {
	r, err := open(path, identity)
	if err != nil {
		return err
	}
	defer r.Close()
	forget(r.file) // lest it comes from memory
	c, err := r.Prove(ctx, func(record archive.Record) error {
		if record.Run == nil {
			return nil
		}
		return a.step(ctx, *record.Run)
	})
	if err == nil && (len(c.Streams) != a.streams || c.Entries() != a.entries) {
		err = fmt.Errorf("it holds %d entries, and %d were written", c.Entries(), a.entries)
	}
	return err
}
