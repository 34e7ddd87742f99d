package guard

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a mistake in the program that came up during a request.
type PanicError struct {
	Value any
	Stack []byte
}

// Panicked returns the error for what was recovered, with the stack of whoever
// calls it: it is for the deferred function that recovers.
func Panicked(value any) *PanicError { return &PanicError{value, debug.Stack()} }

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }
