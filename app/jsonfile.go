package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"hearth/relay/durable"
)

// readJSONFile reads one of the program's own small files in a data folder into
// value. The errors are those of [os.ReadFile], and that it is damaged.
func readJSONFile(folder, name string, value any) error {
	path := filepath.Join(folder, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// writeJSONFile replaces such a file as a whole.
func writeJSONFile(folder, name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folder, name), append(data, '\n'))
}
