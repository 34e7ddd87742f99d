package console

import (
	"context"
	"errors"
	"io"
)

// Archives lets streams leave a relay and come back, in files that prove
// themselves (docs/archive-format.md).
type Archives interface {
	// Export writes an archive of streams, each as it is when its turn comes, and
	// checks every link on the way. The errors: ErrNotFound, and a sentence about a
	// stream that is damaged; what was written then is no archive.
	Export(ctx context.Context, to io.Writer, streams []StreamRef) error

	// Import takes in the streams of an archive, with their identities, links, times
	// and writers: those that are not there, and what follows of those that are. The
	// archive is proven to its end before anything is changed. Each stream is there
	// whole then or not at all, also if the relay is killed meanwhile; to import the
	// archive again goes on. The errors: *ImportError, ErrImporting, and failures.
	Import(ctx context.Context, from io.Reader) ([]Imported, error)
}

// Imported says what became of a stream in an archive.
type Imported struct {
	StreamRef
	Archived uint64 // its head in the archive
	Before   uint64 // its head in the relay before; 0 if there was no such stream
	Head     uint64 // its head in the relay now
}

// ImportError says why an archive is not imported, and what to do.
type ImportError struct {
	Reason string
	Todo   string // what the person can do; may be empty
	Err    error  // what is behind it; may be nil
}

func (e *ImportError) Error() string { return e.Reason }

// Hint says what the person can do.
func (e *ImportError) Hint() string { return e.Todo }

func (e *ImportError) Unwrap() error { return e.Err }

// ErrImporting says that an archive is being imported already.
var ErrImporting = errors.New("an archive is being imported already: try again when that is done")
