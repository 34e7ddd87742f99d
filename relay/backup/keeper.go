package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Keeper makes backups as it is planned, one at a time, and tells how they are.
type Keeper struct {
	// Ended hears what came of each backup, unless it was broken off. It is set before
	// the first one, and may be nil.
	Ended func(made Kept, err error)

	maker   Maker
	log     *slog.Logger
	changed func()        // hears when there is something new to tell; may be nil
	replan  chan struct{} // a pulse when the plan has changed, or a backup was made

	mu      sync.Mutex
	plan    Plan
	running bool
	done    uint64
	total   uint64
	told    time.Time // when changed last heard of the progress
	failed  error     // why the last attempt failed
	again   time.Time // not before then is one made by itself
	next    time.Time
	kept    []Kept // in the plan's folder as far as is known, the oldest first
}

// State is how backups are.
type State struct {
	Plan
	Next        time.Time // when the next one begins; zero if none does by itself
	Failed      error     // why the last attempt failed
	Running     bool
	Done, Total uint64 // bytes, while one is being made
	Kept        []Kept // the newest first
}

// NewKeeper returns a keeper with a plan that was checked. Its folder is not looked
// into before Look or Run is called.
func NewKeeper(m Maker, p Plan, log *slog.Logger, changed func()) *Keeper {
	if changed == nil {
		changed = func() {}
	}
	return &Keeper{maker: m, plan: p, log: log, changed: changed, replan: make(chan struct{}, 1)}
}

// State says how backups are, from memory: a share that hangs holds nobody up.
func (k *Keeper) State() State {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := State{
		Plan: k.plan, Next: k.next, Failed: k.failed, Running: k.running, Done: k.done, Total: k.total,
		Kept: slices.Clone(k.kept),
	}
	slices.Reverse(s.Kept)
	return s
}

// Change checks another plan and puts it into effect. If its folder was chosen with
// it, or is another one than before, it is made one for backups by that. The errors are
// sentences, and leave all as it was.
func (k *Keeper) Change(p Plan, chosen bool) error {
	if err := p.Check(); err != nil {
		return err
	}
	k.mu.Lock()
	other := p.Folder != k.plan.Folder
	k.mu.Unlock()
	if (other || chosen) && !p.Own {
		if err := k.choose(p); err != nil {
			return err
		}
	}
	k.mu.Lock()
	k.plan = p
	if other {
		k.kept, k.failed = nil, nil
	}
	k.again = time.Now().Add(askTime)
	k.mu.Unlock()
	k.pulse()
	return nil
}

// choose makes the folder of a plan one for backups. One that does not answer is
// given up.
func (k *Keeper) choose(p Plan) error {
	chosen := make(chan error, 1)
	go func() { chosen <- k.folder(p.Folder).choose(p.Own) }()
	select {
	case err := <-chosen:
		return err
	case <-time.After(chooseTime):
		return fmt.Errorf("the folder %s does not answer: look whether its share is there", p.Folder)
	}
}

