//go:build unix

package relay_test

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// commands knows which commands were sent and what each was answered first.
type commands struct {
	mu    sync.Mutex
	next  int
	first map[string]string // by command_id; empty if no answer came
}

// frame returns the frame of a command. It publishes an event that says whose it
// is: with an id of its own or one that is drawn, and now and then one that is
// refused.
func frame(n int) (id, body string) {
	id = fmt.Sprintf("c%d", n)
	kind, given := "killed", ""
	if n%2 == 0 {
		given = fmt.Sprintf(`,"id":"e%d"`, n)
	}
	if n%10 == 0 {
		kind = "tick"
	}
	return id, fmt.Sprintf(`{"command_id":%q,"command":{"type":"publish","event":{"type":%q,"command":%q}%s}}`, id, kind, id, given)
}

// send sends a command and notes its answer. One that was answered before has to be
// answered the same.
func (c *commands) send(t *testing.T, client *http.Client, base string, n int) error {
	id, body := frame(n)
	c.mu.Lock()
	if _, sent := c.first[id]; !sent {
		c.first[id] = ""
	}
	c.mu.Unlock()
	response, err := client.Post(base+"/reflex/v1/streams/house/commands", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	answer := fmt.Sprint(response.StatusCode, " ", string(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch first := c.first[id]; {
	case first == "":
		c.first[id] = answer
	case first != answer:
		t.Errorf("%s was answered %s, and then %s", id, first, answer)
	}
	return nil
}

// sendAgain sends every command again.
func (c *commands) sendAgain(t *testing.T, client *http.Client, base string) {
	t.Helper()
	for n := range c.next {
		if err := c.send(t, client, base, n+1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKillWithCommands kills a relay that is being given commands, again and again
// at random moments. Whoever sends them again gets what he got before, if he got
// anything, and each has happened once.
func TestKillWithCommands(t *testing.T) {
	lives := max(killCount(t)/5, 2)
	dir := t.TempDir()
	c := &commands{first: make(map[string]string)}
	for range lives {
		p := start(t, dir)
		transport := &http.Transport{MaxIdleConnsPerHost: killWriters}
		client := &http.Client{Transport: transport}
		base := "http://" + p.address
		c.sendAgain(t, client, base)
		first := make(chan struct{}, 1)
		var senders sync.WaitGroup
		for range killWriters {
			senders.Go(func() {
				for err := error(nil); err == nil; { // until it is killed
					c.mu.Lock()
					c.next++
					n := c.next
					c.mu.Unlock()
					err = c.send(t, client, base, n)
					select {
					case first <- struct{}{}:
					default:
					}
				}
			})
		}
		<-first
		var moment [2]byte
		rand.Read(moment[:])
		time.Sleep(time.Duration(binary.BigEndian.Uint16(moment[:])) * time.Microsecond) // up to 65 ms
		p.kill()
		senders.Wait()
		transport.CloseIdleConnections()
	}
	p := start(t, dir)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, base := &http.Client{Transport: transport}, "http://"+p.address
	c.sendAgain(t, client, base)

	where, refused := make(map[string]string), 0
	for id, answer := range c.first {
		var result struct {
			OK      bool
			Outcome struct {
				Seq       uint64
				ID        string
				Duplicate bool
			}
			Rejection struct{ Type string }
		}
		_, text, _ := strings.Cut(answer, " ")
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatalf("%s: %v in %s", id, err, answer)
		}
		if !result.OK {
			refused++
			if result.Rejection.Type != "forbidden" {
				t.Errorf("%s: %s", id, answer)
			}
			continue
		}
		if result.Outcome.Duplicate {
			t.Errorf("%s happened twice: %s", id, answer)
		}
		where[id] = fmt.Sprint(result.Outcome.Seq, " ", result.Outcome.ID)
	}
	found := make(map[string]string)
	ids := make(map[string]bool)
	for _, e := range (&follower{stream: "house"}).rest(t, client, base) {
		var envelope struct {
			Seq   uint64
			ID    string
			Event struct{ Command string }
		}
		if err := json.Unmarshal(e.Data, &envelope); err != nil {
			t.Fatal(err)
		}
		if envelope.Seq != e.Seq || ids[envelope.ID] || found[envelope.Event.Command] != "" {
			t.Errorf("at %d: %s", e.Seq, e.Data)
		}
		ids[envelope.ID] = true
		found[envelope.Event.Command] = fmt.Sprint(envelope.Seq, " ", envelope.ID)
	}
	if !maps.Equal(where, found) {
		for _, id := range slices.Sorted(maps.Keys(where)) {
			if where[id] != found[id] {
				t.Errorf("%s was said to be at %q and is at %q", id, where[id], found[id])
			}
		}
		t.Errorf("%d commands, %d events", len(where), len(found))
	}
	if len(found) < lives || refused == 0 {
		t.Errorf("only %d events and %d refusals in %d lives", len(found), refused, lives)
	}
	t.Logf("%d lives, %d commands, %d of them refused", lives, len(c.first), refused)
}
