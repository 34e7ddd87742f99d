package protocol_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// Cursors are spelled as the known relay spells them.
func TestCursorVectors(t *testing.T) {
	v := readVectors(t)
	for _, v := range v.Cursor {
		want := protocol.Cursor{Stream: protocol.Identity(v.Stream), Seq: v.Seq, Link: protocol.Link(v.Hash)}
		if got := want.String(); got != v.Text {
			t.Errorf("String = %q, want %q", got, v.Text)
		}
		if got := fmt.Sprintf("%d.%s.%s", want.Seq, want.Stream, want.Link); got != v.Text {
			t.Errorf("its parts are %q, want %q", got, v.Text)
		}
		if got, err := protocol.ParseCursor(v.Text); err != nil || got != want {
			t.Errorf("ParseCursor(%q) = %v, %v, want %v", v.Text, got, err, want)
		}
	}
	for _, text := range v.CursorRefused {
		if got, err := protocol.ParseCursor(text); !errors.Is(err, protocol.ErrCursor) || got != (protocol.Cursor{}) {
			t.Errorf("ParseCursor(%q) = %v, %v, want ErrCursor", text, got, err)
		}
	}
}

// A cursor is read back from its spelling, and no other spelling of it is taken.
func TestCursorHasOneSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cursor.Draw(t, "cursor")
		text := []byte(c.String())
		if got, err := protocol.ParseCursor(string(text)); err != nil || got != c {
			t.Fatalf("ParseCursor(%q) = %v, %v, want %v", text, got, err, c)
		}
		text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		if got, err := protocol.ParseCursor(string(text)); err == nil && got.String() != string(text) {
			t.Fatalf("ParseCursor took %q for %q", text, got)
		}
	})
}

// Watches are read as the known relay reads them.
func TestWatchVectors(t *testing.T) {
	v := readVectors(t)
	for _, v := range v.Watch {
		want := protocol.Watch{Stream: protocol.Name(v.Stream)}
		if v.Cursor != nil {
			c, err := protocol.ParseCursor(*v.Cursor)
			if err != nil {
				t.Fatal(err)
			}
			want.Cursor = &c
		}
		got, err := protocol.ParseWatch(v.Text)
		if err != nil {
			t.Errorf("ParseWatch(%q): %v", v.Text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseWatch(%q) (-want +got):\n%s", v.Text, diff)
		}
	}
	for _, text := range v.WatchRefused {
		_, err := protocol.ParseWatch(text)
		if _, ok := errors.AsType[*protocol.NameError](err); !ok && !errors.Is(err, protocol.ErrCursor) {
			t.Errorf("ParseWatch(%q): %v, want a *NameError or ErrCursor", text, err)
		}
	}
}

// A name, with or without a cursor behind it, is a watch.
func TestWatchRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := spelled.Draw(t, "name")
		want := protocol.Watch{Stream: protocol.Name(text)}
		if rapid.Bool().Draw(t, "knows") {
			c := cursor.Draw(t, "cursor")
			want.Cursor = &c
			text += ":" + c.String()
		}
		got, err := protocol.ParseWatch(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("ParseWatch(%q) (-want +got):\n%s", text, diff)
		}
	})
}
