// Command generate writes the JSON Schemas of reflexr.v1, made of the Go types of
// its messages and of what their comments say, and the OpenAPI document of what is
// served. It runs in the folder of the schemas.
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	if err := write(); err != nil {
		log.Fatal(err)
	}
}

// write writes all files, and removes those that are not made any more.
func write() error {
	files, err := generate()
	if err != nil {
		return err
	}
	old, err := filepath.Glob("*.json")
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, ok := files[path]; ok {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
