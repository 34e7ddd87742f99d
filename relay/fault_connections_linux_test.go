package relay_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/relay/console"
)

// besiegeAt tells the test's own program to besiege a relay at an address.
const besiegeAt = "HEARTH_TEST_BESIEGE"

const (
	// idlers are clients who have asked something and keep their connection.
	idlers = 5_000

	// crawlers are clients whose headers do not come to an end: every second one
	// sends a byte now and then, the others stop in their midst.
	crawlers = 5_000
)

// besiege holds ten thousand connections to a relay. It says "held" when it has
// all of them, and "rid" when the relay has closed those of all crawlers; once
// its input ends it asks again through the others.
func besiege(address string) error {
	var idle []net.Conn
	for range idlers {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if err := askHealth(c); err != nil {
			return err
		}
		idle = append(idle, c)
	}
	var crawling sync.WaitGroup
	var left atomic.Int64 // whose connections are closed
	for i := range crawlers {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: local"); err != nil {
			return err
		}
		crawling.Go(func() {
			if _, err := io.Copy(io.Discard, c); err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
				left.Add(1)
			}
		})
		if i%2 == 0 {
			go func() {
				for err := error(nil); err == nil; time.Sleep(time.Second) {
					_, err = io.WriteString(c, "l")
				}
			}()
		}
	}
	fmt.Println("held")
	crawling.Wait()
	if left.Load() == crawlers {
		fmt.Println("rid")
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for _, c := range idle {
		if err := askHealth(c); err != nil {
			return fmt.Errorf("a connection that rested is of no use any more: %w", err)
		}
	}
	return nil
}

// askHealth asks a relay for its health.
func askHealth(c net.Conn) error {
	if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(c, 1024), nil)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// TestTenThousandConnections besieges a relay from another process. Others write,
// read and wait as ever; who never finishes his headers is closed in bounded time,
// be he silent or crawling, and who rests is not.
func TestTenThousandConnections(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	siege := exec.CommandContext(t.Context(), self)
	siege.Env = append(os.Environ(), besiegeAt+"="+p.address)
	siege.Stderr = os.Stderr
	in, err := siege.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := siege.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := siege.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	says := func(want string) {
		t.Helper()
		if line, err := said.ReadString('\n'); strings.TrimSpace(line) != want {
			t.Fatalf("it says %q, %v, not %q", line, err, want)
		}
	}
	says("held")
	n := &notebook{t: t, base: "http://" + p.address}
	for range 20 {
		n.write("")
	}
	n.check()
	var heads headsMessage
	if status, err := ask(http.DefaultClient, http.MethodGet, n.base+"/v1/wait?watch=notes", nil, &heads); err != nil || len(heads.Heads) != 1 {
		t.Errorf("a wait: status %d, %v, %+v", status, err, heads)
	}
	says("rid")
	n.write("")
	memory, err := peak(p.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the relay has had %.0f MiB", memory)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := siege.Wait(); err != nil {
		t.Error(err)
	}
	n.check()
}

// TestLogIsBoundedAmongReaders writes to a relay while some clients take their
// pages slowly or not at all, and everything is checked again and again. The log
// stays bounded; after a stop the one file is the whole relay.
func TestLogIsBoundedAmongReaders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := open(t, dir)
	const (
		largest = 15 << 20
		batches = 7 // more than the log is let grow to
		most    = 64<<20 + 2*largest
	)
	write := func() {
		t.Helper()
		if status := h.append(t, "large", 1, make([]byte, largest)); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	write()
	done := make(chan struct{})
	var beside sync.WaitGroup
	var readers []net.Conn
	for i := range 4 {
		c, err := net.Dial("tcp", h.url[len("http://"):])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		readers = append(readers, c)
		if _, err := io.WriteString(c, "GET /v1/streams/large/entries HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			continue // who takes nothing
		}
		beside.Go(func() {
			for piece := make([]byte, 4<<10); ; {
				if _, err := c.Read(piece); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	checks := 0
	beside.Go(func() {
		for ; ; checks++ {
			v, err := h.Console().Verify(t.Context(), console.StreamRef{}, nil)
			if err != nil || !v.Sound() {
				t.Errorf("%+v, %v", v, err)
			}
			select {
			case <-done:
				return
			case <-time.After(250 * time.Millisecond): // so that writes go on in a slow build too
			}
		}
	})
	for range batches {
		write()
		log, err := os.Stat(filepath.Join(dir, "hearth.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		if log.Size() > most {
			t.Errorf("the log has grown to %d bytes", log.Size())
		}
	}
	close(done)
	for _, c := range readers {
		_ = c.Close() // one may be on its way out by itself
	}
	beside.Wait()
	t.Logf("%d checks meanwhile", checks)
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	alone := t.TempDir()
	data, err := os.ReadFile(filepath.Join(dir, "hearth.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(alone, "hearth.db"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, alone)
	v, err := again.Console().Verify(t.Context(), console.StreamRef{}, nil)
	if err != nil || !v.Sound() || v.Entries != batches+1 {
		t.Errorf("in the file alone: %+v, %v", v, err)
	}
}
