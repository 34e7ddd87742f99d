package relay

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"hearth/relay/store"
)

// spoolFile is where an archive lies while it is imported: what is taken in is
// just what was proven.
const spoolFile = "import.part"

// spoolStep is after how many bytes the disk is looked at again.
const spoolStep = 8 << 20

// spool is an archive on its way in.
type spool struct {
	*os.File
	dir  string
	size uint64
	look uint64 // the size at which the disk is looked at
}

// newSpool makes an empty spool in a data folder.
func newSpool(dir string) (*spool, error) {
	f, err := os.OpenFile(filepath.Join(dir, spoolFile), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &spool{File: f, dir: dir}, nil
}

// dropSpool removes what a relay that was killed has left of an import.
func dropSpool(dir string) error {
	if err := os.Remove(filepath.Join(dir, spoolFile)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Write implements [io.Writer]. The error is a *store.FullError when the disk has
// no room left for what was written once more, as a part of the database.
func (s *spool) Write(p []byte) (int, error) {
	if s.size >= s.look {
		if free := diskFree(s.dir); free > 0 && free < s.size+scarce {
			return 0, &store.FullError{Err: errors.New("the archive needs more than the disk has")}
		}
		s.look = s.size + spoolStep
	}
	n, err := s.File.Write(p)
	s.size += uint64(n)
	return n, err
}

// rewind begins to read what was written.
func (s *spool) rewind() error {
	_, err := s.Seek(0, io.SeekStart)
	return err
}

// Close removes the spool.
func (s *spool) Close() error { return errors.Join(s.File.Close(), dropSpool(s.dir)) }
