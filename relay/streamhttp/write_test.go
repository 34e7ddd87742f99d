package streamhttp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A batch lands whole, at consecutive positions, and is read back as it was
// sent, empty entries included; the last entry of each batch says so.
func TestWriteAndRead(t *testing.T) {
	r := start(t)
	first := r.write(t, "notes", batch{Epoch: 1, Entries: [][]byte{[]byte("a"), {}, data(70_000)}})
	second := r.write(t, "notes", batch{Epoch: 4, Entries: [][]byte{{}}, Stream: first.Stream})
	if diff := cmp.Diff(written{Stream: first.Stream, Epoch: 1, First: 1, Last: 3}, first); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(written{Stream: first.Stream, Epoch: 4, First: 4, Last: 4}, second); diff != "" {
		t.Error(diff)
	}
	p := r.read(t, "notes", "")
	for i := range p.Entries {
		if len(p.Entries[i].Hash) != 32 {
			t.Errorf("a link of %d bytes", len(p.Entries[i].Hash))
		}
		p.Entries[i].Hash = nil
	}
	if diff := cmp.Diff(page{Stream: first.Stream, Epoch: 4, Head: 4, Entries: []entry{
		{Seq: 1, Epoch: 1, Data: []byte("a")},
		{Seq: 2, Epoch: 1, Data: []byte{}},
		{Seq: 3, Epoch: 1, Data: data(70_000), EndsBatch: true},
		{Seq: 4, Epoch: 4, Data: []byte{}, EndsBatch: true},
	}}, p); diff != "" {
		t.Error(diff)
	}
}

// The media type counts whatever its case and parameters; of two headers the
// first; the query of a write is ignored.
func TestMediaTypes(t *testing.T) {
	r := start(t)
	body := encode(t, batch{Epoch: 1, Entries: [][]byte{{1}}})
	for _, types := range [][]string{
		{"application/cbor"},
		{"Application/CBOR"},
		{"application/cbor; x=y"},
		{"application/cbor;"},
		{"application/cbor; x"},
		{" application/cbor ; charset=utf-8"},
		{"application/cbor", "text/plain"},
	} {
		a := r.do(t, http.MethodPost, path("notes")+"?limit=0&x=%zz;", http.Header{"Content-Type": types}, bytes.NewReader(body))
		if a.status != http.StatusOK {
			t.Errorf("%q: status %d", types, a.status)
		}
	}
}

// A sealed batch that comes again is not written again, and says so; any other
// one is, as often as it comes.
func TestRepeated(t *testing.T) {
	r := start(t)
	sealed := batch{Epoch: 1, Entries: [][]byte{append([]byte("S\x01"), data(60)...), append([]byte("L\x01"), data(60)...)}}
	first := r.write(t, "notes", sealed)
	sealed.Stream = first.Stream
	again := r.write(t, "notes", sealed)
	if diff := cmp.Diff(written{Stream: first.Stream, Epoch: 1, First: 1, Last: 2, Repeated: true}, again); diff != "" {
		t.Error(diff)
	}
	for i := range uint64(2) {
		if w := r.writeEntries(t, "notes", "plain"); w.First != 3+i || w.Repeated {
			t.Errorf("written as %+v", w)
		}
	}
}

// A batch may say which position it is meant for, and with position 1 which
// identity its stream has to have.
func TestFirst(t *testing.T) {
	r := start(t)
	id := bytes.Repeat([]byte{9}, 16)
	if w := r.write(t, "copy", batch{Epoch: 2, Entries: [][]byte{{1}, {2}}, Stream: id, First: 1}); !bytes.Equal(w.Stream, id) {
		t.Errorf("the stream is %x", w.Stream)
	}
	if w := r.write(t, "copy", batch{Epoch: 2, Entries: [][]byte{{3}}, Stream: id, First: 3}); w.Last != 3 {
		t.Errorf("written as %+v", w)
	}
	if p := r.post(t, "copy", batch{Epoch: 2, Entries: [][]byte{{3}}, Stream: id, First: 5}).problem(t); p.Code != "out_of_place" || *p.Head != 3 {
		t.Errorf("%+v", p)
	}
}

