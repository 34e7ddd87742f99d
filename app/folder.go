package main

import (
	"fmt"
	"path/filepath"

	"github.com/adrg/xdg"
)

// folderFlag says where a relay's data lies.
type folderFlag struct {
	Data string `help:"The data folder (default: ${folder})." placeholder:"DIR" env:"HEARTH_DATA"`
}

// path returns the data folder as an absolute path.
func (f folderFlag) path() (string, error) {
	if f.Data == "" {
		return defaultFolder(), nil
	}
	path, err := filepath.Abs(f.Data)
	if err != nil {
		return "", fmt.Errorf("the data folder %s cannot be found: %w", f.Data, err)
	}
	return path, nil
}

// defaultFolder is where the platform keeps a person's data.
func defaultFolder() string {
	return filepath.Join(xdg.DataHome, "hearth")
}
