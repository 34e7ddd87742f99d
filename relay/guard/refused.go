package guard

import "fmt"

// Why a request may not pass. The codes are those of the relay's refusals.
const (
	HostRefused   = "host_refused"
	OriginRefused = "origin_refused"
	Forbidden     = "forbidden"
)

// RefusedError says why a request may not pass.
type RefusedError struct {
	Code    string
	Message string
}

func (e *RefusedError) Error() string { return e.Message }

func refused(code, format string, args ...any) *RefusedError {
	return &RefusedError{Code: code, Message: fmt.Sprintf(format, args...)}
}
