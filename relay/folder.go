package relay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay/durable"
)

// The files in a relay's data folder.
const (
	databaseFile = "hearth.db"
	lockFile     = "hearth.lock"
	identityFile = "identity.pem"

	// settingsFile is the program's; it comes along in backups.
	settingsFile = "settings.json"
)

const (
	// lookTime is how long a relay that starts waits for commands that look at
	// its folder.
	lookTime = 2 * time.Second

	// stopTime is how long a command that wants to look waits for a relay that is
	// stopping: a little longer than that may take.
	stopTime = 6 * time.Second

	// lockPause is the time between two tries to get a lock.
	lockPause = 20 * time.Millisecond
)

// openFolder makes the data folder if there is none, and locks it: two relays on
// one database would each believe to be the only one who writes. The lock goes
// with the process, however that ends.
func openFolder(ctx context.Context, dir string) (*flock.Flock, error) {
	if err := durable.MakeFolder(dir); err != nil {
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
	ctx, cancel := context.WithTimeoutCause(ctx, lookTime, &InUseError{Dir: dir})
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, lockError(ctx, dir, err)
	}
	return lock, nil
}

// lockError returns why there is no lock: the time was up, or what failed.
func lockError(ctx context.Context, dir string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &FolderError{Dir: dir, Err: err}
}

// watchFolder keeps relays from starting on a folder while somebody looks at it.
// Where no relay has left its lock, as in a copy, there is none to be kept.
func watchFolder(ctx context.Context, dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockFile), flock.SetFlag(os.O_RDONLY))
	ctx, cancel := context.WithTimeoutCause(ctx, stopTime, &InUseError{Dir: dir})
	defer cancel()
	_, err := lock.TryRLockContext(ctx, lockPause)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, lockError(ctx, dir, err)
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
