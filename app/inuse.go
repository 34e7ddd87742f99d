package main

import (
	"errors"
	"fmt"

	"hearth/relay"
)

// alreadyRunning says instead of the error of opening a relay whose data is in
// use how the relay that uses it is reached, if that says so.
func alreadyRunning(folder string, err error) error {
	if _, ok := errors.AsType[*relay.InUseError](err); !ok {
		return err
	}
	run, failed := readRunFile(folder)
	if failed != nil || run == nil {
		return err
	}
	hint := "stop that one first, or name another data folder with --data"
	if run.Window {
		hint = "it is the one in Hearth's window: quit that first, or name another data folder with --data"
	}
	return &hintedError{fmt.Errorf("a relay runs on %s already, at %s (process %d)", folder, run.URL, run.PID), hint}
}
