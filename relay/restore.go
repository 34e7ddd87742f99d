package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay/archive"
	"hearth/relay/backup"
	"hearth/relay/durable"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// Restore is a backup that is to become the data of a relay.
type Restore struct {
	File string

	// Identities is a file of age's with the secret key that opens an encrypted
	// backup.
	Identities []byte

	// Force replaces data that holds what the backup does not. It is moved aside.
	Force bool

	// Progress hears how far it has come, of a total. May be nil.
	Progress func(done, total uint64)
}

// Restored is what a restore did.
type Restored struct {
	Made    time.Time // the backup
	Streams []RestoredStream
	Lacking []string // the streams that the backup did not have, being damaged

	// Aside is the folder to which the data before was moved; empty if there was none.
	Aside string

	ID    string // the relay's from now on; empty if it gets a new one with its next start
	OldID string // the one before, if there was one
}

// Run restores a backup into a data folder, which it makes if there is none. The
// backup is proven first, and nothing changes before all of it lies ready: whenever
// the machine stops there is the old data or the new. The errors:
// [*archive.DamagedError], [*backup.LockedError], *NewerError, *InUseError,
// *FolderError, those of the system, the context's.
func (o Restore) Run(ctx context.Context, dir string) (done Restored, err error) {
	var lock *flock.Flock
	if _, err := os.Stat(dir); err == nil { // else there is nothing yet that may be in use
		if lock, err = openFolder(ctx, dir); err != nil {
			return Restored{}, err
		}
	}
	defer func() {
		if lock != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	if lock != nil {
		if _, err := finishRestore(dir); err != nil {
			return Restored{}, err
		}
	}
	r, err := o.begin(ctx, dir)
	if err != nil {
		return Restored{}, err
	}
	if err := r.prove(ctx); err != nil {
		return Restored{}, errors.Join(err, r.live.close())
	}
	if err := errors.Join(r.allowed(), r.live.close()); err != nil {
		return Restored{}, err
	}
	if lock == nil {
		if lock, err = openFolder(ctx, dir); err != nil {
			return Restored{}, err
		}
	}
	if err := r.stage(ctx); err != nil {
		return Restored{}, errors.Join(err, os.RemoveAll(r.staged()))
	}
	return r.replace()
}

// restoring is a restore under way.
type restoring struct {
	Restore
	dir      string
	name     string // of this restore: the time at which it began, and a number if need be
	live     *live
	contents backup.Contents
	streams  []RestoredStream
	size     uint64 // of the file, the measure of each of the three walks through it
	passed   uint64 // walks that are over
}

// begin looks at what is there.
func (o Restore) begin(ctx context.Context, dir string) (*restoring, error) {
	info, err := os.Stat(o.File)
	if err != nil {
		return nil, err
	}
	return &restoring{
		Restore: o, dir: dir, name: freshName(dir, time.Now()), size: uint64(info.Size()),
		live: openLive(ctx, filepath.Join(dir, databaseFile)),
	}, nil
}

// far tells how far a walk has come.
func (r *restoring) far(bytes uint64) {
	if r.Progress != nil {
		r.Progress(r.passed*r.size+min(bytes, r.size), 3*r.size)
	}
}

// prove reads all of the backup and compares it with what is there.
func (r *restoring) prove(ctx context.Context) error {
	in, err := backup.Open(r.File, r.Identities)
	if err != nil {
		return err
	}
	defer in.Close()
	var c comparison
	var bytes uint64
	r.contents, err = in.Prove(ctx, func(record archive.Record) error {
		if record.Run != nil {
			bytes += uint64(record.Run.Bytes)
			r.far(bytes)
		}
		return r.live.compare(ctx, &c, record)
	})
	if err != nil {
		return err
	}
	r.streams, err = r.live.judged(ctx, c)
	r.passed++
	return err
}

// allowed says whether what is there may be replaced.
func (r *restoring) allowed() error {
	if r.Force {
		return nil
	}
	if r.live.unreadable != nil {
		return &NewerError{Dir: r.dir, Unreadable: r.live.unreadable}
	}
	for _, s := range r.streams {
		if s.Lost() {
			return &NewerError{Dir: r.dir, Streams: r.streams}
		}
	}
	return nil
}

// stage makes the new data in a folder beside the old.
func (r *restoring) stage(ctx context.Context) error {
	if err := removeStaged(r.dir); err != nil {
		return err
	}
	if err := durable.MakeFolder(r.staged()); err != nil {
		return err
	}
	path := filepath.Join(r.staged(), databaseFile)
	if err := r.load(ctx, path); err != nil {
		return err
	}
	r.passed++
	made, err := sqlite.OpenReader(path)
	if err != nil {
		return err
	}
	v, err := made.Verify(ctx, store.Verify{Workers: runtime.GOMAXPROCS(0), Progress: func(done, total uint64) {
		r.far(uint64(float64(r.size) * float64(done) / float64(max(total, 1))))
	}})
	if err := errors.Join(err, made.Close()); err != nil {
		return err
	}
	if !v.Sound() || v.Streams != len(r.contents.Streams) || v.Entries != r.contents.Entries() {
		return fmt.Errorf("what was restored to %s is not what the backup holds: check that disk", path)
	}
	return r.stageFiles()
}

// load fills the new database.
func (r *restoring) load(ctx context.Context, path string) (err error) {
	in, err := backup.Open(r.File, r.Identities) // once more, and proven once more
	if err != nil {
		return err
	}
	defer in.Close()
	to, err := sqlite.Load(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	var last *store.Stream
	end := func() error {
		if last == nil {
			return nil
		}
		return to.End(*last)
	}
	var bytes uint64
	for {
		record, err := in.Next()
		if errors.Is(err, io.EOF) {
			return end()
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		switch {
		case record.Type != nil:
			err = to.Type(*record.Type)
		case record.Command != nil:
			err = to.Command(*record.Command)
		case record.Carried != nil:
			if err := end(); err != nil {
				return err
			}
			last = nil
			err = to.Carried(*record.Carried)
		case record.Stream != nil:
			if err := end(); err != nil {
				return err
			}
			last = record.Stream
			err = to.Stream(*last)
		case record.Run != nil:
			err = to.Run(*record.Run, record.Keyed)
			bytes += uint64(record.Run.Bytes)
			r.far(bytes)
		}
		if err != nil {
			return err
		}
	}
}

// stageFiles puts the small files beside the new database: the relay's key, and the
// settings where there are none, since those belong to the machine.
func (r *restoring) stageFiles() error {
	for _, f := range r.contents.Files {
		switch f.Name {
		case identityFile:
			if id, err := idIn(r.dir); err == nil && id == r.contents.Relay {
				continue // it is there
			}
		case settingsFile:
			if _, err := os.Lstat(filepath.Join(r.dir, settingsFile)); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
		default:
			continue // a newer Hearth's; nothing else may end up in the folder
		}
		if err := durable.WriteFile(filepath.Join(r.staged(), f.Name), f.Data); err != nil {
			return err
		}
	}
	id, err := idIn(r.staged())
	if err == nil && id != "" && id != r.contents.Relay {
		err = &archive.DamagedError{Reason: "the relay's key in it is another relay's"}
	}
	return errors.Join(err, durable.SyncFolder(r.staged()))
}

// replace puts the new data into the place of the old.
func (r *restoring) replace() (Restored, error) {
	done := Restored{Made: r.contents.Made, Streams: r.streams, Lacking: r.contents.Lacking}
	var err error
	if done.OldID, err = idIn(r.dir); err != nil {
		done.OldID = "" // the old key may be what is damaged
	}
	if err := os.Rename(r.staged(), filepath.Join(r.dir, readyPrefix+r.name)); err != nil {
		return Restored{}, err
	}
	if done.Aside, err = finishRestore(r.dir); err != nil {
		return Restored{}, err
	}
	done.ID, err = idIn(r.dir)
	return done, err
}

// linkAt returns the link at a position of a run.
func linkAt(run store.Run, seq uint64) (protocol.Link, error) {
	for e, err := range (store.Page{Wire: [][]byte{run.Wire}}).All() {
		if err != nil || e.Seq == seq {
			return e.Link, err
		}
	}
	return protocol.Link{}, fmt.Errorf("a run has no entry %d", seq)
}
