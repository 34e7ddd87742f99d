//go:build unix

package relay_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

const (
	// killsVariable is the environment's variable that says how often the relay
	// dies.
	killsVariable = "HEARTH_KILLS"

	// kills is how often it dies if nobody says: often enough to meet it in every
	// phase of a commit, within a minute.
	kills = 50

	// killWriters is how many write at the same time, so that commits hold
	// several batches.
	killWriters = 8
)

// killStreams are the streams that they write to.
var killStreams = []string{"calendar", "notes", "photos-index"}

// sum names an entry: a long run sends more than memory should hold.
type sum = [sha256.Size]byte

// sentBatch is a batch that was sent to the relay.
type sentBatch struct {
	stream  string
	entries []sum
	first   uint64 // where it was acknowledged to be; 0 if it never was
	found   uint64 // where it is; 0 if it was not seen yet
}

// oracle knows what was sent and what was acknowledged.
type oracle struct {
	mu   sync.Mutex
	sent map[sum]*sentBatch // by its first entry, which no other has

	readers []*follower // of all streams, up to where they were checked
}

func newOracle() *oracle {
	o := &oracle{sent: make(map[sum]*sentBatch)}
	o.startOver()
	return o
}

// startOver makes the next check one of everything.
func (o *oracle) startOver() {
	o.readers = nil
	for _, stream := range killStreams {
		o.readers = append(o.readers, &follower{stream: stream})
	}
	for _, b := range o.sent {
		b.found = 0
	}
}

// write sends a batch of random entries and notes what became of it.
func (o *oracle) write(c *http.Client, base string) error {
	b := &sentBatch{stream: killStreams[mathrand.IntN(len(killStreams))]}
	var entries [][]byte
	for range 1 + mathrand.IntN(6) {
		entry := make([]byte, 16+mathrand.IntN(2000))
		rand.Read(entry)
		entries = append(entries, entry)
		b.entries = append(b.entries, sha256.Sum256(entry))
	}
	body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: entries})
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.sent[b.entries[0]] = b
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

// check compares what the relay holds, from where the last check ended, with what
// it was sent: each batch is there whole or not at all, and each that was
// acknowledged is where it was said to be.
func (o *oracle) check(t *testing.T, c *http.Client, base string) {
	t.Helper()
	for _, r := range o.readers {
		first := r.seq + 1
		for entries := r.rest(t, c, base); len(entries) > 0; {
			b := o.sent[sha256.Sum256(entries[0].Data)]
			if b == nil || b.stream != r.stream || len(b.entries) > len(entries) {
				t.Fatalf("%s holds something at %d that is not the start of a batch that was sent to it", r.stream, first)
			}
			for i, want := range b.entries {
				if e := entries[i]; sha256.Sum256(e.Data) != want || e.EndsBatch != (i == len(b.entries)-1) {
					t.Fatalf("%s holds part of a batch at %d", r.stream, e.Seq)
				}
			}
			if b.found != 0 {
				t.Fatalf("%s holds a batch twice, at %d and %d", r.stream, b.found, first)
			}
			b.found = first
			first += uint64(len(b.entries))
			entries = entries[len(b.entries):]
		}
	}
	for _, b := range o.sent {
		if b.first > 0 && b.found != b.first {
			t.Fatalf("a batch that was acknowledged at %d of %s is at %d", b.first, b.stream, b.found)
		}
	}
}

// killCount returns how often the relay is to die.
func killCount(t *testing.T) int {
	text, given := os.LookupEnv(killsVariable)
	if !given {
		return kills
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s takes a number of kills, not %q", killsVariable, text)
	}
	return n
}

// TestKill kills a relay that is being written to, again and again at random
// moments, and holds it to its word: what it acknowledged is there, at its
// place, no batch is there in part, and readers go on where they stood. At the end
// all of it is read once more from the start.
func TestKill(t *testing.T) {
	kills := killCount(t)
	dir := t.TempDir()
	o := newOracle()
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
	o.startOver()
	o.check(t, &http.Client{Transport: transport}, "http://"+p.address)
	acknowledged := o.acknowledged()
	if acknowledged < kills {
		t.Fatalf("only %d batches were acknowledged in %d lives", acknowledged, kills)
	}
	t.Logf("%d kills, %d batches sent, %d acknowledged, all of these there", kills, len(o.sent), acknowledged)
}
