package reflex_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// drama is a stream, those who follow it, and what they should get.
type drama struct {
	*place
	stream    string
	opaque    bool
	types     []string // of each entry, from position 1 on
	bodies    []string
	followers []*watched
}

// watched is a follower with what is expected of him.
type watched struct {
	*follower
	after uint64
	types *[]string
}

// write appends entries of some types and sizes.
func (d *drama) write(t *rapid.T) {
	// Also more than are kept, and larger ones than are kept, or sent at a time.
	shape := rapid.SampledFrom([]struct{ entries, size int }{
		{1, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 10_000}, {2, 70_000}, {40, 0}, {1, 1_200_000}, {1100, 0},
	}).Draw(t, "shape")
	n, size := shape.entries, shape.size
	batch := make([]store.Event, n)
	data := make([][]byte, n)
	for i := range n {
		kind := []string{"one", `tw"o`, "three"}[i*i%3]
		body := fmt.Sprintf(`{"type":%q,"n":%d,"text":%q}`, kind, len(d.types)+1, strings.Repeat("x", size))
		batch[i], data[i] = store.Event{JSON: []byte(body)}, []byte(body)
		if d.opaque {
			kind = "entry"
		}
		d.types, d.bodies = append(d.types, kind), append(d.bodies, body)
	}
	ref := store.Ref{Space: "default", Name: d.stream}
	var err error
	if d.opaque {
		_, err = d.store.Append(context.Background(), store.Append{Ref: ref, Batch: protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}})
	} else {
		_, err = d.store.Publish(context.Background(), store.Publish{
			Ref: ref, Origin: fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"system","name":"a"},"causation":null`, d.stream), Events: batch,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// join lets somebody follow.
func (d *drama) join(t *rapid.T) {
	w := &watched{}
	head := uint64(len(d.types))
	hello := reflex.Hello{}
	switch rapid.IntRange(0, 3).Draw(t, "from") {
	case 0:
		hello.FromHead, w.after = true, head
	case 1: // the start
	default:
		w.after = rapid.Uint64Range(0, head+2).Draw(t, "resume")
		hello.ResumeAfterSeq = new(w.after)
		if w.after > head {
			w.after = 0
		}
	}
	w.types = rapid.SampledFrom([]*[]string{nil, nil, {}, {"one"}, {`tw"o`, "never"}, {"entry", "three"}}).Draw(t, "types")
	hello.Types = w.types
	var err error
	w.follower, err = d.begin(context.Background(), reflex.Follower{Stream: d.stream, Hello: hello})
	if err != nil {
		t.Fatal(err)
	}
	if w.welcome.HeadSeq != head || w.welcome.Reset != (hello.ResumeAfterSeq != nil && *hello.ResumeAfterSeq > head) {
		t.Fatalf("welcomed at %d with %+v", head, w.welcome)
	}
	d.followers = append(d.followers, w)
}

// take lets somebody take some of what there is for him.
func (d *drama) take(t *rapid.T) {
	if len(d.followers) == 0 {
		t.Skip("nobody is there")
	}
	w := rapid.SampledFrom(d.followers).Draw(t, "who")
	select {
	case <-w.News():
	default:
		return
	}
	err := w.step(context.Background(), func(n int) int { return rapid.OneOf(rapid.Just(n), rapid.IntRange(0, n)).Draw(t, "bytes") })
	if err != nil {
		t.Fatal(err)
	}
}

// leave lets somebody leave.
func (d *drama) leave(t *rapid.T) {
	if len(d.followers) == 0 {
		t.Skip("nobody is there")
	}
	i := rapid.IntRange(0, len(d.followers)-1).Draw(t, "who")
	d.finish(t, d.followers[i])
	d.followers = slices.Delete(d.followers, i, i+1)
}

// finish lets somebody take all that there is, and checks what he got.
func (d *drama) finish(t *rapid.T, w *watched) {
	defer w.Stop()
	head := uint64(len(d.types))
	wants := func(kind string) bool { return w.types == nil || slices.Contains(*w.types, kind) }
	var want []uint64 // positions, and 0 for the end of the replay
	for seq := w.after + 1; ; seq++ {
		if seq == w.welcome.HeadSeq+1 {
			want = append(want, 0)
		}
		if seq > head {
			break
		}
		if wants(d.types[seq-1]) {
			want = append(want, seq)
		}
	}
	err := w.until(context.Background(), func() bool {
		return w.Live() && !w.Begun() && w.Events() == uint64(len(want)-1)
	})
	if err != nil {
		t.Fatalf("at %d of %d, with %d of %d events: %v", w.after, head, w.Events(), len(want)-1, err)
	}
	got, err := w.frames()
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	stream, err := d.store.Stream(context.Background(), store.Ref{Space: "default", Name: d.stream})
	if err != nil && head > 0 {
		t.Fatal(err)
	}
	for _, f := range got {
		seqs = append(seqs, f.seq)
		d.check(t, w, f, stream)
	}
	if !slices.Equal(seqs, want) {
		t.Fatalf("got %v, want %v", seqs, want)
	}
}

// check checks one frame; now is how the stream stands.
func (d *drama) check(t *rapid.T, w *watched, f frame, now store.Stream) {
	if f.kind == "replay_complete" {
		if f.upTo != w.welcome.HeadSeq || f.cursor != w.welcome.Cursor {
			t.Fatalf("complete with %+v after %+v", f, w.welcome)
		}
		return
	}
	if live := f.seq > w.welcome.HeadSeq; live != strings.HasPrefix(f.cursor, fmt.Sprintf("%d.", f.seq)) {
		t.Fatalf("the event at %d has the cursor %q", f.seq, f.cursor)
	} else if live {
		c, err := protocol.ParseCursor(f.cursor)
		if err != nil || c.Stream != now.Identity || c.Seq == now.Head && c.Link != now.Link {
			t.Fatalf("the event at %d has the cursor %q (%v), of the stream %s", f.seq, f.cursor, err, now.Identity)
		}
	}
	body := f.event
	if d.opaque {
		_, data, _ := strings.Cut(string(body), `"data":"`)
		body, _ = base64.StdEncoding.DecodeString(strings.TrimSuffix(data, `"}`))
	}
	if string(body) != d.bodies[f.seq-1] {
		t.Fatalf("the event at %d is another one: %.100s", f.seq, body)
	}
}

// Whatever comes between, appends, joins, leaves, clients that lag and that take
// a part of a frame: each follower gets every event behind his position that he
// wants, once and in order, and between what there was and what came the word that
// the replay is over, once.
func TestFollowModel(t *testing.T) {
	p := found(t)
	streams := 0
	rapid.Check(t, func(t *rapid.T) {
		streams++
		d := &drama{place: p, stream: fmt.Sprintf("s%d", streams), opaque: rapid.Bool().Draw(t, "opaque")}
		defer func() {
			for _, w := range d.followers {
				w.Stop()
			}
		}()
		t.Repeat(map[string]func(*rapid.T){
			"write": d.write, "join": d.join, "take": d.take, "take more": d.take, "leave": d.leave,
		})
		for len(d.followers) > 0 {
			w := d.followers[0]
			d.followers = d.followers[1:]
			d.finish(t, w)
		}
	})
}
