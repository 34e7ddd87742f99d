package relay_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/relay"
	"hearth/relay/protocol"
)

// client is the least that speaks HTTP/1.1, so that a benchmark measures the
// relay more than its own client.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(b *testing.B, address string) *client {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

// do sends a request, reads the answer and returns its status.
func (c *client) do(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	length := 0
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if first {
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, err
			}
			continue
		}
		if name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(": ")); ok {
			if bytes.EqualFold(name, []byte("Content-Length")) {
				if length, err = strconv.Atoi(string(value)); err != nil {
					return 0, err
				}
			}
			continue
		}
		_, err = c.in.Discard(length)
		return status, err
	}
}

// post returns a request that writes a batch.
func post(stream string, batch protocol.Batch) []byte {
	body := batch.Append(nil)
	return fmt.Appendf(nil, "POST /v1/streams/%s/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		stream, protocol.MediaType, len(body), body)
}

// listen serves h as the relay is served.
func listen(b *testing.B, serve func(net.Listener) error) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = serve(l) }()
	b.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// nothing answers every request with what a written record takes.
func nothing(l net.Listener) error {
	answer := protocol.Encode(protocol.Written{First: 1, Last: 1})
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	}))
}

// BenchmarkAppend writes single entries of 256 bytes from a number of writers,
// to the relay and, for comparison, to a server that does nothing.
func BenchmarkAppend(b *testing.B) {
	entry := make([]byte, 256)
	for _, target := range []string{"relay", "nothing"} {
		for _, writers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("to=%s/writers=%d", target, writers), func(b *testing.B) {
				serve := nothing
				if target == "relay" {
					r, err := relay.Open(b.Context(), b.TempDir(), relay.Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(func() {
						if err := r.Shutdown(b.Context()); err != nil {
							b.Error(err)
						}
					})
					serve = r.Serve
				}
				address := listen(b, serve)
				request := post("bench", protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(entry)})
				load(b, address, writers, request)
			})
		}
	}
}

// load sends b.N requests from a number of clients.
func load(b *testing.B, address string, clients int, request []byte) {
	var sent atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range clients {
		c := dial(b, address)
		wg.Go(func() {
			for sent.Add(1) <= int64(b.N) {
				if status, err := c.do(request); err != nil || status != http.StatusOK {
					b.Errorf("status %d, %v", status, err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
