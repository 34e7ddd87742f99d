package relay_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// followedLives is how often the relay is started while a browser follows it.
	followedLives = 6

	// eventsALife is how many events the page has to see more in each of them.
	eventsALife = 25
)

// handshakes are what became of the sockets that pages tried to open, told by the
// browser.
type handshakes struct {
	mu     sync.Mutex
	opened map[string]int      // how many each page has opened
	failed map[string][]string // why the others did not open
}

func (h *handshakes) hear(told devtools) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch told.Method {
	case "Network.webSocketHandshakeResponseReceived":
		h.opened[told.SessionID]++
	case "Network.webSocketFrameError":
		var failure struct {
			Message string `json:"errorMessage"`
		}
		if json.Unmarshal(told.Params, &failure) == nil {
			h.failed[told.SessionID] = append(h.failed[told.SessionID], failure.Message)
		}
	}
}

func (h *handshakes) of(p *tab) (opened int, failed []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened[p.session], slices.Clone(h.failed[p.session])
}

// TestBrowserFollows has a page in a browser follow a stream to which a program
// in another language publishes, through a relay that is killed again and again:
// in the end the page has all events, each once, in order. Both are the examples
// for developers, as they are. A page of another origin is not let in.
func TestBrowserFollows(t *testing.T) {
	python := os.Getenv("HEARTH_PYTHON")
	if python == "" {
		t.Skip("HEARTH_PYTHON does not name a Python; make test does")
	}
	const examples = "../docs/examples"
	pages := httptest.NewServer(http.FileServer(http.Dir(examples)))
	defer pages.Close()
	foreign := httptest.NewServer(http.FileServer(http.Dir(examples)))
	defer foreign.Close()

	dir, address := t.TempDir(), quietAddress(t)
	t.Setenv(serveOn, address)
	t.Setenv(serveOrigins, pages.URL)
	p := start(t, dir)

	seen := &handshakes{opened: make(map[string]int), failed: make(map[string][]string)}
	browser := startChromium(t, seen.hear)
	query := "/live.html?" + url.Values{"relay": {"http://" + address}, "stream": {"kitchen"}}.Encode()
	page, other := browser.open(t, pages.URL+query), browser.open(t, foreign.URL+query)

	var enough atomic.Bool
	published := make(chan []string, 1)
	go func() {
		published <- publishUntil(t, &enough, python, examples+"/publish.py", "http://"+address, "kitchen")
	}()
	rows := func() (n int) {
		page.evaluate(`document.querySelectorAll("#events li").length`, &n)
		return n
	}
	for life := range followedLives {
		if life > 0 {
			p.kill()
			p = start(t, dir)
		}
		more := rows() + eventsALife
		eventually(t, "the page sees what is published", func() bool { return rows() >= more })
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond) // so that it dies at another moment of its work
	}
	enough.Store(true)
	var want [][2]string
	for i, seq := range <-published {
		if seq != fmt.Sprint(i+1) {
			t.Fatalf("event %d was acknowledged at %s", i+1, seq)
		}
		want = append(want, [2]string{seq, fmt.Sprintf(`{"type":"counted","n":%d}`, i+1)})
	}
	eventually(t, "the page has as many events as were published", func() bool { return rows() >= len(want) })
	var have [][2]string
	page.evaluate(`[...document.querySelectorAll("#events li")].map(
		row => [row.querySelector("span").textContent, row.querySelector("code").textContent])`, &have)
	if i := firstDifference(want, have); i >= 0 {
		t.Errorf("published: %d events, shown: %d; from row %d on they differ: want %v, have %v", len(want), len(have), i,
			want[min(i, len(want)):min(i+3, len(want))], have[min(i, len(have)):min(i+3, len(have))])
	}
	if opened, _ := seen.of(page); opened < followedLives {
		t.Errorf("the page opened %d sockets to a relay of %d lives", opened, followedLives)
	}
	t.Logf("%d events through %d lives of the relay", len(have), followedLives)
	if opened, failed := seen.of(other); opened > 0 || !strings.Contains(strings.Join(failed, "\n"), "Unexpected response code: 403") {
		t.Errorf("a page of another origin opened %d sockets; the others failed: %q", opened, failed)
	}
}

// firstDifference returns where two lists differ, or -1.
func firstDifference[T comparable](a, b []T) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// publishUntil has a program publish numbered events until there are enough, the
// next once the one before is acknowledged, and returns where it was told they are.
func publishUntil(t *testing.T, enough *atomic.Bool, program ...string) (seqs []string) {
	cmd := exec.CommandContext(t.Context(), program[0], program[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	acknowledged := bufio.NewScanner(out)
	for n := 1; !enough.Load(); n++ {
		fmt.Fprintf(in, `{"type":"counted","n":%d}`+"\n", n)
		if !acknowledged.Scan() {
			break
		}
		seqs = append(seqs, acknowledged.Text())
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the publishing program: %v", err)
	}
	return seqs
}

// quietAddress returns an address of this machine that nobody listens on, below the
// ports that systems give to outgoing connections: it must stay free while the relay
// is away and others knock at it.
func quietAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no address is free")
	return ""
}
