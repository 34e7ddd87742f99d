package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's own program be the server that does nothing, as the
// benchmark's is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == ceilingCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

// moment is the least that can be measured.
var moment = extent{
	rounds: 1, warm: time.Millisecond, look: 20 * time.Millisecond,
	entries: 1000, catchUp: 500, streams: 10, waiters: 10, alone: 10,
}

// All scenarios that the ceiling takes part in happen to it, each with a result.
func TestMeasure(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // or each server takes a second to stop
	all := []*target{{kind: ceiling, name: "ceiling", command: func(_, address string) []string {
		return []string{os.Args[0], ceilingCommand, address}
	}}}
	b, err := newBench(moment, t.TempDir(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	b.targets = all
	results, err := b.measure(t.Context(), scenarios(moment))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.looks) != 1 || r.value() < 0 {
			t.Errorf("%s: %+v", r.scenario.name, r.looks)
		}
	}
}

// Requests for batches have other content each time, of the same length.
func TestAppendRequest(t *testing.T) {
	s := &server{address: "127.0.0.1:1", key: "k"}
	r := s.append(stream, 3, smallEntry)
	first := string(r.next())
	second := string(r.next())
	if first == second || len(first) != len(second) {
		t.Error("the second request is the first one again, or of another length")
	}
	for _, line := range []string{"POST /v1/streams/bench/entries HTTP/1.1\r\n", "Authorization: Bearer k\r\n"} {
		if !strings.Contains(first, line) {
			t.Errorf("the request lacks %q", line)
		}
	}
}

// The ceiling answers a reader with as many entries as asked for, in a true chain.
func TestCeilingPage(t *testing.T) {
	s := &ceilingServer{pages: make(map[string][]byte)}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v1/streams/bench/entries?limit=250", http.NoBody))
	if n, err := (&reader{verify: true}).take(answer.Body.Bytes()); err != nil || n != 250 {
		t.Errorf("%d entries, %v", n, err)
	}
}

// A program that is not there is said to be missing, but for the one that is only
// compared with.
func TestTargets(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := targets(t.Context(), missing, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a program to measure: %v", err)
	}
	all, err := targets(t.Context(), "true", missing)
	if err != nil || len(all) != 2 {
		t.Errorf("without one to compare with: %d targets, %v", len(all), err)
	}
}
