//go:build unix

package relay_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/fxamacker/cbor/v2"
)

const (
	// racers ask at the same time.
	racers = 8

	// races is how often each of them asks.
	races = 100
)

// asked is what a client asks of a stream.
type asked struct {
	what   string // "append", "read" or "wait"
	stream string
	entry  string // to append
	first  uint64 // where it has to land, or 0
	seq    uint64 // where the client that waits stands
}

// told is what it is answered.
type told struct {
	refused bool   // for the entry would not land where it has to
	seq     uint64 // where the entry is, or the head
	entries string // all of them, read from the start
	news    bool   // whether a wait had something to tell
}

// streamModel is a stream as the contract has it, as far as clients can tell what
// happened in which order: its state is the entries, one after the other.
var streamModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		of := make(map[string]int)
		for _, op := range history {
			name := op.Input.(asked).stream
			at, ok := of[name]
			if !ok {
				at, of[name] = len(parts), len(parts)
				parts = append(parts, nil)
			}
			parts[at] = append(parts[at], op)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		entries, in, out := state.(string), input.(asked), output.(told)
		head := uint64(strings.Count(entries, "\n"))
		switch in.what {
		case "append":
			if out.refused {
				return in.first != head+1 && out.seq == head, entries
			}
			return out.seq == head+1 && (in.first == 0 || in.first == head+1), entries + in.entry + "\n"
		case "read":
			return out.seq == head && out.entries == entries, entries
		default:
			return out.news == (head != in.seq) && (!out.news || out.seq == head), entries
		}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// racer is a client that asks one thing after the other.
type racer struct {
	c     *http.Client
	base  string
	id    int
	known map[string]*known // of the streams
}

// known is what a client knows of a stream.
type known struct {
	identity []byte // nil until it was read
	head     uint64
}

// ask asks something at random, close to what the client knows, which others are
// changing meanwhile.
func (r *racer) ask(stream string, n int) (in asked, out told, err error) {
	k := r.known[stream]
	in = asked{stream: stream}
	switch rand.IntN(5) {
	case 0, 1:
		in.what, in.entry = "append", fmt.Sprintf("%d of %d", n, r.id)
		if rand.IntN(2) == 0 {
			in.first = k.head + 1
		}
		out, err = r.append(in)
	case 2, 3:
		in.what = "read"
		out, err = r.read(in)
	default:
		in.what = "wait"
		if k.identity != nil {
			in.seq = k.head
		}
		out, err = r.wait(in)
	}
	k.head = max(k.head, out.seq)
	return in, out, err
}

func (r *racer) append(in asked) (out told, err error) {
	message := struct {
		Epoch   uint32   `cbor:"0,keyasint"`
		Entries [][]byte `cbor:"1,keyasint"`
		First   uint64   `cbor:"3,keyasint,omitempty"`
	}{1, [][]byte{[]byte(in.entry)}, in.first}
	body, err := cbor.Marshal(message)
	if err != nil {
		return out, err
	}
	var written writtenMessage
	answer, err := r.send(http.MethodPost, "/v1/streams/"+in.stream+"/entries", body)
	switch {
	case err != nil:
		return out, err
	case answer.status == http.StatusConflict:
		var p struct {
			Code string `cbor:"0,keyasint"`
			Head uint64 `cbor:"2,keyasint"`
		}
		err = cbor.Unmarshal(answer.body, &p)
		return told{refused: p.Code == "out_of_place", seq: p.Head}, err
	case answer.status != http.StatusOK:
		return out, fmt.Errorf("status %d", answer.status)
	}
	err = cbor.Unmarshal(answer.body, &written)
	return told{seq: written.First}, err
}

func (r *racer) read(in asked) (out told, err error) {
	answer, err := r.send(http.MethodGet, "/v1/streams/"+in.stream+"/entries?limit=10000", nil)
	switch {
	case err != nil:
		return out, err
	case answer.status == http.StatusNotFound:
		return out, nil
	case answer.status != http.StatusOK:
		return out, fmt.Errorf("status %d", answer.status)
	}
	var page pageMessage
	if err := cbor.Unmarshal(answer.body, &page); err != nil {
		return out, err
	}
	r.known[in.stream].identity = page.Stream
	for _, e := range page.Entries {
		out.entries += string(e.Data) + "\n"
	}
	out.seq = page.Head
	return out, nil
}

func (r *racer) wait(in asked) (out told, err error) {
	watch := in.stream
	if in.seq > 0 {
		watch += fmt.Sprintf(":%d.%x.%x", in.seq, r.known[in.stream].identity, make([]byte, 32))
	}
	answer, err := r.send(http.MethodGet, "/v1/wait?timeout=1&watch="+watch, nil)
	if err != nil {
		return out, err
	}
	if answer.status != http.StatusOK {
		return out, fmt.Errorf("status %d", answer.status)
	}
	var heads headsMessage
	if err := cbor.Unmarshal(answer.body, &heads); err != nil {
		return out, err
	}
	if len(heads.Heads) > 0 {
		out = told{news: true, seq: heads.Heads[0].Head}
	}
	return out, nil
}

// answered is a whole answer.
type answered struct {
	status int
	body   []byte
}

func (r *racer) send(method, path string, body []byte) (a answered, err error) {
	request, err := http.NewRequest(method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	request.Header.Set("Content-Type", "application/cbor")
	response, err := r.c.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	a.body, err = io.ReadAll(response.Body)
	return a, err
}

// TestLinearizable has clients append, read and wait at the same time, and holds
// what they are told against the contract: there has to be an order of all of it,
// in which each thing happens at one moment between its question and its answer.
func TestLinearizable(t *testing.T) {
	p := start(t, t.TempDir())
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: racers}}
	defer c.CloseIdleConnections()
	streams := []string{"calendar", "notes"}
	var mu sync.Mutex
	var history []porcupine.Operation
	begin := time.Now()
	var racing sync.WaitGroup
	for id := range racers {
		r := &racer{c: c, base: "http://" + p.address, id: id, known: map[string]*known{streams[0]: {}, streams[1]: {}}}
		racing.Go(func() {
			for n := range races {
				called := time.Since(begin)
				in, out, err := r.ask(streams[rand.IntN(len(streams))], n)
				if err != nil {
					t.Errorf("%+v: %v", in, err)
					return
				}
				op := porcupine.Operation{ClientId: id, Input: in, Call: int64(called), Output: out, Return: int64(time.Since(begin))}
				mu.Lock()
				history = append(history, op)
				mu.Unlock()
			}
		})
	}
	racing.Wait()
	counts := make(map[string]int)
	for _, op := range history {
		in, out := op.Input.(asked), op.Output.(told)
		counts[fmt.Sprintf("%s refused=%v news=%v", in.what, out.refused, out.news)]++
	}
	t.Log(counts)
	if !porcupine.CheckOperations(streamModel, history) {
		t.Error("there is no order in which all of it can have happened")
	}
}
