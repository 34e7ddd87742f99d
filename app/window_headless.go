//go:build headless

package main

import "errors"

// Run says that there is no window.
func (windowCommand) Run() error {
	return &hintedError{
		errors.New("this build of Hearth has no window"),
		`"hearth serve" runs the relay without one`,
	}
}
