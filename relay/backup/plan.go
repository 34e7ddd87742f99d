// Package backup keeps generations of backups of a relay in a folder, which may be
// a share that comes and goes. A backup is one file; it counts once it has been read
// back and found whole.
package backup

import (
	"errors"
	"fmt"
	"time"

	"filippo.io/age"
)

const (
	// DefaultKeep is how many backups are kept: a week of those made daily.
	DefaultKeep = 7

	// minEvery and maxEvery bound the time between two backups. More often than that
	// a relay would do little else, and more seldom nobody remembers it.
	minEvery = time.Minute
	maxEvery = 366 * 24 * time.Hour

	// maxKeep is how many may be kept, so that a list of them stays small.
	maxKeep = 1000
)

// Plan says where backups go, how often, and in which form.
type Plan struct {
	Folder string

	// Own says that the folder is a part of the data folder: it is made when it is
	// missing, since no share is to be mounted there.
	Own bool

	Every     time.Duration // 0: only when somebody asks for one
	Keep      int           // how many
	Recipient string        // an age recipient (age1…) to encrypt to; empty for none
}

// Check says in a sentence what is wrong with a plan.
func (p Plan) Check() error {
	if p.Every != 0 && (p.Every < minEvery || p.Every > maxEvery) {
		return errors.New("backups are made every minute at the most and once a year at the least; 0 makes none by itself")
	}
	if p.Keep < 1 || p.Keep > maxKeep {
		return fmt.Errorf("of backups at least one is kept, and %d at the most", maxKeep)
	}
	_, err := p.recipients()
	return err
}

// recipients returns whom backups are encrypted to; nobody leaves them readable.
func (p Plan) recipients() ([]age.Recipient, error) {
	if p.Recipient == "" {
		return nil, nil
	}
	to, err := age.ParseX25519Recipient(p.Recipient)
	if err != nil {
		return nil, fmt.Errorf("backups are encrypted to the public half of a key of age's, which begins with age1: %w", err)
	}
	return []age.Recipient{to}, nil
}

// Kept is a backup that was found whole when it was made.
type Kept struct {
	Name      string    `json:"name"` // of the file
	Made      time.Time `json:"made"`
	Bytes     int64     `json:"bytes"` // of the file
	Streams   int       `json:"streams"`
	Entries   uint64    `json:"entries"`
	Encrypted bool      `json:"encrypted"`

	// Lacking lists streams that are not in it, since they were damaged.
	Lacking []Lacking `json:"lacking,omitempty"`
}

// Lacking is a stream that a backup lacks.
type Lacking struct {
	Space string `json:"space"`
	Name  string `json:"name"`
}
