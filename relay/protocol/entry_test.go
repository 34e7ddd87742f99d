package protocol_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// Append writes what an independent encoder writes, Size foretells its length,
// and DecodeEntry reads it back and returns what follows.
func TestEntryRoundTrip(t *testing.T) {
	type plain struct {
		Seq       uint64        `cbor:"0,keyasint"`
		Epoch     uint32        `cbor:"1,keyasint"`
		Hash      protocol.Link `cbor:"2,keyasint"`
		Data      []byte        `cbor:"3,keyasint"`
		EndsBatch bool          `cbor:"4,keyasint,omitempty"`
	}
	rapid.Check(t, func(t *rapid.T) {
		e := entry.Draw(t, "entry")
		want, err := cbor.Marshal(plain{e.Seq, e.Epoch, e.Link, e.Data, e.EndsBatch})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Append([]byte("before")); !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("Append = %x, want %x", got, want)
		}
		if e.Size() != len(want) {
			t.Fatalf("Size = %d, want %d", e.Size(), len(want))
		}
		follows := rapid.SliceOf(rapid.Byte()).Draw(t, "follows")
		again, rest, err := protocol.DecodeEntry(append(want, follows...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, again, whole); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		if !bytes.Equal(rest, follows) {
			t.Fatalf("rest = %x, want %x", rest, follows)
		}
	})
}

// DecodeEntry takes only what Append writes: an entry whose bytes were changed
// is refused, or is just what Append gives for what was read.
func TestDecodeEntryIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := entry.Draw(t, "entry").Append(nil)
		at := rapid.IntRange(0, min(60, len(b)-1)).Draw(t, "at")
		b[at] = rapid.Byte().Draw(t, "byte")
		checkEntry(t, b)
	})
}

// checkEntry holds DecodeEntry to its promise about any bytes.
func checkEntry(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, b []byte,
) {
	t.Helper()
	e, rest, err := protocol.DecodeEntry(b)
	if err != nil {
		if _, ok := errors.AsType[*protocol.DecodeError](err); !ok {
			t.Fatalf("DecodeEntry(%x): %v, want a *DecodeError", b, err)
		}
		return
	}
	if got := append(e.Append(nil), rest...); !bytes.Equal(got, b) {
		t.Fatalf("DecodeEntry took %x, of which Append makes %x", b, got)
	}
}

// What is an entry to a lenient reader, but not spelled as Append does, is
// damage.
func TestDecodeEntryRefuses(t *testing.T) {
	link := append([]byte{0x58, 32}, make([]byte, 32)...)
	join := bytes.Join
	tests := []struct {
		name string
		body []byte
	}{
		{"nothing", nil},
		{"an array", []byte{0x84, 1, 1, 1, 1}},
		{"three fields", join([][]byte{{0xa3, 0, 1, 1, 1, 2}, link}, nil)},
		{"six fields", join([][]byte{{0xa6, 0, 1, 1, 1, 2}, link, {3, 0x40, 4, 0xf5, 5, 0}}, nil)},
		{"indefinite map", join([][]byte{{0xbf, 0, 1, 1, 1, 2}, link, {3, 0x40, 0xff}}, nil)},
		{"long map head", join([][]byte{{0xb8, 4, 0, 1, 1, 1, 2}, link, {3, 0x40}}, nil)},
		{"long seq", join([][]byte{{0xa4, 0, 0x18, 1, 1, 1, 2}, link, {3, 0x40}}, nil)},
		{"long epoch", join([][]byte{{0xa4, 0, 1, 1, 0x19, 0, 1, 2}, link, {3, 0x40}}, nil)},
		{"epoch 2^32", join([][]byte{{0xa4, 0, 1, 1, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 2}, link, {3, 0x40}}, nil)},
		{"long head of the link", join([][]byte{{0xa4, 0, 1, 1, 1, 2, 0x59, 0}, link[1:], {3, 0x40}}, nil)},
		{"long head of the data", join([][]byte{{0xa4, 0, 1, 1, 1, 2}, link, {3, 0x58, 0}}, nil)},
		{"indefinite data", join([][]byte{{0xa4, 0, 1, 1, 1, 2}, link, {3, 0x5f, 0xff}}, nil)},
		{"data as text", join([][]byte{{0xa4, 0, 1, 1, 1, 2}, link, {3, 0x60}}, nil)},
		{"short link", join([][]byte{{0xa4, 0, 1, 1, 1, 2, 0x58, 31}, link[3:], {3, 0x40}}, nil)},
		{"long link", join([][]byte{{0xa4, 0, 1, 1, 1, 2, 0x58, 33}, link[2:], {0, 3, 0x40}}, nil)},
		{"other order", join([][]byte{{0xa4, 1, 1, 0, 1, 2}, link, {3, 0x40}}, nil)},
		{"ends_batch false", join([][]byte{{0xa5, 0, 1, 1, 1, 2}, link, {3, 0x40, 4, 0xf4}}, nil)},
		{"ends_batch missing", join([][]byte{{0xa5, 0, 1, 1, 1, 2}, link, {3, 0x40}}, nil)},
		{"tagged", join([][]byte{{0xc1, 0xa4, 0, 1, 1, 1, 2}, link, {3, 0x40}}, nil)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, _, err := protocol.DecodeEntry(test.body)
			if _, ok := errors.AsType[*protocol.DecodeError](err); !ok {
				t.Errorf("DecodeEntry(%x) = %+v, %v, want a *DecodeError", test.body, e, err)
			}
		})
	}
}

// An entry that was cut short anywhere is refused.
func TestDecodeEntryTruncated(t *testing.T) {
	b := protocol.Entry{Seq: 300, Epoch: 70000, Data: []byte("data"), EndsBatch: true}.Append(nil)
	for n := range b {
		if e, _, err := protocol.DecodeEntry(b[:n]); err == nil {
			t.Errorf("DecodeEntry took the first %d of %d bytes as %+v", n, len(b), e)
		}
	}
}
