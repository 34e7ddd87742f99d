//go:build unix

package relay_test

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

const (
	// kills is how often the relay dies: often enough to meet it in every phase
	// of a commit, within a minute.
	kills = 50

	// killWriters is how many write at the same time, so that commits hold
	// several batches.
	killWriters = 8
)

// killStreams are the streams that they write to.
var killStreams = []string{"calendar", "notes", "photos-index"}

// sentBatch is a batch that was sent to the relay.
type sentBatch struct {
	stream  string
	entries [][]byte
	first   uint64 // where it was acknowledged to be; 0 if it never was
}

// oracle knows what was sent and what was acknowledged.
type oracle struct {
	mu   sync.Mutex
	sent map[string]*sentBatch // by its first entry, which no other has
}

// write sends a batch of random entries and notes what became of it.
func (o *oracle) write(c *http.Client, base string) error {
	b := &sentBatch{stream: killStreams[mathrand.IntN(len(killStreams))]}
	for range 1 + mathrand.IntN(6) {
		entry := make([]byte, 16+mathrand.IntN(2000))
		rand.Read(entry)
		b.entries = append(b.entries, entry)
	}
	body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: b.entries})
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.sent[string(b.entries[0])] = b
	o.mu.Unlock()
	var written writtenMessage
	status, err := ask(c, http.MethodPost, base+"/v1/streams/"+b.stream+"/entries", body, &written)
	if err != nil {
		return err
	}
	if status != http.StatusOK || written.Last-written.First+1 != uint64(len(b.entries)) {
		return fmt.Errorf("status %d, written %+v", status, written)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	b.first = written.First
	return nil
}

// acknowledged counts the batches that were.
func (o *oracle) acknowledged() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.sent {
		if b.first > 0 {
			n++
		}
	}
	return n
}

// check compares what the relay holds with what it was sent: each batch is there
// whole or not at all, and each that was acknowledged is where it was said to be.
func (o *oracle) check(t *testing.T, c *http.Client, base string) {
	t.Helper()
	found := make(map[*sentBatch]uint64)
	for _, stream := range killStreams {
		entries := entriesOf(t, c, base, stream)
		for at := 0; at < len(entries); {
			b := o.sent[string(entries[at].Data)]
			if b == nil || b.stream != stream || at+len(b.entries) > len(entries) {
				t.Fatalf("%s holds something at %d that is not the start of a batch that was sent to it", stream, at+1)
			}
			for i, data := range b.entries {
				if e := entries[at+i]; !bytes.Equal(e.Data, data) || e.EndsBatch != (i == len(b.entries)-1) {
					t.Fatalf("%s holds part of a batch at %d", stream, at+i+1)
				}
			}
			if found[b] != 0 {
				t.Fatalf("%s holds a batch twice, at %d and %d", stream, found[b], at+1)
			}
			found[b] = uint64(at) + 1
			at += len(b.entries)
		}
	}
	for _, b := range o.sent {
		if b.first > 0 && found[b] != b.first {
			t.Fatalf("a batch that was acknowledged at %d of %s is at %d", b.first, b.stream, found[b])
		}
	}
}

// TestKill kills a relay that is being written to, again and again at random
// moments, and holds it to its word: what it acknowledged is there, at its
// place, and no batch is there in part.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	o := &oracle{sent: make(map[string]*sentBatch)}
	for range kills {
		p := start(t, dir)
		transport := &http.Transport{MaxIdleConnsPerHost: killWriters}
		c := &http.Client{Transport: transport}
		base := "http://" + p.address
		o.check(t, c, base)
		first := make(chan struct{}, killWriters)
		var writers sync.WaitGroup
		for range killWriters {
			writers.Go(func() {
				for o.write(c, base) == nil { // until it is killed
					select {
					case first <- struct{}{}:
					default:
					}
				}
				select {
				case first <- struct{}{}: // so that a relay that refuses fails the test below
				default:
				}
			})
		}
		<-first
		var moment [2]byte
		rand.Read(moment[:])
		time.Sleep(time.Duration(binary.BigEndian.Uint16(moment[:])) * time.Microsecond) // up to 65 ms
		p.kill()
		writers.Wait()
		transport.CloseIdleConnections()
	}
	p := start(t, dir)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	o.check(t, &http.Client{Transport: transport}, "http://"+p.address)
	acknowledged := o.acknowledged()
	if acknowledged < kills {
		t.Fatalf("only %d batches were acknowledged in %d lives", acknowledged, kills)
	}
	t.Logf("%d kills, %d batches sent, %d acknowledged, all of these there", kills, len(o.sent), acknowledged)
}
