package main

import (
	"errors"
	"fmt"
	"io/fs"
)

const announcedName = "announced.json"

// announcedFile remembers the name under which the network knows the relay
// where others have its own one too, so that "Home (2)" stays the same relay
// when both are started anew.
type announcedFile struct {
	Instance string `json:"instance"`
}

// readAnnounced returns an empty one if there is none.
func readAnnounced(folder string) (announcedFile, error) {
	var a announcedFile
	err := readJSONFile(folder, announcedName, &a)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return announcedFile{}, fmt.Errorf("the name that the network knows cannot be read: %w", err)
	}
	return a, nil
}

func (a announcedFile) write(folder string) error {
	if err := writeJSONFile(folder, announcedName, a); err != nil {
		return fmt.Errorf("the name that the network knows cannot be kept: %w", err)
	}
	return nil
}
