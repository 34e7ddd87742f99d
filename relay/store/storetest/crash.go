package storetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// crash kills the store while batches are on their way to each of the streams, at
// the moment when some of them are safe and not answered yet, and goes on with what
// is in its folder then. Those that were published are there, and nothing of the
// others.
func (d *driver) crash(t *testing.T, rt *rapid.T) {
	rt.Helper()
	moves := rapid.IntRange(0, 2).Draw(rt, "moves before")
	racing := make(map[store.Ref]store.Append)
	publishing := make(map[store.Ref]store.Publish)
	for i, ref := range d.refs() {
		if s := d.model.streams[ref]; s != nil && s.kind == store.Events {
			publishing[ref] = d.publication(rt, ref)
			continue
		}
		a := store.Append{Ref: ref, Batch: batch(3, entries(rt)...)}
		if i == 0 { // which takes several transactions
			a.Batch = batch(3, slices.Repeat([]string{strings.Repeat("z", 400_000)}, 3)...)
		}
		racing[ref] = a
	}
	left := t.TempDir()
	begin := len(d.heard())
	published, killed := d.killAfter(begin+moves, func() { copyFolder(t, d.folder, left) })
	var writing sync.WaitGroup
	for _, a := range racing {
		writing.Go(func() {
			if _, err := d.Append(d.ctx, a); err != nil {
				t.Errorf("appending to %s: %v", a.Name, err)
			}
		})
	}
	for _, p := range publishing {
		writing.Go(func() {
			_, err := d.Publish(d.ctx, p)
			if _, refusal := d.model.publish(p); refusal == nil && err != nil {
				t.Errorf("publishing to %s: %v", p.Name, err)
			}
		})
	}
	writing.Wait()
	killed()
	if err := d.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	if err := os.RemoveAll(d.folder); err != nil {
		t.Error(err)
	}
	d.folder = left
	d.Store = d.open(t, left, d.hear)
	for _, m := range published()[begin:] {
		if p, ok := publishing[m.Ref]; ok {
			d.survived(rt, p, m)
			continue
		}
		want, refusal := d.model.append(racing[m.Ref], m.Stream)
		if refusal != nil || want.Repeated || want.Last != m.Head {
			rt.Fatalf("%+v was published, which should have been %+v, %v", m, want, refusal)
		}
		d.moves = append(d.moves, m)
	}
	for _, p := range publishing {
		d.remembered(rt, p)
	}
	d.compare(rt)
}

// survived takes a publication that was told of into the model: its events are
// there, with their ids, and its result is remembered if it is a command.
func (d *driver) survived(rt *rapid.T, p store.Publish, m store.Moved) {
	want, refusal := d.model.publish(p)
	if refusal != nil || want.Last != m.Head {
		rt.Fatalf("%+v was published, which should have been %+v, %v", m, want, refusal)
	}
	d.adopt(rt, p, m.Stream, want)
	if p.Command == nil {
		return
	}
	for id, seq := range d.model.streams[p.Ref].ids {
		if seq == want.First {
			d.model.commands[*p.Command] = store.Published{Seq: seq, ID: id}.Result()
		}
	}
}

// remembered takes the result of a command that wrote nothing into the model, if it
// came to the disk: nobody was told of that.
func (d *driver) remembered(rt *rapid.T, p store.Publish) {
	if p.Command == nil || d.model.commands[*p.Command] != nil {
		return
	}
	result, found, err := d.Recall(d.ctx, *p.Command)
	want, refusal := d.model.publish(p)
	switch {
	case err != nil:
		rt.Fatal(err)
	case !found:
	case refusal != nil || want.First > 0 || string(result) != string(want.Events[0].Result()):
		rt.Fatalf("of %+v %s is remembered, should be %+v, %v", p.Command, result, want, refusal)
	default:
		d.model.commands[*p.Command] = result
	}
}

// killAfter runs kill once more than so many moves were published, on the store's
// own goroutine, or when killed is called: after which only those that were
// published by then have happened.
func (s *subject) killAfter(moves int, kill func()) (published func() []store.Moved, killed func()) {
	var once sync.Once
	var kept int
	do := func() { once.Do(func() { kill(); kept = len(s.moves) }) }
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = func() {
		if len(s.moves) > moves {
			do()
		}
	}
	killed = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		do()
		s.published, s.moves = nil, s.moves[:kept]
	}
	return s.heard, killed
}

// copyFolder copies the files of a folder, as they are, to another one.
func copyFolder(t *testing.T, from, to string) {
	files, err := os.ReadDir(from)
	if err != nil {
		t.Error(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, f.Name()), data, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// runs goes along a stream run by run, as those do who check or copy it.
func (d *driver) runs(rt *rapid.T) {
	ref := d.ref(rt)
	s := d.model.streams[ref]
	if s == nil {
		_, err := d.Runs(d.ctx, ref, 0, 1)
		same(rt, &store.NotFoundError{Ref: ref}, err)
		return
	}
	walk := store.NewWalk(ref, s.kind, s.id)
	var got []protocol.Entry
	for walk.Seq() < s.head() {
		runs, err := d.Runs(d.ctx, ref, walk.Seq(), s.head())
		if err != nil {
			rt.Fatal(err)
		}
		part, err := walk.Take(runs)
		if err == nil {
			err = part.Check()
		}
		if err != nil {
			rt.Fatal(err)
		}
		for _, run := range runs {
			for e, err := range (store.Page{Wire: [][]byte{run.Wire}}).All() {
				if err != nil {
					rt.Fatal(err)
				}
				got = append(got, e)
			}
		}
	}
	if diff := cmp.Diff(s.entries, got, comparing); diff != "" {
		rt.Fatalf("the runs (-want +got):\n%s", diff)
	}
}

// epochs compares where the epochs of a stream begin.
func (d *driver) epochs(rt *rapid.T) {
	ref := d.ref(rt)
	var want []store.EpochStart
	var refusal error = &store.NotFoundError{Ref: ref}
	if s := d.model.streams[ref]; s != nil {
		refusal = nil
		for i, e := range s.entries {
			if i == 0 || e.Epoch != s.entries[i-1].Epoch {
				want = append(want, store.EpochStart{Epoch: e.Epoch, Seq: e.Seq})
			}
		}
		slices.Reverse(want)
	}
	got, err := d.Epochs(d.ctx, ref, everything)
	same(rt, refusal, err)
	if diff := cmp.Diff(want, got, comparing); diff != "" {
		rt.Fatalf("the epochs (-want +got):\n%s", diff)
	}
}
