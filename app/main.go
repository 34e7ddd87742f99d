// Hearth is a relay for a home: the apps of its people sync through it.
package main

import "os"

// Set when the program is built.
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
