package relay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// The files in a relay's data folder.
const (
	databaseFile = "hearth.db"
	lockFile     = "hearth.lock"
	identityFile = "identity.pem"
)

// openFolder makes the data folder if there is none, and locks it: two relays on
// one database would each believe to be the only one who writes. The lock goes
// with the process, however that ends.
func openFolder(dir string) (*flock.Flock, error) {
	// Only its owner may look into it.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &FolderError{Dir: dir, Err: err}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, &FolderError{Dir: dir, Err: err}
	}
	if !info.IsDir() {
		return nil, &FolderError{Dir: dir, Err: errors.New("it is not a folder")}
	}
	lock := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, &FolderError{Dir: dir, Err: err}
	}
	if !locked {
		return nil, &InUseError{Dir: dir}
	}
	return lock, nil
}

// database returns the path of the database in a data folder, or an error that
// is fs.ErrNotExist if no relay has ever run on that folder.
func database(dir string) (string, error) {
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no relay has kept anything in %s yet: %w", dir, fs.ErrNotExist)
	}
	return path, nil
}
