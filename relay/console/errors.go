package console

import (
	"errors"

	"hearth/relay/protocol"
)

// ErrNotFound says that there is no such stream or entry.
var ErrNotFound = errors.New("not found")

// ErrNoEvents says that a stream holds something else than events.
var ErrNoEvents = errors.New("the stream holds no events")

// ErrCursor says that a text is no cursor.
var ErrCursor = protocol.ErrCursor

// ErrBackingUp says that a backup is being made already.
var ErrBackingUp = errors.New("a backup is being made already: wait until it is done")
