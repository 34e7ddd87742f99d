package relay_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// clockCode tells the time in the system's stead: it asks the system, and adds the
// seconds behind it to the time of day. The arguments are in edi and rsi.
var clockCode = []byte{
	0xb8, 228, 0, 0, 0, // mov eax, clock_gettime
	0x0f, 0x05, // syscall
	0x85, 0xff, // test edi, edi: 0 is the time of day
	0x75, 0x0a, // jnz to the end
	0x48, 0x8b, 0x0d, 6, 0, 0, 0, // mov rcx, the seconds
	0x48, 0x01, 0x0e, // add [rsi], rcx
	0xc3,       // ret
	0xcc, 0xcc, // so that the seconds are aligned
	0, 0, 0, 0, 0, 0, 0, 0,
}

// clock is the time of day of one process, which can be set.
type clock struct {
	t       *testing.T
	memory  *os.File
	seconds int64 // where they are that it is wrong by
}

// takeClock takes the clock of a process into the test's hands. Programs ask for
// the time in a page that the system gives each of them.
func takeClock(t *testing.T, p *process) *clock {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d", p.cmd.Process.Pid)
	maps, err := os.ReadFile(filepath.Join(proc, "maps"))
	if err != nil {
		t.Fatal(err)
	}
	var from, to int64
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(line, "[vdso]\n") {
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
				t.Fatal(err)
			}
		}
	}
	memory, err := os.OpenFile(filepath.Join(proc, "mem"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	page := make([]byte, to-from)
	if _, err := memory.ReadAt(page, from); err != nil {
		t.Fatal(err)
	}
	library, err := elf.NewFile(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := library.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{t: t, memory: memory}
	for _, s := range symbols {
		if s.Name != "__vdso_clock_gettime" {
			continue
		}
		at := from + int64(s.Value)
		pause(t, p, from, to)
		if _, err := memory.WriteAt(clockCode, at); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		c.seconds = at + int64(len(clockCode)) - 8
		return c
	}
	t.Fatal("the system tells the time in another way")
	return nil
}

// pause stops a process at a moment when none of its threads is in a range of its
// memory.
func pause(t *testing.T, p *process, from, to int64) {
	t.Helper()
	for {
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if isOutside(t, p, from, to) {
			return
		}
		if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // the test's own time limit ends this
	}
}

// isOutside says whether all threads of a process stand still, outside a range of
// its memory.
func isOutside(t *testing.T, p *process, from, to int64) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		said, err := os.ReadFile(thread)
		if err != nil {
			return false
		}
		fields := strings.Fields(string(said)) // the last one is where it stands
		var at int64
		if _, err := fmt.Sscanf(fields[len(fields)-1], "0x%x", &at); err != nil || at >= from && at < to {
			return false
		}
	}
	return len(threads) > 0
}

// set sets the clock so far from the right time.
func (c *clock) set(wrong time.Duration) {
	c.t.Helper()
	if _, err := c.memory.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(int64(wrong/time.Second))), c.seconds); err != nil {
		c.t.Fatal(err)
	}
}

// TestClockSteps sets the clock of a running relay forward and back. Whatever time
// it is, batches are taken and served in their order; a wait lasts as long as it
// was asked to; a request that has begun comes to its end.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	c := takeClock(t, p)
	n := &notebook{t: t, base: "http://" + p.address}
	n.write("")
	body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: [][]byte{[]byte("begun before")}})
	if err != nil {
		t.Fatal(err)
	}
	// The farthest back is in 1970: no system lets its clock stand before that.
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for _, step := range []time.Duration{time.Hour, -day, 100 * year, -40 * year, -56 * year, 0} {
		half, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		defer half.Close()
		if _, err := fmt.Fprintf(half, "POST /v1/streams/slow/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\nContent-Length: %d\r\n\r\n", len(body)); err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() { waited <- waitInVain(n.base) }()

		c.set(step)
		if told := dateOf(t, n.base); told.Sub(time.Now().Add(step)).Abs() > time.Hour/2 {
			t.Fatalf("the clock was to be wrong by %v, and tells %v", step, told)
		}
		n.write("")
		n.check()
		var heads headsMessage
		if status, err := ask(http.DefaultClient, http.MethodGet, n.base+"/v1/wait?watch=notes", nil, &heads); err != nil || len(heads.Heads) != 1 {
			t.Errorf("a wait for what has come: status %d, %v", status, err)
		}
		if _, err := half.Write(body); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(half), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("a batch that was begun before the step to %v: %+v, %v", step, answer, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := <-waited; err != nil {
			t.Errorf("a wait over the step to %v: %v", step, err)
		}
	}
	c.set(10 * year)
	n.write("")
	p.kill()
	p = start(t, p.dir) // years before
	n.base = "http://" + p.address
	n.check()
	n.write("")
	n.check()
}

// waitInVain waits for something that does not come, and checks that it lasts.
func waitInVain(base string) error {
	const seconds = 1
	begin := time.Now()
	var heads headsMessage
	status, err := ask(http.DefaultClient, http.MethodGet, fmt.Sprintf("%s/v1/wait?watch=none&timeout=%d", base, seconds), nil, &heads)
	if took := time.Since(begin); err != nil || status != http.StatusOK || len(heads.Heads) != 0 || took < seconds*time.Second {
		return fmt.Errorf("status %d after %v, %+v, %w", status, took, heads, err)
	}
	return nil
}

// dateOf returns what time a relay says that it is.
func dateOf(t *testing.T, base string) time.Time {
	t.Helper()
	response, err := http.Get(base + "/health")
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return date
}
