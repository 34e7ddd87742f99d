package console

import "errors"

// ErrNotFound says that there is no such stream or entry.
var ErrNotFound = errors.New("not found")
