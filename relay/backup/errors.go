package backup

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
)

// ErrRunning says that a backup is being made already.
var ErrRunning = errors.New("a backup is being made already")

// MissingError says that a folder for backups is not there, or is not the one that
// was chosen: the share that lies there is not mounted.
type MissingError struct {
	Folder string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the folder for backups, %s, is not there: mount the share that it lies on, or choose a folder anew", e.Folder)
}

// NoFolderError says that a folder that was chosen for backups does not exist.
type NoFolderError struct {
	Folder string
}

func (e *NoFolderError) Error() string {
	return fmt.Sprintf("there is no folder %s to put backups into: make it first, or mount the share that it lies on", e.Folder)
}

// AccessError says that the system does not let a folder be written to.
type AccessError struct {
	Folder string
	Err    error
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("%s cannot be written to (%v): let Hearth's user write there; a service of systemd also needs ReadWritePaths=%s in its unit",
		e.Folder, e.Err, e.Folder)
}

func (e *AccessError) Unwrap() error { return e.Err }

// OthersError says that a folder holds the backups of another relay, which this one
// would come to prune.
type OthersError struct {
	Folder string
	Relay  string // its id
}

func (e *OthersError) Error() string {
	return fmt.Sprintf("the folder %s holds the backups of another relay (%.8s…): choose another folder", e.Folder, e.Relay)
}

// RoomError says that there is no room for a backup.
type RoomError struct {
	Folder     string
	Need, Free uint64 // bytes
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("a backup takes about %s, and %s has %s left: free some space, or keep fewer backups",
		humanize.Bytes(e.Need), e.Folder, humanize.Bytes(e.Free))
}

// UnreadableError says that a backup was not to be read back as it was written:
// it does not count, and is not there any more.
type UnreadableError struct {
	Folder string
	Err    error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("the new backup in %s was read back and is not as it was written, so it was thrown away: %v; check that disk", e.Folder, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// LockedError says that a backup is encrypted, and cannot be opened with the keys
// that are at hand.
type LockedError struct {
	Path string
	Err  error // what is behind it; nil if there is no key
}

func (e *LockedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s is encrypted: it takes the secret key that belongs to the recipient", e.Path)
	}
	return fmt.Sprintf("%s is encrypted to another key: %v", e.Path, e.Err)
}

func (e *LockedError) Unwrap() error { return e.Err }