// Assume has a plan in effect that was settled before, whether its folder is there
// or not.
func (k *Keeper) Assume(p Plan) error {
	if err := p.Check(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.plan = p
	return nil
}

func (k *Keeper) folder(path string) folder { return folder{path: path, relay: k.maker.Relay} }

// pulse has the plan looked at anew.
func (k *Keeper) pulse() {
	select {
	case k.replan <- struct{}{}:
	default:
	}
	k.changed()
}

// Look looks into the folder of the plan.
func (k *Keeper) Look() { k.look(false) }

// look looks into the folder of the plan, and tells if that cannot be done, if it is to.
// It says whether the folder is not there.
func (k *Keeper) look(tell bool) (away bool) {
	k.mu.Lock()
	p := k.plan
	k.mu.Unlock()
	m, err := k.folder(p.Folder).read()
	if _, away = errors.AsType[*MissingError](err); away && p.Own {
		away, err = false, nil // it is made for the first one
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plan.Folder != p.Folder {
		return away
	}
	if err == nil {
		k.kept = m.Backups // else what was known of it still holds
	}
	_, was := errors.AsType[*MissingError](k.failed)
	switch {
	case err != nil && k.failed == nil && tell:
		k.failed = err
		k.log.Warn("there can be no backups", "folder", p.Folder, "error", err)
	case err == nil && was:
		k.failed, k.again = nil, time.Time{} // it is back
	}
	return away
}

// BackUp makes a backup now, in a folder, which is made one for backups by that, or in
// that of the plan if it is that one or none is named; older ones are pruned there. The
// errors: ErrRunning, *MissingError, *NoFolderError, *AccessError, *OthersError,
// *RoomError, *UnreadableError, those of the system, the context's.
func (k *Keeper) BackUp(ctx context.Context, path string, progress Progress) (Kept, error) {
	k.mu.Lock()
	if k.running {
		k.mu.Unlock()
		return Kept{}, ErrRunning
	}
	k.running, k.done, k.total = true, 0, 0
	p := k.plan
	k.mu.Unlock()
	k.changed()
	chosen := path != "" && path != p.Folder
	if chosen {
		p.Folder, p.Own = path, false
	}
	made, err := k.make(ctx, p, chosen, func(done, total uint64) {
		k.far(done, total)
		if progress != nil {
			progress(done, total)
		}
	})
	k.end(ctx, p, chosen, made, err)
	return made, err
}

// make makes a backup.
func (k *Keeper) make(ctx context.Context, p Plan, choose bool, progress Progress) (Kept, error) {
	f := k.folder(p.Folder)
	if choose || p.Own {
		if err := f.choose(p.Own); err != nil {
			return Kept{}, err
		}
	}
	began := time.Now()
	made, err := k.maker.into(ctx, f, p, progress)
	if err != nil {
		return Kept{}, f.access(err)
	}
	k.log.Info("backed up", "folder", p.Folder, "file", made.Name, "streams", made.Streams, "entries", made.Entries,
		"bytes", made.Bytes, "encrypted", made.Encrypted, "took", time.Since(began))
	return made, nil
}

// progressEvery is how often others hear of the progress.
const progressEvery = time.Second

// far notes how far a backup has come.
func (k *Keeper) far(done, total uint64) {
	k.mu.Lock()
	k.done, k.total = done, total
	tell := time.Since(k.told) >= progressEvery
	if tell {
		k.told = time.Now()
	}
	k.mu.Unlock()
	if tell {
		k.changed()
	}
}

// end notes what came of a backup, prunes, and looks into the folder again.
func (k *Keeper) end(ctx context.Context, p Plan, chosen bool, made Kept, err error) {
	f := k.folder(p.Folder)
	k.mu.Lock()
	list := append(slices.Clone(k.kept), made) // unless the folder says otherwise
	k.mu.Unlock()
	if !chosen && err == nil {
		// Older ones may hold what this one lacks.
		if len(made.Lacking) == 0 {
			if err := f.prune(p.Keep); err != nil {
				k.log.Warn("older backups could not be removed", "folder", p.Folder, "error", err)
			}
		}
		if m, err := f.read(); err == nil {
			list = m.Backups
		}
	}
	if err != nil && ctx.Err() == nil {
		k.log.Error("no backup could be made", "folder", p.Folder, "error", err)
	}
	if k.Ended != nil && (err == nil || ctx.Err() == nil) {
		k.Ended(made, err)
	}
	k.mu.Lock()
	k.running = false
	if !chosen && k.plan.Folder == p.Folder {
		switch {
		case err == nil:
			k.kept, k.failed, k.again = list, nil, time.Time{}
		case ctx.Err() == nil:
			k.failed, k.again = err, time.Now().Add(retryPause)
		}
	}
	k.mu.Unlock()
	k.pulse()
}
