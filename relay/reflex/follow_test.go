package reflex_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// Who comes back gets what follows, unless the history that he knows is not that
// of the stream: then he begins anew and learns why.
func TestResume(t *testing.T) {
	p := found(t)
	p.publish(t, "build", many(5, small))
	p.publish(t, "other", many(9, small))
	at := func(stream string, seq uint64) protocol.Cursor {
		ref := store.Ref{Space: "default", Name: stream}
		s, err := p.store.Stream(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		c := protocol.Cursor{Stream: s.Identity, Seq: seq, Link: protocol.Genesis(s.Identity)}
		if seq > 0 {
			r, err := p.store.Record(t.Context(), ref, seq)
			if err != nil {
				t.Fatal(err)
			}
			c.Link = r.Link
		}
		return c
	}
	diverged := func(c protocol.Cursor) string {
		c.Link[0]++
		return c.String()
	}
	far := at("build", 5)
	far.Seq = 6
	for name, tt := range map[string]struct {
		stream string
		hello  reflex.Hello
		want   []uint64 // positions, and 0 for the end of the replay
		reason string
	}{
		"from the start":                {"build", reflex.Hello{}, []uint64{1, 2, 3, 4, 5, 0}, ""},
		"from a position":               {"build", reflex.Hello{ResumeAfterSeq: new(uint64(3))}, []uint64{4, 5, 0}, ""},
		"from the head":                 {"build", reflex.Hello{FromHead: true}, []uint64{0}, ""},
		"up to date":                    {"build", reflex.Hello{ResumeAfterSeq: new(uint64(5))}, []uint64{0}, ""},
		"ahead":                         {"build", reflex.Hello{ResumeAfterSeq: new(uint64(6))}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorAhead},
		"far ahead":                     {"build", reflex.Hello{ResumeAfterSeq: new(uint64(math.MaxUint64))}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorAhead},
		"cursor":                        {"build", reflex.Hello{ResumeCursor: at("build", 3).String()}, []uint64{4, 5, 0}, ""},
		"cursor at the start":           {"build", reflex.Hello{ResumeCursor: at("build", 0).String()}, []uint64{1, 2, 3, 4, 5, 0}, ""},
		"cursor at the head":            {"build", reflex.Hello{ResumeCursor: at("build", 5).String()}, []uint64{0}, ""},
		"cursor behind the position":    {"build", reflex.Hello{ResumeCursor: at("build", 4).String(), ResumeAfterSeq: new(uint64(2))}, []uint64{3, 4, 5, 0}, ""},
		"cursor before the position":    {"build", reflex.Hello{ResumeCursor: at("build", 2).String(), ResumeAfterSeq: new(uint64(4))}, []uint64{5, 0}, ""},
		"cursor, but no event yet":      {"build", reflex.Hello{ResumeCursor: at("build", 5).String(), ResumeAfterSeq: new(uint64(0))}, []uint64{1, 2, 3, 4, 5, 0}, ""},
		"cursor and ahead":              {"build", reflex.Hello{ResumeCursor: at("build", 2).String(), ResumeAfterSeq: new(uint64(9))}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorAhead},
		"cursor and head":               {"build", reflex.Hello{ResumeCursor: at("build", 2).String(), FromHead: true}, []uint64{0}, ""},
		"cursor of another stream":      {"build", reflex.Hello{ResumeCursor: at("other", 3).String()}, []uint64{1, 2, 3, 4, 5, 0}, reflex.StreamReplaced},
		"far cursor of another stream":  {"build", reflex.Hello{ResumeCursor: at("other", 9).String()}, []uint64{1, 2, 3, 4, 5, 0}, reflex.StreamReplaced},
		"cursor past the head":          {"build", reflex.Hello{ResumeCursor: far.String()}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorAhead},
		"diverged cursor":               {"build", reflex.Hello{ResumeCursor: diverged(at("build", 3))}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorDiverged},
		"diverged cursor, at the head":  {"build", reflex.Hello{ResumeCursor: diverged(at("build", 5)), FromHead: true}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorDiverged},
		"diverged cursor, at the start": {"build", reflex.Hello{ResumeCursor: diverged(at("build", 0))}, []uint64{1, 2, 3, 4, 5, 0}, reflex.CursorDiverged},
		"nothing there":                 {"none", reflex.Hello{}, []uint64{0}, ""},
		"nothing there, from the head":  {"none", reflex.Hello{FromHead: true}, []uint64{0}, ""},
		"nothing there, ahead":          {"none", reflex.Hello{ResumeAfterSeq: new(uint64(1))}, []uint64{0}, reflex.CursorAhead},
		"nothing there, cursor":         {"none", reflex.Hello{ResumeCursor: at("build", 3).String()}, []uint64{0}, reflex.CursorAhead},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := p.begin(t.Context(), reflex.Follower{Stream: tt.stream, Hello: tt.hello})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Stop()
			if f.welcome.Reason != tt.reason || f.welcome.Reset != (tt.reason != "") {
				t.Errorf("welcomed with %+v, want the reason %q", f.welcome, tt.reason)
			}
			if err := f.until(t.Context(), f.Live); err != nil {
				t.Fatal(err)
			}
			f.want(t, tt.want)
		})
	}
}

