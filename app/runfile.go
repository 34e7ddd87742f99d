package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

const runName = "run.json"

// runFile tells the owner's commands how to reach the relay that runs on a data
// folder. One that was left behind by a relay that died shows in its address
// not answering, or not taking its token.
type runFile struct {
	Name    string    `json:"name"` // the relay's
	Open    bool      `json:"open"` // to the whole network
	URL     string    `json:"url"`  // for this machine
	URLs    []string  `json:"urls"` // all of them
	PID     int       `json:"pid"`
	Token   string    `json:"token"` // the owner's, for this run
	Started time.Time `json:"started"`
	Window  bool      `json:"window"` // whether it is shown in a window
}

// readRunFile returns nil if no relay says that it runs.
func readRunFile(folder string) (*runFile, error) {
	var r runFile
	err := readJSONFile(folder, runName, &r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, &hintedError{
			fmt.Errorf("the relay on %s is another user's: %w", folder, err),
			"ask for it as that user (or with sudo), or name another data folder with --data",
		}
	case err != nil:
		return nil, fmt.Errorf("the running relay cannot be looked up: %w", err)
	}
	return &r, nil
}

func (r runFile) write(folder string) error {
	if err := writeJSONFile(folder, runName, r); err != nil {
		return fmt.Errorf("the owner's commands cannot be told of the relay: %w", err)
	}
	return nil
}

func removeRunFile(folder string) error {
	return removeFile(filepath.Join(folder, runName))
}
