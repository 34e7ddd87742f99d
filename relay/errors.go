package relay

import "fmt"

// InUseError says that another process has the relay's data open.
type InUseError struct {
	Dir string
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the data in %s is in use by another Hearth: stop that one first, or choose another data folder", e.Dir)
}

// FolderError says that the data folder cannot be used.
type FolderError struct {
	Dir string
	Err error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the data folder %s cannot be used: %v; choose another one, or make it writable for you", e.Dir, e.Err)
}

func (e *FolderError) Unwrap() error { return e.Err }

// UnfinishedError says that a restore was cut off when all of it was ready.
type UnfinishedError struct {
	Dir string
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("a restore into %s was cut off on its last steps: start the relay, and they are done first", e.Dir)
}

// NewerError says that data holds what a restore would take away.
type NewerError struct {
	Dir     string
	Streams []RestoredStream // all of them; see Lost

	// Unreadable says why the data cannot be compared with the backup; nil if it can.
	Unreadable error
}

func (e *NewerError) Error() string {
	if e.Unreadable != nil {
		return fmt.Sprintf("what is in %s cannot be compared with the backup: %v", e.Dir, e.Unreadable)
	}
	lost := 0
	for _, s := range e.Streams {
		if s.Lost() {
			lost++
		}
	}
	return fmt.Sprintf("%s holds what the backup does not: %d of its streams would go back, become another one or be gone", e.Dir, lost)
}

func (e *NewerError) Unwrap() error { return e.Unreadable }
