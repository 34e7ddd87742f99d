package access

import "fmt"

// Challenge is what a 401 says in WWW-Authenticate (RFC 6750, section 3).
const Challenge = `Bearer realm="hearth"`

// UnauthorizedError says that a visitor showed no key where one is needed, or
// one that is not known.
type UnauthorizedError struct {
	Reason string
}

func (e *UnauthorizedError) Error() string { return e.Reason }

// errUnknownKey turns away whoever shows a key that opens nothing.
var errUnknownKey = &UnauthorizedError{"the key is not known here: check it, or leave it out"}

// ForbiddenError says that a visitor may not do this.
type ForbiddenError struct {
	Reason string
}

func (e *ForbiddenError) Error() string { return e.Reason }

// IdentityError says that the file with the relay's key cannot be used.
type IdentityError struct {
	Path string
	Err  error
}

func (e *IdentityError) Error() string {
	return fmt.Sprintf("the relay's key in %s cannot be used: %v; restore the file from a backup, "+
		"or move it away to start over with a new key, as another relay to those who know this one", e.Path, e.Err)
}

func (e *IdentityError) Unwrap() error { return e.Err }