// A body may hold very many entries of no bytes; they are all there, and other
// writers are not kept from theirs.
func TestManyEmptyEntries(t *testing.T) {
	r := start(t)
	const count = 200_000
	entries := make([][]byte, count)
	for i := range entries {
		entries[i] = []byte{}
	}
	if w := r.write(t, "notes", batch{Epoch: 1, Entries: entries}); w.First != 1 || w.Last != count {
		t.Errorf("written as %+v", w)
	}
	r.writeEntries(t, "other", "a")
	seen := 0
	for query := "?limit=10000"; ; {
		p := r.read(t, "notes", query)
		for _, e := range p.Entries {
			seen++
			if e.Seq != uint64(seen) || len(e.Data) != 0 || e.EndsBatch != (seen == count) {
				t.Fatalf("entry %d is %+v", seen, e)
			}
		}
		if p.Entries[len(p.Entries)-1].Seq == p.Head {
			break
		}
		query = "?limit=10000&after=" + p.after()
	}
	if seen != count {
		t.Errorf("%d entries, want %d", seen, count)
	}
}

// Spaces keep their streams apart: the same name is another stream in each.
func TestSpaces(t *testing.T) {
	r := start(t)
	home := r.writeEntries(t, "notes", "a")
	body := encode(t, batch{Epoch: 1, Entries: [][]byte{{1}, {2}}})
	a := r.do(t, http.MethodPost, path("notes"), http.Header{"Content-Type": {"application/cbor"}, "Hearth-Space": {"family"}}, bytes.NewReader(body))
	family := decode[written](t, a.body)
	if bytes.Equal(home.Stream, family.Stream) || family.First != 1 || family.Last != 2 {
		t.Errorf("written as %+v beside %+v", family, home)
	}
	told := decode[heads](t, r.do(t, http.MethodGet, "/v1/wait?watch=notes", http.Header{"Hearth-Space": {"family"}}, nil).body)
	if diff := cmp.Diff([]head{{"notes", family.Stream, 2}}, told.Heads); diff != "" {
		t.Error(diff)
	}
}

// An open relay serves the network, in its default space.
func TestOpen(t *testing.T) {
	r := start(t)
	r.open.Store(true)
	r.writeEntries(t, "notes", "a")
	a := r.do(t, http.MethodGet, path("notes"), http.Header{"X-Forwarded-For": {"198.51.100.7"}}, nil)
	if a.status != http.StatusOK || decode[page](t, a.body).Head != 1 {
		t.Errorf("status %d", a.status)
	}
}

// Whoever writes at the same time, each batch stays together and every reader
// sees the same order.
func TestRacingWriters(t *testing.T) {
	r := start(t)
	const writers, batches = 8, 10
	done := make(chan error, writers)
	for i := range writers {
		go func() {
			for j := range batches {
				entry := []byte{byte(i), byte(j)}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.addr+path("notes"),
					bytes.NewReader(encode(t, batch{Epoch: 1, Entries: [][]byte{entry, entry, entry}})))
				if err != nil {
					done <- err
					return
				}
				req.Header = cborHeader.Clone()
				resp, err := r.client.Do(req)
				if err != nil {
					done <- err
					return
				}
				if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
					done <- fmt.Errorf("status %d, %w", resp.StatusCode, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	all := r.read(t, "notes", "").Entries
	if len(all) != 3*writers*batches {
		t.Fatalf("%d entries", len(all))
	}
	next := make([]byte, writers)
	for i := 0; i < len(all); i += 3 {
		d := all[i].Data
		if !bytes.Equal(d, all[i+1].Data) || !bytes.Equal(d, all[i+2].Data) || d[1] != next[d[0]] {
			t.Fatalf("at %d: %v", i, all[i:i+3])
		}
		next[d[0]]++
	}
	var paged []entry
	for query := "?limit=7"; len(paged) < len(all); {
		p := r.read(t, "notes", query)
		paged = append(paged, p.Entries...)
		query = "?limit=7&after=" + p.after()
	}
	if diff := cmp.Diff(all, paged); diff != "" {
		t.Error(diff)
	}
}
