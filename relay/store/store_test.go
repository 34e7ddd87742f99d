package store_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
)

// A waiter wakes for anything that is not what it knows (contract, "Waiting").
func TestStateDiffers(t *testing.T) {
	id := protocol.Identity{1}
	at := func(id protocol.Identity, seq uint64) *protocol.Cursor {
		return &protocol.Cursor{Stream: id, Seq: seq, Link: protocol.Link{9}}
	}
	here := store.State{Stream: id, Head: 5}
	for _, c := range []struct {
		name  string
		state store.State
		from  *protocol.Cursor
		want  bool
	}{
		{"nothing is known and there is nothing", store.State{}, nil, false},
		{"nothing is known and there is something", here, nil, true},
		{"at the head, with whatever link", here, at(id, 5), false},
		{"behind the head", here, at(id, 4), true},
		{"past the head", here, at(id, 6), true},
		{"at the start", here, at(id, 0), true},
		{"another identity", here, at(protocol.Identity{2}, 5), true},
		{"the stream is gone", store.State{}, at(id, 5), true},
		{"the stream is gone, from its start", store.State{}, at(id, 0), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.state.Differs(c.from); got != c.want {
				t.Errorf("differs: %t", got)
			}
		})
	}
}

// A page's entries come in their order over the bounds of its pieces; damage
// comes last.
func TestPageAll(t *testing.T) {
	var want []protocol.Entry
	var pieces [][]byte
	for piece := range 3 {
		var wire []byte
		for i := range piece + 1 {
			e := protocol.Entry{Seq: uint64(len(want) + 1), Data: []byte{byte(i)}}
			want = append(want, e)
			wire = e.Append(wire)
		}
		pieces = append(pieces, wire)
	}
	var got []protocol.Entry
	for e, err := range (store.Page{Wire: pieces}).All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the entries (-want +got):\n%s", diff)
	}
	for range (store.Page{Wire: pieces}).All() {
		break // a reader may stop
	}

	pieces[1] = pieces[1][:len(pieces[1])-1]
	var errs []error
	for _, err := range (store.Page{Wire: pieces}).All() {
		errs = append(errs, err)
	}
	if len(errs) != 3 || errs[0] != nil || errs[1] != nil || errs[2] == nil {
		t.Errorf("a page with a damaged third entry yields the errors %v", errs)
	}
}

// An error names what it is about, so that a person can act on it.
func TestErrors(t *testing.T) {
	ref := store.Ref{Space: "default", Name: "notes"}
	for _, c := range []struct {
		err  error
		says []string
	}{
		{&store.NotFoundError{Ref: ref}, []string{`no stream "notes"`}},
		{&store.NotFoundError{Ref: ref, Seq: 7}, []string{"notes", "no entry 7"}},
		{&store.ReplacedError{Ref: ref, Now: protocol.Identity{0xab}}, []string{"notes", "ab000000", "from the start"}},
		{&store.AheadError{Ref: ref, Seq: 9, Head: 3}, []string{"notes", "9", "3"}},
		{&store.DivergedError{Ref: ref, Seq: 9}, []string{"notes", "9"}},
		{&store.EpochBehindError{Ref: ref, Batch: 1, Epoch: 2}, []string{"notes", "epoch 1", "2", "update"}},
		{&store.OutOfPlaceError{Ref: ref, First: 9, Head: 3}, []string{"notes", "9", "3"}},
		{&store.WrongKindError{Ref: ref, Kind: store.Events}, []string{"notes", "holds events", "reflexr.v1"}},
		{&store.WrongKindError{Ref: ref, Kind: store.Entries}, []string{"notes", "holds opaque entries", "v1"}},
		{&store.DamagedError{Ref: ref, Seq: 9, Reason: "why"}, []string{"notes", "9", "why", "backup"}},
		{&store.FullError{Err: fs.ErrClosed}, []string{"no room", fs.ErrClosed.Error()}},
	} {
		for _, says := range c.says {
			if !strings.Contains(c.err.Error(), says) {
				t.Errorf("%T says %q, not %q", c.err, c.err, says)
			}
		}
	}
	if !errors.Is(&store.FullError{Err: fs.ErrClosed}, fs.ErrClosed) {
		t.Error("a FullError hides what it is about")
	}
}
