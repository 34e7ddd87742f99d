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
