package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"hearth/relay/protocol"
)

// request returns a request without a body but for what extra adds.
func (s *server) request(method, target, extra string) []byte {
	if s.key != "" {
		extra = "Authorization: Bearer " + s.key + "\r\n" + extra
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, target, s.address, extra)
}

func (s *server) get(target string) []byte { return s.request("GET", target, "") }

// page returns a request for a page; no cursor means from the start.
func (s *server) page(stream string, after *protocol.Cursor, limit int) []byte {
	cursor := ""
	if after != nil {
		cursor = "after=" + after.String() + "&"
	}
	// The ceiling looks for the limit at the end.
	return s.get(fmt.Sprintf("/v1/streams/%s/entries?%slimit=%d", stream, cursor, limit))
}

// appendRequest is a request that writes a batch, to be sent again and again: each time
// with other content, or the published relay would take it for a repeat.
type appendRequest struct {
	bytes   []byte
	counter []byte // the part of the first entry that changes
	count   uint64
}

// append returns a request for a batch of random entries. They start like those of
// real clients, which are sealed: relays look after repeats of such.
func (s *server) append(stream string, entries, entrySize int) *appendRequest {
	data := make([][]byte, entries)
	for i := range data {
		data[i] = make([]byte, entrySize)
		rand.Read(data[i])
		data[i][0], data[i][1] = 'S', 1
	}
	body := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}.Append(nil)
	head := s.request("POST", "/v1/streams/"+stream+"/entries",
		fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", protocol.MediaType, len(body)))
	at := len(head) + bytes.Index(body, data[0])
	r := &appendRequest{bytes: append(head, body...)}
	// Behind the two bytes that say what it is, in the place of random ones, so
	// that no two writers' entries are the same either.
	r.counter = r.bytes[at+2 : at+10]
	r.count = binary.BigEndian.Uint64(r.counter)
	return r
}

// next returns the request with new content, valid until the next call.
func (r *appendRequest) next() []byte {
	r.count++
	binary.BigEndian.PutUint64(r.counter, r.count)
	return r.bytes
}
