//go:build unix

package relay_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

const (
	// manyWaits is how many clients wait at the same time.
	manyWaits = 10_000

	// stayingWaits is how many of them are still there when the relay stops: it
	// has to answer them within the time that a stop may take, under the race
	// detector and on a busy machine.
	stayingWaits = 500
)

// TestTenThousandWaits holds ten thousand waits on a stream each. A write wakes
// the one whom it concerns and nobody else; those whose clients leave are gone;
// when the relay stops, the others are answered with nothing to report.
func TestTenThousandWaits(t *testing.T) {
	p := start(t, t.TempDir())
	conns := make([]net.Conn, manyWaits)
	defer func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	for i := range conns {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
		conns[i] = c
		if _, err := fmt.Fprintf(c, "GET /v1/wait?watch=stream-%d&timeout=60 HTTP/1.1\r\nHost: localhost\r\n\r\n", i); err != nil {
			t.Fatal(err)
		}
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: transport}
	waiting := func() (n float64) {
		figures, err := c.Get("http://" + p.address + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer figures.Body.Close()
		for lines := bufio.NewScanner(figures.Body); lines.Scan(); {
			if _, err := fmt.Sscanf(lines.Text(), "hearth_waiting %g", &n); err == nil {
				return n
			}
		}
		return 0
	}
	until := func(n float64) {
		for waiting() != n {
			time.Sleep(50 * time.Millisecond) // the test's own time limit ends this
		}
	}
	until(manyWaits)

	const concerned = 123
	body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: [][]byte{{}}})
	if err != nil {
		t.Fatal(err)
	}
	var written writtenMessage
	if status, err := ask(c, http.MethodPost, fmt.Sprintf("http://%s/v1/streams/stream-%d/entries", p.address, concerned), body, &written); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v", status, err)
	}
	if heads := answerOf(t, conns[concerned]); len(heads.Heads) != 1 || heads.Heads[0].Head != 1 {
		t.Fatalf("the one who is concerned was told %+v", heads)
	}
	if n := waiting(); n != manyWaits-1 {
		t.Fatalf("%v clients wait after one was woken", n)
	}

	for _, conn := range conns[stayingWaits:] {
		_ = conn.Close()
	}
	until(stayingWaits - 1)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for i, conn := range conns[:stayingWaits] {
		if i != concerned {
			readers.Go(func() {
				if heads := answerOf(t, conn); len(heads.Heads) != 0 {
					t.Errorf("client %d was told %+v when the relay stopped", i, heads)
				}
			})
		}
	}
	readers.Wait()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the relay ended with %v", err)
	}
}

// answerOf reads the answer to a wait.
func answerOf(t *testing.T, c net.Conn) (heads headsMessage) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Error(err)
		return heads
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = cbor.Unmarshal(body, &heads)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("status %d, %v", response.StatusCode, err)
	}
	return heads
}
