package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"hearth/relay/protocol"
)

// entryBytes is the size of an entry: a sealed change of a few fields.
const entryBytes = 256

// appends is a request that appends so many entries to a stream in one batch.
func appends(stream string, entries int) []byte {
	data := make([][]byte, entries)
	for i := range data {
		data[i] = make([]byte, entryBytes)
	}
	body := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}.Append(nil)
	return fmt.Appendf(nil, "POST /v1/streams/%s/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		stream, protocol.MediaType, len(body), body)
}

// writer sends the same request again and again.
type writer struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func newWriter(address string, request []byte) (*writer, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &writer{conn, bufio.NewReader(conn), request}, nil
}

func (w *writer) write() error {
	if _, err := w.conn.Write(w.request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("an append was answered with %s", answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// flood lets writers append to a stream each, as fast as they are answered, for a
// time, and returns how many appends a second came of it.
func flood(ctx context.Context, address string, writers int, during time.Duration) (float64, error) {
	counts, errs := make([]int, writers), make([]error, writers)
	begun := time.Now()
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			counts[i], errs[i] = one(ctx, address, fmt.Sprintf("stream-%d", i), 0, during)
		})
	}
	group.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(begun).Seconds(), errors.Join(errs...)
}

// one appends entries to a stream for a time, at most one in every period, and
// returns how many there were.
func one(ctx context.Context, address, stream string, every, during time.Duration) (count int, err error) {
	w, err := newWriter(address, appends(stream, 1))
	if err != nil {
		return 0, err
	}
	defer w.conn.Close()
	for begun := time.Now(); time.Since(begun) < during; count++ {
		if ctx.Err() != nil {
			return count, ctx.Err()
		}
		time.Sleep(time.Until(begun.Add(time.Duration(count) * every)))
		if err := w.write(); err != nil {
			return count, err
		}
	}
	return count, nil
}

// fill writes a stream with so many entries.
func fill(ctx context.Context, address, stream string, entries int) error {
	const batch = 1000
	w, err := newWriter(address, appends(stream, batch))
	if err != nil {
		return err
	}
	defer w.conn.Close()
	for range entries / batch {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.write(); err != nil {
			return err
		}
	}
	return nil
}
