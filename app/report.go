package main

import (
	"errors"
	"fmt"
	"io"
)

// hintedError is an error together with what the person can do about it.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *hintedError) Hint() string { return e.hint }

// report tells the person an error, with its hint if it has one, and returns
// the exit code that goes with it.
func report(errs io.Writer, err error) int {
	fmt.Fprintf(errs, "hearth: %v\n", err)
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(errs, "        %s\n", hint)
	}
	return exitError
}

// hintOf returns what the person can do about an error; empty if nobody knows.
func hintOf(err error) string {
	if hinted, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return hinted.Hint()
	}
	return ""
}

// toldError is an error that the person has been told of already.
type toldError struct{ err error }

func (e *toldError) Error() string { return e.err.Error() }
func (e *toldError) Unwrap() error { return e.err }
