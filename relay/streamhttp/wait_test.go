package streamhttp_test

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
)

// A wait only looks with timeout 0, and tells every watched stream that differs,
// in the order in which they were named: other entries, another identity, fewer
// entries, a stream that is gone, or without a cursor any entries at all.
func TestWaitLooks(t *testing.T) {
	r := start(t)
	a := r.writeEntries(t, "a", "1", "2")
	b := r.writeEntries(t, "b", "1")
	link := r.read(t, "a", "").Entries[1].Hash
	other := bytes.Repeat([]byte{7}, 16)
	genesis := protocol.Genesis(protocol.Identity(a.Stream))
	for _, tt := range []struct {
		name  string
		query string
		want  []head
	}{
		{"nothing known", "watch=a", []head{{"a", a.Stream, 2}}},
		{"up to date", "watch=a:" + cursor(2, a.Stream, link), []head{}},
		{"a wrong link at the head", "watch=a:" + cursor(2, a.Stream, genesis[:]), []head{}},
		{"behind", "watch=a:" + cursor(1, a.Stream, link), []head{{"a", a.Stream, 2}}},
		{"at the start", "watch=a:" + cursor(0, a.Stream, genesis[:]), []head{{"a", a.Stream, 2}}},
		{"ahead", "watch=a:" + cursor(9, a.Stream, link), []head{{"a", a.Stream, 2}}},
		{"another identity", "watch=a:" + cursor(2, other, link), []head{{"a", a.Stream, 2}}},
		{"gone", "watch=none:" + cursor(2, other, link), []head{{"none", nil, 0}}},
		{"gone at 0", "watch=none:" + cursor(0, other, link), []head{{"none", nil, 0}}},
		{"never there", "watch=none", []head{}},
		{
			"several", "watch=b&watch=none&watch=a:" + cursor(2, a.Stream, link) + "&watch=c:" + cursor(1, other, link),
			[]head{{"b", b.Stream, 1}, {"c", nil, 0}},
		},
		{"escaped", "w%61tch=a%3A" + cursor(1, a.Stream, link), []head{{"a", a.Stream, 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, r.wait(t, tt.query+"&timeout=0")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if r.hub.Topics() != 0 || r.records.waiting.Load() != 0 {
		t.Error("something is left of the waits")
	}
}

// A wait is answered at once if there is a difference already, and empty when
// its time is up.
func TestWaitEnds(t *testing.T) {
	r := start(t)
	w := r.writeEntries(t, "a", "1")
	if got := r.wait(t, "watch=a"); len(got) != 1 || got[0].Head != w.Last {
		t.Errorf("told %+v", got)
	}
	start := time.Now()
	if got := r.wait(t, "watch=none&timeout=%2B01"); len(got) != 0 {
		t.Errorf("told %+v", got)
	}
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("ended after %v", waited)
	}
	r.hub.Close()
	if got := r.wait(t, "watch=none&timeout=60"); len(got) != 0 {
		t.Errorf("told %+v", got)
	}
	if got := r.wait(t, "watch=a&timeout=60"); len(got) != 1 {
		t.Errorf("a relay that stops does not tell what differs: %+v", got)
	}
}

// held asks for a wait on a connection of its own.
func (r *relay) held(t *testing.T, query string) *conn {
	t.Helper()
	c := r.dial(t)
	c.say(t, "GET /v1/wait?timeout=60&"+query+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return c
}

// An append wakes those who watch that stream and nobody else, however many
// wait; each is told all that differs by then. Those whose stream did not move
// are answered empty when the relay stops.
func TestManyWaiters(t *testing.T) {
	r := start(t)
	const each = 1000
	var moved, still []*conn
	for i := range each {
		moved = append(moved, r.held(t, "watch=a&watch=s"+strconv.Itoa(i)))
		still = append(still, r.held(t, "watch=b"))
	}
	eventually(t, "all wait", func() bool { return r.records.waiting.Load() == 2*each && r.hub.Topics() == each+2 })
	w := r.writeEntries(t, "a", "1")
	want := []head{{"a", w.Stream, 1}}
	for _, c := range moved {
		if diff := cmp.Diff(want, decode[heads](t, c.hear(t, http.MethodGet).body).Heads); diff != "" {
			t.Fatal(diff)
		}
	}
	eventually(t, "the woken are gone", func() bool { return r.records.waiting.Load() == each && r.hub.Topics() == 1 })
	r.hub.Close()
	for _, c := range still {
		if got := decode[heads](t, c.hear(t, http.MethodGet).body).Heads; len(got) != 0 {
			t.Fatalf("told %+v", got)
		}
	}
	eventually(t, "nothing is left", func() bool { return r.records.waiting.Load() == 0 && r.hub.Topics() == 0 })
}

// Who watches a name that is not there is told when it comes to be, and who
// holds a cursor of another stream of that name was told at once.
func TestWaitForFirstBatch(t *testing.T) {
	r := start(t)
	c := r.held(t, "watch=new")
	eventually(t, "it waits", func() bool { return r.hub.Topics() == 1 })
	w := r.writeEntries(t, "new", "1", "2")
	if diff := cmp.Diff([]head{{"new", w.Stream, 2}}, decode[heads](t, c.hear(t, http.MethodGet).body).Heads); diff != "" {
		t.Error(diff)
	}
}

// A client that goes away leaves nothing behind, not even the name it watched.
func TestWaitCancelled(t *testing.T) {
	r := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+"/v1/wait?watch=never&timeout=60", http.NoBody)
		if err != nil {
			done <- err
			return
		}
		resp, err := r.client.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		done <- err
	}()
	eventually(t, "it waits", func() bool { return r.hub.Topics() == 1 })
	cancel()
	if err := <-done; err == nil {
		t.Error("the wait was answered")
	}
	eventually(t, "nothing is left", func() bool { return r.records.waiting.Load() == 0 && r.hub.Topics() == 0 })
	if recorded := r.records.takeRefusals(); len(recorded) != 0 {
		t.Errorf("recorded as refused: %+v", recorded)
	}
}

// The wake-up of a wait on 64 streams lists the one that moved, whichever it is.
func TestWaitOnMany(t *testing.T) {
	r := start(t)
	query := ""
	for i := range protocol.MaxWatches {
		query += "&watch=s" + strconv.Itoa(i)
	}
	c := r.held(t, query[1:])
	eventually(t, "it waits", func() bool { return r.hub.Topics() == protocol.MaxWatches })
	w := r.writeEntries(t, "s63", "1")
	if diff := cmp.Diff([]head{{"s63", w.Stream, 1}}, decode[heads](t, c.hear(t, http.MethodGet).body).Heads); diff != "" {
		t.Error(diff)
	}
}
