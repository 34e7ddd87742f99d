package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// programs is the folder with the program as it is built for machines without a
// display: what the scripts run is the program itself.
var programs string

// selfTestIn is the variable by which the tests' own program is asked to be a
// relay on a data folder that tests itself.
const selfTestIn = "HEARTH_TEST_SELFTEST"

// The variables by which the tests' own program is asked to send one request,
// from wherever it is run, and to print the answer's status.
const (
	getURL  = "HEARTH_TEST_URL"
	getHost = "HEARTH_TEST_HOST"
	getAuth = "HEARTH_TEST_AUTH"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(getURL); url != "" {
		get(url)
		return
	}
	if folder := os.Getenv(selfTestIn); folder != "" {
		selfTest(folder)
		return
	}
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

// get sends one request and prints the answer's status.
func get(url string) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		panic(err)
	}
	request.Host = os.Getenv(getHost)
	if auth := os.Getenv(getAuth); auth != "" {
		request.Header.Set("Authorization", auth)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	fmt.Println(response.StatusCode)
}
