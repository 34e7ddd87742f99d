package protocol_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"

	"hearth/relay/protocol"
)

// little is how many bytes may be allocated for an error or a batch without its
// entries, with what the runtime does by the way.
const little = 16 << 10

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fill returns start, and behind it the pattern as often as a body has room for.
func fill(start []byte, pattern ...byte) []byte {
	return append(start, bytes.Repeat(pattern, (protocol.MaxBody-len(start))/len(pattern))...)
}

// claim returns start and behind it a head that claims just short of 2^64.
func claim(start []byte, major byte) []byte {
	return append(start, major<<5|27, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
}

// The largest bodies made to be expensive are refused, or read, in one pass
// without memory in proportion to what they claim, or to their own size.
func TestDecodeBatchHostile(t *testing.T) {
	// A whole batch, and behind it an unknown key for whose value the body stays.
	unknown := func() []byte { return []byte{0xa3, 0x00, 0x01, 0x01, 0x81, 0x41, 'x', 0x18, 99} }
	open := func() []byte { return []byte{0xbf, 0x00, 0x01, 0x01, 0x81, 0x41, 'x'} }

	tests := []struct {
		name  string
		body  []byte
		ok    bool
		limit uint64
	}{
		{"entries without end", claim([]byte{0xa2, 0x00, 0x01, 0x01}, 4), false, little},
		{"an entry without end", claim([]byte{0xa2, 0x00, 0x01, 0x01, 0x81}, 2), false, little},
		{"fields without end", claim(nil, 5), false, little},
		{"an identity without end", claim(append(open(), 0x02), 2), false, little},
		{"unknown bytes without end", claim(unknown(), 2), false, little},
		{"unknown text without end", claim(unknown(), 3), false, little},
		{"an unknown array without end", claim(unknown(), 4), false, little},
		{"an unknown map without end", claim(unknown(), 5), false, little},
		{"a chunk without end", claim(append(unknown(), 0x5f), 2), false, little},

		{"arrays in arrays", fill(unknown(), 0x81), false, little},
		{"maps in maps", fill(unknown(), 0xa1), false, little},
		{"open byte strings", fill(unknown(), 0x5f), false, little},
		{"open texts", fill(unknown(), 0x7f), false, little},
		{"tags on tags", fill(unknown(), 0xc0), false, little},
		{"large arrays in large arrays", fill(unknown(), 0x99, 0xff, 0xff), false, little},
		{"large maps in large maps", fill(unknown(), 0xb9, 0xff, 0xff), false, little},
		// The places on the stack, and the smaller stacks before it.
		{"open arrays", fill(unknown(), 0x9f), false, 16 << 20},
		{"open maps", fill(unknown(), 0xbf), false, 16 << 20},
		{"open arrays with tags between", fill(unknown(), 0x9f, 0xc0), false, 16 << 20},

		{"empty chunks", append(fill(append(unknown(), 0x5f), 0x40)[:protocol.MaxBody-1], 0xff), true, little},
		{"an unknown string", append(binary.BigEndian.AppendUint32(append(unknown(), 0x5a), protocol.MaxBody/2),
			make([]byte, protocol.MaxBody/2)...), true, little},
		{"unknown keys", append(fill(open(), 0x17, 0xf6), 0xff), true, little},
		{"the epoch again and again", append(fill(open(), 0x00, 0x01), 0xff), true, little},
		{"the position again and again", append(fill(open(), 0x03, 0x01), 0xff), true, little},
		{"the entries again and again", append(fill(open(), 0x01, 0x81, 0x40), 0xff), true, little},
		{"the stream again and again", append(fill(open(), append([]byte{0x02, 0x50}, make([]byte, 16)...)...), 0xff), true, little},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var err error
			used := allocated(func() { _, err = protocol.DecodeBatch(test.body) })
			if _, typed := errors.AsType[*protocol.DecodeError](err); test.ok && err != nil || !test.ok && !typed {
				t.Errorf("DecodeBatch: %v, want it to decode: %t", err, test.ok)
			}
			if used > test.limit {
				t.Errorf("DecodeBatch allocated %d bytes, want at most %d", used, test.limit)
			}
		})
	}
}

// A body full of entries without bytes decodes into as little memory as one
// entry does.
func TestDecodeBatchOfEmptyEntries(t *testing.T) {
	const count = protocol.MaxBody - 9
	body := append([]byte{0xa2, 0x00, 0x01, 0x01}, binary.BigEndian.AppendUint32([]byte{0x9a}, count)...)
	body = append(body, bytes.Repeat([]byte{0x40}, count)...)
	var b protocol.Batch
	var err error
	used := allocated(func() { b, err = protocol.DecodeBatch(body) })
	if err != nil {
		t.Fatal(err)
	}
	if used > little {
		t.Errorf("DecodeBatch allocated %d bytes", used)
	}
	if b.Entries.Len() != count || b.Entries.Bytes() != 0 {
		t.Errorf("%d entries of %d bytes, want %d of none", b.Entries.Len(), b.Entries.Bytes(), count)
	}
}

