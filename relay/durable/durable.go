// Package durable makes what is written to a folder last, whenever the machine
// stops.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile puts data into a file that only its owner may read. Whenever the
// machine stops there is the old file or the new one, and the new one once
// WriteFile has returned.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// MakeFolder makes a folder that only its owner may look into, with those above it
// that are missing. They last once it has returned. One that is there stays as it
// is.
func MakeFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	// A drive that is missing has nothing above it.
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		if err = MakeFolder(above); err == nil {
			err = os.Mkdir(path, 0o700)
		}
	}
	switch {
	case err == nil:
		return SyncFolder(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist):
		return nil
	default:
		return err
	}
}

// SyncFolder makes the names in a folder last.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call for folders, and NTFS keeps a journal of names
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
