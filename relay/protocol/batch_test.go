package protocol_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// plainBatch is a batch as another encoder sees it.
type plainBatch struct {
	Epoch   uint32             `cbor:"0,keyasint"`
	Entries [][]byte           `cbor:"1,keyasint"`
	Stream  *protocol.Identity `cbor:"2,keyasint,omitempty"`
	First   *uint64            `cbor:"3,keyasint,omitempty"`
}

func plain(b protocol.Batch) plainBatch {
	entries := [][]byte{}
	for data := range b.Entries.All() {
		entries = append(entries, data)
	}
	return plainBatch{b.Epoch, entries, b.Stream, b.First}
}

// whole compares byte strings at once: to look for the difference in long ones
// takes longer than all else.
var whole = cmp.Comparer(bytes.Equal)

var batch = rapid.Custom(func(t *rapid.T) plainBatch {
	p := plainBatch{
		Epoch:   uint32(number.Draw(t, "epoch")),
		Entries: rapid.SliceOfN(data, 0, 10).Draw(t, "entries"),
	}
	if rapid.Bool().Draw(t, "names a stream") {
		id := identity.Draw(t, "stream")
		p.Stream = &id
	}
	if rapid.Bool().Draw(t, "names a position") {
		first := number.Draw(t, "first")
		p.First = &first
	}
	return p
})

// Batches are written byte for byte as the known client writes them, named by
// the same keys, and read back whole.
func TestBatchVectors(t *testing.T) {
	v := readVectors(t)
	for _, v := range slices.Concat(v.Batch, v.Stream.Batches) {
		want := v.batch()
		if got := want.Append(nil); !bytes.Equal(got, v.CBOR) {
			t.Errorf("Append = %x, want %x", got, v.CBOR)
		}
		got, err := protocol.DecodeBatch(v.CBOR)
		if err != nil {
			t.Errorf("DecodeBatch(%x): %v", v.CBOR, err)
			continue
		}
		if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
			t.Errorf("DecodeBatch(%x) (-want +got):\n%s", v.CBOR, diff)
		}
		if key := got.Key(); !bytes.Equal(key[:], v.Key) {
			t.Errorf("Key of %x = %x, want %x", v.CBOR, key, v.Key)
		}
	}
}

// A batch's key is that of the contract's additions, and takes no notice of the
// stream and position that the batch names.
func TestBatchKeyVectors(t *testing.T) {
	for _, v := range readVectors(t).BatchKey {
		b := v.batch()
		if key := b.Key(); !bytes.Equal(key[:], v.Key) {
			t.Errorf("Key of epoch %d, %x = %x, want %x", v.Epoch, v.Entries, key, v.Key)
		}
		b.Stream, b.First = new(protocol.Identity{1}), new(uint64(7))
		if key := b.Key(); !bytes.Equal(key[:], v.Key) {
			t.Errorf("Key of epoch %d, %x with a place = %x, want %x", v.Epoch, v.Entries, key, v.Key)
		}
	}
}

// Just those bodies decode that the known relay takes, to what it reads in them.
func TestDecodeBatchVectors(t *testing.T) {
	for _, v := range readVectors(t).Decode {
		t.Run(v.Why, func(t *testing.T) {
			b, err := protocol.DecodeBatch(v.CBOR)
			switch {
			case v.Decodes && err != nil:
				t.Errorf("DecodeBatch(%x): %v", v.CBOR, err)
			case v.Decodes:
				if got := b.Append(nil); !bytes.Equal(got, v.Reencoded) {
					t.Errorf("DecodeBatch(%x) encodes to %x, want %x", v.CBOR, got, v.Reencoded)
				}
			default:
				if _, ok := errors.AsType[*protocol.DecodeError](err); !ok {
					t.Errorf("DecodeBatch(%x): %v, want a *DecodeError", v.CBOR, err)
				}
			}
		})
	}
}

// A refusal says what is wrong and where, so that whoever wrote the body finds it.
func TestDecodeBatchSaysWhere(t *testing.T) {
	tests := []struct {
		body []byte
		want string
	}{
		{nil, "the body ends too early at byte 0"},
		{[]byte{0x80}, "expected a map at byte 0"},
		{[]byte{0xa2, 0x00, 0xf6}, "expected an unsigned integer of at most 4294967295 at byte 2"},
		{[]byte{0xa2, 0x00, 0x01, 0x01, 0x9f, 0xff}, "expected an array of known length at byte 4"},
		{[]byte{0xa2, 0x00, 0x01, 0x01, 0x81, 0x60}, "expected a byte string of known length at byte 5"},
		{[]byte{0xa3, 0x00, 0x01, 0x01, 0x80, 0x02, 0x41, 0x00}, "an identity of 1 bytes at byte 6"},
		{
			append([]byte{0xa3, 0x00, 0x01, 0x01, 0x80, 0x02, 0x51}, make([]byte, 17)...),
			"an identity of 17 bytes at byte 6",
		},
		{[]byte{0xa3, 0x00, 0x01, 0x01, 0x80, 0x61, 'a', 0x00}, "a key that is not an integer of 64 bits at byte 5"},
		{[]byte{0xa3, 0x00, 0x01, 0x01, 0x80, 0xff}, "a key that is not an integer of 64 bits at byte 5"},
		{[]byte{0xa3, 0x00, 0x01, 0x01, 0x80, 0x18, 99, 0xff}, "a break out of place at byte 7"},
		{[]byte{0xa2, 0x00, 0x01, 0x01, 0x80, 0x00}, "bytes after the message at byte 5"},
		{[]byte{0xa1, 0x00, 0x01}, "the epoch or the entries are missing at byte 3"},
	}
	for _, test := range tests {
		if _, err := protocol.DecodeBatch(test.body); err == nil || err.Error() != test.want {
			t.Errorf("DecodeBatch(%x): %v, want %s", test.body, err, test.want)
		}
	}
}

