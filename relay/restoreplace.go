package relay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hearth/relay/durable"
)

// The folders of a restore, in the data folder: where the new data is made, where it
// lies once it is whole, which is from when on it counts, and to where the old data
// is moved. A time follows.
const (
	stagedPrefix = "restore-new-"
	readyPrefix  = "restore-ready-"
	asidePrefix  = "before-restore-"
)

// freshName returns the name of a restore that begins now: one that none has had,
// lest what one put aside is overwritten by the next.
func freshName(dir string, now time.Time) string {
	begun := now.UTC().Format("20060102T150405Z")
	for name, n := begun, 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(dir, asidePrefix+name)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", begun, n)
	}
}

// staged returns where the new data is made.
func (r *restoring) staged() string { return filepath.Join(r.dir, stagedPrefix+r.name) }

// startingWith lists what begins so in a folder.
func startingWith(dir, prefix string) (paths []string, err error) {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), prefix) && e.IsDir() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// unfinished says whether a restore into a data folder was cut off when all of it lay
// ready.
func unfinished(dir string) bool {
	ready, err := startingWith(dir, readyPrefix)
	return err == nil && len(ready) > 0
}

// removeStaged removes what restores have left that were cut off before their data
// was whole.
func removeStaged(dir string) error {
	left, err := startingWith(dir, stagedPrefix)
	for _, path := range left {
		err = cmp.Or(err, os.RemoveAll(path))
	}
	return err
}

// finishRestore puts data that lies ready into its place, and what is there aside;
// it returns to where. It may be cut off at any moment, and is finished the next time.
// The folder is locked.
func finishRestore(dir string) (aside string, err error) {
	if err := removeStaged(dir); err != nil {
		return "", err
	}
	list, err := startingWith(dir, readyPrefix)
	for _, ready := range list {
		place := filepath.Join(dir, asidePrefix+strings.TrimPrefix(filepath.Base(ready), readyPrefix))
		if err := errors.Join(durable.SyncFolder(ready), durable.SyncFolder(dir)); err != nil {
			return "", err
		}
		// The database comes last: with it the rest is there.
		for _, name := range []string{identityFile, settingsFile, databaseFile} {
			if err := exchange(ready, dir, place, name); err != nil {
				return "", err
			}
		}
		if err := errors.Join(os.RemoveAll(ready), durable.SyncFolder(dir)); err != nil {
			return "", err
		}
		if _, err := os.Stat(place); err == nil {
			aside = place
		}
	}
	return aside, err
}

// exchange moves a file out of ready into a folder, and what is there under its name
// aside. As long as it is in ready what is there is the old one.
func exchange(ready, dir, aside, name string) error {
	fresh := filepath.Join(ready, name)
	if _, err := os.Lstat(fresh); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	old := []string{name}
	if name == databaseFile {
		// What a relay that was killed wrote last is in the log.
		old = append(old, name+"-wal", name+"-shm")
	}
	for _, name := range old {
		from := filepath.Join(dir, name)
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := durable.MakeFolder(aside); err != nil {
			return err
		}
		if err := os.Rename(from, filepath.Join(aside, name)); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(aside); err == nil {
		if err := durable.SyncFolder(aside); err != nil {
			return err
		}
	}
	if err := errors.Join(durable.SyncFolder(dir), os.Rename(fresh, filepath.Join(dir, name))); err != nil {
		return err
	}
	return durable.SyncFolder(dir)
}
