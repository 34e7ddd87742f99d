package protocol_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
)

// FuzzDecodeBatch: no body makes DecodeBatch panic or allocate more than in
// proportion to its size, and what decodes is read again from what it encodes to.
func FuzzDecodeBatch(f *testing.F) {
	v := readVectors(f)
	for _, v := range v.Decode {
		f.Add([]byte(v.CBOR))
	}
	for _, v := range slices.Concat(v.Batch, v.Stream.Batches) {
		f.Add([]byte(v.CBOR))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var b protocol.Batch
		var err error
		// A place on the stack of open items takes 24 bytes for a byte of the
		// body, and the stacks that it outgrew a few times that. The rest is
		// the fuzzer's own.
		if used := allocated(func() { b, err = protocol.DecodeBatch(body) }); used > uint64(256*len(body)+1<<20) {
			t.Fatalf("DecodeBatch allocated %d bytes for %d", used, len(body))
		}
		if err != nil {
			if e, ok := errors.AsType[*protocol.DecodeError](err); !ok || e.Offset < 0 || e.Offset > len(body) {
				t.Fatalf("DecodeBatch(%x): %v, want a *DecodeError within the body", body, err)
			}
			return
		}
		encoded := b.Append(nil)
		again, err := protocol.DecodeBatch(encoded)
		if err != nil {
			t.Fatalf("%x encodes to %x, which does not decode: %v", body, encoded, err)
		}
		if diff := cmp.Diff(plain(b), plain(again), whole); diff != "" {
			t.Fatalf("%x read again (-first +again):\n%s", body, diff)
		}
		if !bytes.Equal(again.Append(nil), encoded) || again.Key() != b.Key() {
			t.Fatalf("%x encodes to %x, and again to %x", body, encoded, again.Append(nil))
		}
	})
}

// FuzzDecodeEntry: whatever DecodeEntry takes is just what Append writes.
func FuzzDecodeEntry(f *testing.F) {
	v := readVectors(f)
	for _, page := range v.Page {
		for _, e := range page.Entries {
			f.Add(protocol.Entry{
				Seq: e.Seq, Epoch: e.Epoch, Link: protocol.Link(e.Hash), Data: e.Data, EndsBatch: e.EndsBatch,
			}.Append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkEntry(t, b) })
}

// FuzzParseCursor: whatever ParseCursor takes is the spelling of what it read.
func FuzzParseCursor(f *testing.F) {
	v := readVectors(f)
	for _, v := range v.Cursor {
		f.Add(v.Text)
	}
	for _, text := range v.CursorRefused {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := protocol.ParseCursor(text)
		if err == nil && c.String() != text || err != nil && !errors.Is(err, protocol.ErrCursor) {
			t.Fatalf("ParseCursor(%q) = %s, %v", text, c, err)
		}
	})
}

// FuzzParseWatch: whatever ParseWatch takes is spelled by what it read, and its
// name follows the grammar.
func FuzzParseWatch(f *testing.F) {
	v := readVectors(f)
	for _, v := range v.Watch {
		f.Add(v.Text)
	}
	for _, text := range v.WatchRefused {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := protocol.ParseWatch(text)
		if err != nil {
			return
		}
		spelling := string(w.Stream)
		if w.Cursor != nil {
			spelling += ":" + w.Cursor.String()
		}
		if spelling != text || !grammar.MatchString(string(w.Stream)) {
			t.Fatalf("ParseWatch took %q for %q", text, spelling)
		}
	})
}

// FuzzParseName: ParseName follows the grammar.
func FuzzParseName(f *testing.F) {
	v := readVectors(f)
	for _, text := range slices.Concat(v.Name, v.NameRefused) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkName(t, text) })
}
