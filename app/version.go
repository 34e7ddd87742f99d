package main

import (
	"fmt"
	"io"
	"runtime"
)

type versionCommand struct{}

// Run prints the version, and what it was built from and for.
func (versionCommand) Run(out io.Writer) error {
	_, err := fmt.Fprintf(out, "hearth %s\ncommit %s of %s\n%s %s/%s\n",
		version, commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
