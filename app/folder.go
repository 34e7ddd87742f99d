package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// folderFlag says where a relay's data lies.
type folderFlag struct {
	Data string `help:"The data directory (default: ${folder})." placeholder:"DIR" env:"HEARTH_DATA"`
}

// path returns the data directory as an absolute path.
func (f folderFlag) path() (string, error) {
	if f.Data == "" {
		return defaultFolder(), nil
	}
	path, err := filepath.Abs(f.Data)
	if err != nil {
		return "", fmt.Errorf("the data directory %s cannot be found: %w", f.Data, err)
	}
	return path, nil
}

// defaultFolder is where the platform keeps a person's data.
func defaultFolder() string {
	return filepath.Join(xdg.DataHome, "hearth")
}

// makeFolder makes the data directory, for its owner alone, if there is none.
func makeFolder(path string) error {
	err := os.MkdirAll(path, 0o700)
	if err != nil {
		return &hintedError{
			fmt.Errorf("the data directory %s cannot be made: %w", path, err),
			"name another one with --data, or make it and let this user write there",
		}
	}
	return nil
}