// Append writes what an independent encoder writes, and DecodeBatch reads it
// back as it was.
func TestBatchRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := batch.Draw(t, "batch")
		want, err := cbor.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		b := protocol.Batch{
			Epoch: p.Epoch, Entries: protocol.NewEntries(p.Entries...), Stream: p.Stream, First: p.First,
		}
		if got := b.Append([]byte("before")); !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("Append = %x, want %x", got, want)
		}
		again, err := protocol.DecodeBatch(want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, plain(again), whole); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		size := len(slices.Concat(p.Entries...))
		for _, e := range []protocol.Entries{b.Entries, again.Entries} {
			if e.Len() != len(p.Entries) || e.Bytes() != size {
				t.Fatalf("%d entries of %d bytes, want %d of %d", e.Len(), e.Bytes(), len(p.Entries), size)
			}
		}
		if b.Key() != again.Key() {
			t.Fatal("read back, the batch has another key")
		}
	})
}

// All goes through the entries as often as it is asked to, and stops when its
// reader does.
func TestEntriesAll(t *testing.T) {
	all := protocol.NewEntries([]byte("a"), []byte("b"), []byte("c")).All()
	for range 2 {
		var got []string
		for data := range all {
			if got = append(got, string(data)); len(got) == 2 {
				break
			}
		}
		if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
			t.Errorf("All (-want +got):\n%s", diff)
		}
	}
}

// Next takes one entry after the other from the front, and always knows how much
// is left.
func TestEntriesNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(data, 0, 10).Draw(t, "entries")
		rest := protocol.NewEntries(want...)
		for i := range want {
			if left := len(slices.Concat(want[i:]...)); rest.Len() != len(want)-i || rest.Bytes() != left {
				t.Fatalf("%d entries of %d bytes are left, want %d of %d", rest.Len(), rest.Bytes(), len(want)-i, left)
			}
			var got []byte
			if got, rest = rest.Next(); !bytes.Equal(got, want[i]) {
				t.Fatalf("entry %d = %x, want %x", i, got, want[i])
			}
		}
		if rest.Len() != 0 || rest.Bytes() != 0 {
			t.Fatalf("%d entries of %d bytes are left, want none", rest.Len(), rest.Bytes())
		}
	})
}

// Growing one entry's bytes leaves its neighbours in the body as they are.
func TestEntriesDoNotOverlap(t *testing.T) {
	body := protocol.Batch{Entries: protocol.NewEntries([]byte("a"), []byte("b"))}.Append(nil)
	b, err := protocol.DecodeBatch(body)
	if err != nil {
		t.Fatal(err)
	}
	for data := range b.Entries.All() {
		_ = append(data, 0xff, 0xff)
	}
	if diff := cmp.Diff([][]byte{[]byte("a"), []byte("b")}, plain(b).Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// Only batches whose every entry begins as sealed blobs and locks do count as
// sealed.
func TestSealed(t *testing.T) {
	v := readVectors(t)
	for i, b := range v.Stream.Batches {
		if !b.batch().Entries.Sealed() {
			t.Errorf("the client's batch %d does not count as sealed", i)
		}
	}
	tests := []struct {
		name    string
		entries []string
		want    bool
	}{
		{"none", nil, false},
		{"sealed", []string{"S\x01…"}, true},
		{"lock", []string{"L\x01…"}, true},
		{"both", []string{"L\x01", "S\x01"}, true},
		{"another version", []string{"S\x02…"}, false},
		{"a letter alone", []string{"S"}, false},
		{"empty", []string{""}, false},
		{"something else", []string{"hello"}, false},
		{"something else at the end", []string{"S\x01…", "hello"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var data [][]byte
			for _, entry := range test.entries {
				data = append(data, []byte(entry))
			}
			if got := protocol.NewEntries(data...).Sealed(); got != test.want {
				t.Errorf("Sealed = %t, want %t", got, test.want)
			}
		})
	}
}
