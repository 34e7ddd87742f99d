package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// programs is the folder with the program as it is built for machines without a
// display: what the scripts run is the program itself.
var programs string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "hearth-program-")
	if err != nil {
		panic(err)
	}
	programs = folder
	build := exec.Command("go", "build", "-tags", "headless", "-buildvcs=false",
		"-ldflags", "-X main.version=v1.2.3 -X main.commit=0123abc -X main.date=2026-01-02T03:04:05Z",
		"-o", filepath.Join(folder, programName), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("the program does not build: %v\n%s", err, out))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(folder); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}
