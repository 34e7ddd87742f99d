package relay_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// chromium is a browser without a window that is told what to do through two
// pipes, in the messages of the DevTools protocol: JSON, a NUL behind each.
type chromium struct {
	orders io.Writer

	mu      sync.Mutex
	last    int                     // the id of the newest order
	waiting map[int]chan<- devtools // who waits for the answer to which
	hears   func(devtools)          // hears what the browser tells unasked
	gone    error                   // why it tells nothing any more
}

// devtools is what the browser tells: the answer to an order, or an event.
type devtools struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"` // of the page that it is about
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// startChromium starts a browser that ends with the test. The function hears
// its events, one after the other.
func startChromium(t *testing.T, hears func(devtools)) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed, as make test does it: ", err)
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), program,
		"--headless", "--remote-debugging-pipe",
		"--no-sandbox",            // which root has none of
		"--disable-dev-shm-usage", // of which containers have little
		"--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--user-data-dir="+folder, "about:blank")
	cmd.Env = append(os.Environ(), "TMPDIR="+folder)
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // its descriptors 3 and 4
	cmd.Cancel = in.Close                          // which ends it, and in order
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said // its processes all write to it: once they are gone, nobody needs the folder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{orders: in, waiting: make(map[int]chan<- devtools), hears: hears}
	var listening sync.WaitGroup
	listening.Go(func() { c.listen(out) })
	t.Cleanup(func() {
		listening.Wait() // the test's context has ended by now
		out.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("chromium said:\n%s", &said)
		}
	})
	return c
}

// listen hands on what the browser tells until it ends.
func (c *chromium) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes(0)
		var told devtools
		if err == nil {
			err = json.Unmarshal(line[:len(line)-1], &told)
		}
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.gone = fmt.Errorf("chromium is gone: %w", err)
			for _, answer := range c.waiting {
				close(answer)
			}
			return
		}
		if told.Method != "" {
			c.hears(told)
			continue
		}
		c.mu.Lock()
		answer := c.waiting[told.ID]
		delete(c.waiting, told.ID)
		c.mu.Unlock()
		answer <- told
	}
}

// order sends an order, to the page with a session if that is not empty, and
// decodes the result.
func (c *chromium) order(session, method string, params, result any) error {
	answer := make(chan devtools, 1)
	c.mu.Lock()
	if c.gone != nil {
		c.mu.Unlock()
		return c.gone
	}
	c.last++
	c.waiting[c.last] = answer
	line, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{c.last, session, method, params})
	if err == nil {
		_, err = c.orders.Write(append(line, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	told, ok := <-answer
	switch {
	case !ok:
		return c.gone
	case told.Error != nil:
		return fmt.Errorf("%s: %s", method, told.Error)
	}
	return json.Unmarshal(told.Result, result)
}

// eventually waits for something that another process is about to do.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happens: %s", what)
		}
	}
}

// tab is a page that is open in the browser.
type tab struct {
	t       *testing.T
	browser *chromium
	session string
}

// open opens a page, and has the browser tell what it does on the network.
func (c *chromium) open(t *testing.T, url string) *tab {
	t.Helper()
	type object = map[string]any
	var made struct {
		TargetID string `json:"targetId"`
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	var none object
	err := c.order("", "Target.createTarget", object{"url": "about:blank"}, &made)
	if err == nil {
		err = c.order("", "Target.attachToTarget", object{"targetId": made.TargetID, "flatten": true}, &attached)
	}
	if err == nil {
		err = c.order(attached.SessionID, "Network.enable", object{}, &none)
	}
	if err == nil {
		err = c.order(attached.SessionID, "Page.navigate", object{"url": url}, &none)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &tab{t: t, browser: c, session: attached.SessionID}
}

// evaluate decodes the value of an expression in the page.
func (p *tab) evaluate(expression string, value any) {
	p.t.Helper()
	var evaluated struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err := p.browser.order(p.session, "Runtime.evaluate",
		map[string]any{"expression": expression, "returnByValue": true}, &evaluated)
	if err == nil && evaluated.Exception != nil {
		err = fmt.Errorf("the page threw %s", evaluated.Exception)
	}
	if err == nil {
		err = json.Unmarshal(evaluated.Result.Value, value)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}