// want checks which frames were taken.
func (f *follower) want(t testing.TB, want []uint64) {
	t.Helper()
	frames, err := f.frames()
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, one := range frames {
		got = append(got, one.seq)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A stream can be followed before it exists, whatever it comes to hold.
func TestFollowBefore(t *testing.T) {
	p := found(t)
	for stream, write := range map[string]func(){
		"events":  func() { p.publish(t, "events", many(3, small)) },
		"entries": func() { p.append(t, "entries", "a", "b", "c") },
	} {
		t.Run(stream, func(t *testing.T) {
			f, err := p.begin(t.Context(), reflex.Follower{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Stop()
			if f.welcome.HeadSeq != 0 || f.welcome.Cursor != "" {
				t.Errorf("welcomed with %+v", f.welcome)
			}
			if err := f.until(t.Context(), f.Live); err != nil {
				t.Fatal(err)
			}
			write()
			if err := f.until(t.Context(), func() bool { return f.Events() == 3 }); err != nil {
				t.Fatal(err)
			}
			f.want(t, []uint64{0, 1, 2, 3})
		})
	}
}

// What is appended while many follow is rendered once, and all get the same.
func TestFollowTogether(t *testing.T) {
	p := found(t)
	p.publish(t, "build", many(3, small))
	const followers, events = 50, 200
	var following sync.WaitGroup
	for range followers {
		f, err := p.begin(t.Context(), reflex.Follower{Stream: "build", Hello: reflex.Hello{FromHead: true}})
		if err != nil {
			t.Fatal(err)
		}
		following.Go(func() {
			defer f.Stop()
			if err := f.until(t.Context(), func() bool { return f.Events() == events }); err != nil {
				t.Error(err)
				return
			}
			want := []uint64{0}
			for i := range uint64(events) {
				want = append(want, 4+i)
			}
			f.want(t, want)
		})
	}
	for range events {
		p.publish(t, "build", small)
	}
	following.Wait()
}

// A name that is none is refused, a damaged stream says so, and once the relay
// stops nothing more comes.
func TestFollowErrors(t *testing.T) {
	p := found(t)
	_, err := p.begin(t.Context(), reflex.Follower{Stream: "Build"})
	if r, ok := errors.AsType[*reflex.Rejection](err); !ok || r.Type != reflex.ValidationFailed {
		t.Errorf("error %v", err)
	}
	f, err := p.begin(t.Context(), reflex.Follower{Stream: "_relay"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	p.hub.Close()
	if err := f.until(t.Context(), func() bool { return false }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("error %v", err)
	}
	late, err := p.begin(t.Context(), reflex.Follower{Stream: "_relay"})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Stop()
	if err := late.until(t.Context(), func() bool { return false }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
