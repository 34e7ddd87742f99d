package main

import (
	"errors"
	"io/fs"
	"os"
)

// removeFile removes a file that may not be there.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
