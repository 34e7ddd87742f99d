package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"hearth/relay/protocol"
)

// fixedEntry is the size of the entries in the fixed pages, in bytes: that of the
// streams that are read.
const fixedEntry = smallEntry

// ceilingServer answers what clients of a relay ask, always the same, without
// looking at it or keeping anything.
type ceilingServer struct {
	written []byte
	heads   []byte
	events  []byte // a page of them

	mu      sync.Mutex
	pages   map[string][]byte // by the limit that the reader gives
	waiting int
	news    chan struct{} // closed at the next write
}

// serveCeiling serves at an address until ctx ends.
func serveCeiling(ctx context.Context, address string) error {
	s := &ceilingServer{
		written: protocol.Encode(protocol.Written{Epoch: 1, First: 1, Last: 1}),
		heads:   protocol.Encode(protocol.Heads{Heads: []protocol.Head{{Stream: "bench", ID: new(protocol.Identity), Head: 1}}}),
		events:  fixedEvents(),
		pages:   make(map[string][]byte),
		news:    make(chan struct{}),
	}
	server := &http.Server{Addr: address, Handler: s} //nolint:gosec // timeouts cost time, and only the benchmark asks
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (s *ceilingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer []byte
	switch {
	case r.Method == http.MethodPost:
		_, _ = io.Copy(io.Discard, r.Body) // a client that breaks off misses its answer
		s.wake()
		answer = s.written
	case r.URL.Path == "/health":
	case r.URL.Path == "/v1/wait":
		s.wait(r.Context().Done())
		answer = s.heads
	case strings.HasPrefix(r.URL.Path, "/reflex/"):
		answer = s.events
	default:
		_, limit, _ := strings.Cut(r.URL.RawQuery, "limit=")
		answer = s.page(limit)
	}
	header := w.Header()
	header.Set("Content-Type", protocol.MediaType)
	header.Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer)
}

// longestWait is how long a wait lasts at most. One that begins after the write
// that it is meant for, on a machine that has much else to do, would last for ever;
// idle ones are looked at for less.
const longestWait = 20 * time.Second

// wait returns at the next write, or when the client is gone.
func (s *ceilingServer) wait(gone <-chan struct{}) {
	s.mu.Lock()
	s.waiting++
	news := s.news
	s.mu.Unlock()
	select {
	case <-news:
	case <-gone:
	case <-time.After(longestWait):
	}
}

// wake answers all who wait.
func (s *ceilingServer) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting > 0 {
		s.waiting = 0
		close(s.news)
		s.news = make(chan struct{})
	}
}

// page returns a page with as many entries as asked for: the first ones of a
// stream with a true chain.
func (s *ceilingServer) page(limit string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if page := s.pages[limit]; page != nil {
		return page
	}
	entries, _ := strconv.Atoi(limit) // a page of none shows in the reader
	var stream protocol.Identity
	chain := protocol.NewChain(0, protocol.Genesis(stream))
	data := bytes.Repeat([]byte{'S', 1}, fixedEntry/2)
	page := protocol.AppendPage(nil, stream, 1, uint64(entries), entries)
	for range entries {
		link := chain.Next(1, data)
		page = protocol.Entry{
			Seq: chain.Seq(), Epoch: 1, Link: link, Data: data, EndsBatch: chain.Seq()%batchEntries == 0,
		}.Append(page)
	}
	s.pages[limit] = page
	return page
}

// fixedEvents returns a page of events as they are when read.
func fixedEvents() []byte {
	page := []byte("[")
	for seq := range eventPage {
		if seq > 0 {
			page = append(page, ',')
		}
		page = fmt.Appendf(page, `%s%d,"id":"evt_0123456789ab_%d","ts":"2026-11-30T12:00:00.000001Z","stream_id":%q,`+
			`"actor":{"kind":"user","id":"local"},"causation":null,"correlation_id":"evt_0123456789ab_%d","event":%s}`,
			eventStart, seq+1, seq+1, stream, seq+1, sample)
	}
	return append(page, ']')
}
