package consolehttp

import (
	"bufio"
	"context"
	"net/http"
	"time"
)

const (
	// silence is how long nothing may come from a relay that is followed before it
	// is taken for gone: it writes a line in a quarter of that.
	silence = 4 * beat

	// retryPause is the time between two tries to follow a relay that has gone:
	// short enough for whoever started it and looks at the window.
	retryPause = time.Second
)

// Changes implements [console.Relay]. It follows the relay through its stops and
// starts, and tells of these as well.
func (c *Client) Changes() (changed <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	pulses, done := make(chan struct{}, 1), make(chan struct{})
	pulse := func() {
		select {
		case pulses <- struct{}{}:
		default: // one that waits says as much
		}
	}
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if c.follow(ctx, pulse) {
				pulse() // it has gone
			}
			select {
			case <-ctx.Done():
			case <-time.After(retryPause):
			}
		}
	}()
	return pulses, func() { cancel(); <-done }
}

// follow calls pulse for each change until the relay is gone or ctx done. It says
// whether the relay was there at all.
func (c *Client) follow(ctx context.Context, pulse func()) (there bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	response, err := c.ask(ctx, http.MethodGet, "changes", nil)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	for lines := bufio.NewReaderSize(response.Body, len(lineBeat)); ; alive.Reset(silence) {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return true
		}
		if string(line) == lineChanged {
			pulse()
		}
	}
}