// A body that was cut short anywhere is refused, and so is one with anything
// behind it.
func TestDecodeBatchCutOrLong(t *testing.T) {
	v := readVectors(t)
	bodies := [][]byte{
		// All fields, an unknown one, and every kind of value in it.
		append([]byte{0xbf, 0x00, 0x18, 0x18, 0x01, 0x82, 0x42, 'h', 'i', 0x40, 0x02, 0x50}, append(make([]byte, 16),
			0x03, 0x19, 0x01, 0x2c, 0x18, 99, 0x86, 0x9f, 0x20, 0xff, 0xbf, 0x00, 0x01, 0xff, 0x5f, 0x41, 'a', 0xff,
			0x61, 'a', 0xc1, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0xa1, 0x00, 0xf8, 0x20, 0xff)...),
	}
	for _, b := range slices.Concat(v.Batch, v.Stream.Batches) {
		bodies = append(bodies, b.CBOR)
	}
	for _, body := range bodies {
		if _, err := protocol.DecodeBatch(body); err != nil {
			t.Fatalf("DecodeBatch(%x): %v", body, err)
		}
		for n := range body {
			_, err := protocol.DecodeBatch(body[:n])
			if e, ok := errors.AsType[*protocol.DecodeError](err); !ok || e.Offset > n {
				t.Errorf("DecodeBatch of the first %d bytes of %x: %v, want a *DecodeError", n, body, err)
			}
		}
		for more := range 256 {
			if _, err := protocol.DecodeBatch(append(bytes.Clone(body), byte(more))); err == nil {
				t.Errorf("DecodeBatch took %x with %x behind it", body, more)
			}
		}
	}
}

// Of a key that comes twice the last one holds, also if it takes back what the
// first one said; a bad first one is refused all the same.
func TestDecodeBatchDuplicateKeys(t *testing.T) {
	id := append([]byte{0x50}, bytes.Repeat([]byte{7}, 16)...)
	other := append([]byte{0x50}, bytes.Repeat([]byte{8}, 16)...)
	stream, first := protocol.Identity(other[1:]), uint64(9)
	join := slices.Concat[[]byte]
	start := []byte{0xbf, 0x00, 0x01, 0x01, 0x81, 0x41, 'x'}
	x := protocol.NewEntries([]byte("x"))
	tests := []struct {
		name string
		body []byte
		want *protocol.Batch
	}{
		{"epoch", join(start, []byte{0x00, 0x02, 0xff}), &protocol.Batch{Epoch: 2, Entries: x}},
		{
			"entries", join(start, []byte{0x01, 0x82, 0x40, 0x41, 'y', 0xff}),
			&protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(nil, []byte("y"))},
		},
		{"no entries", join(start, []byte{0x01, 0x80, 0xff}), &protocol.Batch{Epoch: 1}},
		{
			"stream", join(start, []byte{0x02}, id, []byte{0x02}, other, []byte{0xff}),
			&protocol.Batch{Epoch: 1, Entries: x, Stream: &stream},
		},
		{"stream, then null", join(start, []byte{0x02}, id, []byte{0x02, 0xf6, 0xff}), &protocol.Batch{Epoch: 1, Entries: x}},
		{
			"null, then a stream", join(start, []byte{0x02, 0xf6, 0x02}, other, []byte{0xff}),
			&protocol.Batch{Epoch: 1, Entries: x, Stream: &stream},
		},
		{"first", join(start, []byte{0x03, 0x01, 0x03, 0x09, 0xff}), &protocol.Batch{Epoch: 1, Entries: x, First: &first}},
		{"first, then null", join(start, []byte{0x03, 0x01, 0x03, 0xf6, 0xff}), &protocol.Batch{Epoch: 1, Entries: x}},
		{"unknown", join(start, []byte{0x04, 0x01, 0x04, 0x80, 0xff}), &protocol.Batch{Epoch: 1, Entries: x}},
		{"a bad epoch first", []byte{0xa3, 0x00, 0xf6, 0x00, 0x01, 0x01, 0x80}, nil},
		{"a bad stream last", join(start, []byte{0x02}, id, []byte{0x02, 0x41, 0x00, 0xff}), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := protocol.DecodeBatch(test.body)
			if test.want == nil {
				if err == nil {
					t.Errorf("DecodeBatch took %x", test.body)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := got.Append(nil), test.want.Append(nil); !bytes.Equal(got, want) {
				t.Errorf("DecodeBatch(%x) encodes to %x, want %x", test.body, got, want)
			}
		})
	}
}
