package backup

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hearth/relay/durable"
)

const (
	// markerName is the file that makes a folder one for backups. Where a share is
	// not mounted, its empty mount point lacks it.
	markerName = "hearth-backups.json"

	// maxMarker bounds what is read of it, in bytes. A thousand backups take some
	// 200 kB; anything much larger is another file under its name.
	maxMarker = 8 << 20

	// partPattern is what files are called while they are being written.
	partPattern = ".hearth-backup-*.part"

	// markerPattern is what the marker is called until then, as durable.WriteFile has it.
	markerPattern = "." + markerName + ".*"

	namePrefix, nameSuffix, lockedSuffix = "hearth-", ".backup", ".age"

	// nameTime is how a time stands in a name, in UTC and without colons, which some
	// file systems do not take.
	nameTime = "20060102T150405Z"
)

// note tells whoever opens the marker what it is for.
const note = "Hearth puts its backups where this file is. Leave it here: without it Hearth takes the folder for a share that is not mounted."

// folder is a folder with backups of a relay.
type folder struct {
	path  string
	relay string // its id
}

// marker is what its file holds: whose backups these are, and those that count, the
// oldest first.
type marker struct {
	Note    string `json:"note"`
	Relay   string `json:"relay"`
	Backups []Kept `json:"backups"`
}

// access names the error of a folder that cannot be written to.
func (f folder) access(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &AccessError{Folder: f.path, Err: err}
	}
	return err
}

// choose makes the folder one for backups. The errors: *NoFolderError,
// *OthersError, *AccessError, those of the system.
func (f folder) choose(own bool) error { return f.access(f.claim(own)) }

func (f folder) claim(own bool) error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && own:
		err = durable.MakeFolder(f.path)
	case errors.Is(err, fs.ErrNotExist):
		err = &NoFolderError{f.path}
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%s is no folder", f.path)
	}
	if err != nil {
		return err
	}
	m, err := f.read()
	if _, missing := errors.AsType[*MissingError](err); missing {
		return f.write(m)
	}
	return err
}

// read reads the marker. The errors: *MissingError, *OthersError, those of the
// system.
func (f folder) read() (marker, error) {
	m := marker{Relay: f.relay}
	path := filepath.Join(f.path, markerName)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, &MissingError{f.path}
	}
	if err != nil {
		return m, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxMarker+1))
	if err != nil {
		return m, err
	}
	if len(data) > maxMarker {
		err = fmt.Errorf("it is larger than %d bytes", maxMarker)
	} else {
		err = json.Unmarshal(data, &m)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("%s is damaged: %w; move it away and choose the folder anew", path, err)
	case m.Relay != f.relay:
		return m, &OthersError{Folder: f.path, Relay: m.Relay}
	}
	// A file that is gone, or another one now, is no backup any more.
	m.Backups = slices.DeleteFunc(m.Backups, func(k Kept) bool {
		info, err := os.Lstat(filepath.Join(f.path, k.Name))
		return !ours(k.Name) || err != nil || !info.Mode().IsRegular() || info.Size() != k.Bytes
	})
	return m, nil
}

func (f folder) write(m marker) error {
	m.Note = note
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(f.path, markerName), append(data, '\n'))
}

// ours says whether a file is called as backups are: then it lies in the folder
// itself, too.
func ours(name string) bool {
	middle, begins := strings.CutPrefix(name, namePrefix)
	middle = strings.TrimSuffix(middle, lockedSuffix)
	middle, ends := strings.CutSuffix(middle, nameSuffix)
	stamp, number, numbered := strings.Cut(middle, "-")
	_, err := time.Parse(nameTime, stamp)
	return begins && ends && err == nil && (!numbered || strings.Trim(number, "0123456789") == "")
}

// name returns a name for a backup that no file has yet.
func (f folder) name(made time.Time, locked bool) (string, error) {
	for n := 1; ; n++ {
		name := namePrefix + made.UTC().Format(nameTime)
		if n > 1 { // somebody set the clock back
			name += fmt.Sprintf("-%d", n)
		}
		name += nameSuffix
		if locked {
			name += lockedSuffix
		}
		_, err := os.Lstat(filepath.Join(f.path, name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// take makes a file that was proven the newest backup.
func (f folder) take(part string, k *Kept) error {
	m, err := f.read()
	if err != nil {
		return err
	}
	if k.Name, err = f.name(k.Made, k.Encrypted); err != nil {
		return err
	}
	// It is listed before it is there: should that be all that happens, it counts as
	// gone. The other way round nothing would ever prune it.
	m.Backups = append(m.Backups, *k)
	if err := f.write(m); err != nil {
		return err
	}
	if err := os.Rename(part, filepath.Join(f.path, k.Name)); err != nil {
		return err
	}
	return durable.SyncFolder(f.path)
}

// prune removes the oldest backups beyond those that are to be kept.
func (f folder) prune(keep int) error {
	m, err := f.read()
	if err != nil || len(m.Backups) <= max(keep, 1) {
		return err
	}
	over := len(m.Backups) - max(keep, 1)
	for _, old := range m.Backups[:over] {
		err = cmp.Or(err, os.Remove(filepath.Join(f.path, old.Name)))
	}
	if err != nil {
		return err // what could not be removed stays in the list, for the next time
	}
	m.Backups = m.Backups[over:]
	return f.write(m)
}

// sweep removes what a backup that broke off has left.
func (f folder) sweep() error {
	list, err := os.ReadDir(f.path)
	for _, entry := range list {
		part, _ := filepath.Match(partPattern, entry.Name()) // the patterns are good ones
		marker, _ := filepath.Match(markerPattern, entry.Name())
		if part || marker {
			err = cmp.Or(err, os.Remove(filepath.Join(f.path, entry.Name())))
		}
	}
	return err
}
