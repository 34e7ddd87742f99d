//go:build unix

package relay_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// TestAnswerLeavesAfterSync watches the relay's system calls: every answer to a
// batch is written to the client's socket after the log that holds the batch
// was synced, and after nothing was added to it since. The names of new folders
// that it lies in are synced before that.
func TestAnswerLeavesAfterSync(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace here; `make test` installs it")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	above := t.TempDir()
	p := start(t, filepath.Join(above, "new", "data"), strace, "-f", "-y", "-s", "16", "-o", trace, "-e", "trace=write,pwrite64,fsync,fdatasync")
	transport := &http.Transport{}
	c := &http.Client{Transport: transport}
	const batches = 20
	for range batches {
		body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: [][]byte{make([]byte, 300)}})
		if err != nil {
			t.Fatal(err)
		}
		var written writtenMessage
		if status, err := ask(c, http.MethodPost, "http://"+p.address+"/v1/streams/notes/entries", body, &written); err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v", status, err)
		}
	}
	transport.CloseIdleConnections()
	p.kill() // strace; the relay goes with it
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	started, _, _ := strings.Cut(string(text), "HTTP/1.1 200")
	for _, folder := range []string{above, filepath.Join(above, "new"), filepath.Join(above, "new", "data")} {
		if !regexp.MustCompile(`sync\(\d+<` + regexp.QuoteMeta(folder) + `>`).MatchString(started) {
			t.Errorf("the names in %s were not synced before the first answer", folder)
		}
	}
	answers, syncs := checkTrace(t, string(text))
	if answers != batches {
		t.Errorf("the trace shows %d answers, want %d", answers, batches)
	}
	t.Logf("%d answers, %d syncs of the log", answers, syncs)
}

var (
	logWrite = regexp.MustCompile(`^\d+ +pwrite64\(\d+<[^>]*hearth\.db-wal>`)
	logSync  = regexp.MustCompile(`^(\d+) +f(?:data)?sync\(\d+<[^>]*hearth\.db-wal>(.*)`)
	resumed  = regexp.MustCompile(`^(\d+) +<\.\.\. f(?:data)?sync resumed>`)
	answer   = regexp.MustCompile(`^\d+ +write\(\d+<(?:TCP|socket):[^>]*>, "HTTP/1\.1 200`)
)

// checkTrace goes through the system calls in their order.
func checkTrace(t *testing.T, trace string) (answers, syncs int) {
	t.Helper()
	synced := false                  // whether the log is, since it was last written to
	pending := make(map[string]bool) // syncs under way, by thread; true while nothing was written since
	for line := range strings.Lines(trace) {
		switch {
		case logWrite.MatchString(line):
			synced = false
			clear(pending)
		case logSync.MatchString(line):
			call := logSync.FindStringSubmatch(line)
			if strings.Contains(call[2], "unfinished") {
				pending[call[1]] = true
			} else if strings.Contains(call[2], "= 0") {
				synced = true
				syncs++
			}
		case resumed.MatchString(line) && strings.Contains(line, "= 0"):
			if pending[resumed.FindStringSubmatch(line)[1]] {
				synced = true
				syncs++
			}
		case answer.MatchString(line):
			answers++
			if !synced {
				t.Errorf("an answer left before the log was synced: %s", line)
			}
			synced = false // the next answer needs a sync of its own
		}
	}
	return answers, syncs
}
