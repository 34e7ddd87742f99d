// Package schemas holds the JSON Schemas (2020-12) of the frames and bodies of
// reflexr.v1, one a file, as they are made of the Go types by the program in
// generate.
package schemas

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"
)

//go:generate go run ./generate

//go:embed *.json
var files embed.FS

// Schema is what a list of schemas says of one.
type Schema struct {
	File  string `json:"file"`  // its name
	Title string `json:"title"` // what it describes
}

// List lists all schemas, sorted by the names of their files.
func List() []Schema { return list() }

var list = sync.OnceValue(func() (list []Schema) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(fmt.Sprintf("listing the schemas: %v", err)) // they are part of the program
	}
	for _, name := range names {
		s := Schema{File: name}
		text, _ := Read(name)
		if err := json.Unmarshal(text, &s); err != nil {
			panic(fmt.Sprintf("the schema %s: %v", name, err))
		}
		list = append(list, s)
	}
	return list
})

// Read returns a schema; false if there is no file of that name.
func Read(file string) ([]byte, bool) {
	text, err := files.ReadFile(file)
	return text, err == nil
}
