package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hearth/relay/durable"
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
	path := filepath.Join(folder, announcedName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return announcedFile{}, nil
	}
	if err != nil {
		return announcedFile{}, fmt.Errorf("the name that the network knows cannot be read: %w", err)
	}
	var a announcedFile
	if err := json.Unmarshal(data, &a); err != nil {
		return announcedFile{}, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return a, nil
}

func (a announcedFile) write(folder string) error {
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(folder, announcedName), append(data, '\n')); err != nil {
		return fmt.Errorf("the name that the network knows cannot be kept: %w", err)
	}
	return nil
}
