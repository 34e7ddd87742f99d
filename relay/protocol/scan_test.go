package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"
)

// notUTF8 is the one reason to refuse what another decoder finds well-formed:
// that one looks at texts only when it decodes them (RFC 8949, section 5.3.1,
// counts their UTF-8 to validity, not to being well-formed).
const notUTF8 = "a text that is not UTF-8"

// lenient finds well-formed what the format allows, without its own limits.
var lenient = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxNestedLevels: 65535, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// checkSkip holds skip to what another decoder says of the same bytes.
func checkSkip(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, b []byte,
) {
	t.Helper()
	s := scanner{body: b}
	if err := s.skip(); err == nil {
		if err := lenient.Wellformed(b[:s.at]); err != nil {
			t.Fatalf("skip passed over %x: %v", b[:s.at], err)
		}
		return
	} else if e, ok := errors.AsType[*DecodeError](err); !ok || e.Offset < 0 || e.Offset > len(b) {
		t.Fatalf("skip refused %x: %v", b, err)
	} else if e.Reason == notUTF8 {
		return
	}
	err := lenient.Wellformed(b)
	if _, more := errors.AsType[*cbor.ExtraneousDataError](err); err == nil || more {
		t.Fatalf("skip refused %x, which is well-formed", b)
	}
}

// item draws one well-formed item of CBOR in any of its spellings: heads longer
// than needed, tags, floats, indefinite lengths.
func item(t *rapid.T, depth int) []byte {
	kinds := 9
	if depth == 0 {
		kinds = 5
	}
	inner := func(label string, unit int) (n int, items []byte) {
		n = rapid.IntRange(0, 4).Draw(t, label)
		for range n * unit {
			items = append(items, item(t, depth-1)...)
		}
		return n, items
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return drawHead(t, majorUint, rapid.Uint64().Draw(t, "number"))
	case 1:
		return drawHead(t, majorNegint, rapid.Uint64().Draw(t, "number"))
	case 2:
		return drawString(t, rapid.SampledFrom([]byte{majorBytes, majorText}).Draw(t, "major"))
	case 3: // a simple value
		if v := rapid.Byte().Draw(t, "simple"); v >= 32 {
			return []byte{0xf8, v}
		} else if v < 24 {
			return []byte{0xe0 | v}
		}
		return []byte{0xf6}
	case 4: // a float
		size := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "size")
		head := map[int]byte{2: 0xf9, 4: 0xfa, 8: 0xfb}[size]
		return append([]byte{head}, rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "float")...)
	case 5:
		n, items := inner("items", 1)
		return append(drawHead(t, majorArray, uint64(n)), items...)
	case 6:
		n, items := inner("pairs", 2)
		return append(drawHead(t, majorMap, uint64(n)), items...)
	case 7:
		return append(drawHead(t, majorTag, rapid.Uint64().Draw(t, "tag")), item(t, depth-1)...)
	default: // an array or map of indefinite length
		opening, unit := byte(0x9f), 1
		if rapid.Bool().Draw(t, "map") {
			opening, unit = 0xbf, 2
		}
		_, items := inner("indefinite", unit)
		return append(append([]byte{opening}, items...), 0xff)
	}
}

// drawHead draws a head that is as long as needed, or longer.
func drawHead(t *rapid.T, major byte, arg uint64) []byte {
	least := map[int]int{1: 0, 2: 1, 3: 2, 5: 3, 9: 4}[headSize(arg)]
	switch m := major << 5; rapid.IntRange(least, 4).Draw(t, "width") {
	case 0:
		return []byte{m | byte(arg)}
	case 1:
		return []byte{m | 24, byte(arg)}
	case 2:
		return binary.BigEndian.AppendUint16([]byte{m | 25}, uint16(arg))
	case 3:
		return binary.BigEndian.AppendUint32([]byte{m | 26}, uint32(arg))
	default:
		return binary.BigEndian.AppendUint64([]byte{m | 27}, arg)
	}
}

// drawString draws a string in one piece or in chunks.
func drawString(t *rapid.T, major byte) []byte {
	piece := func() []byte {
		var b []byte
		if major == majorText {
			b = []byte(rapid.String().Draw(t, "text"))
		} else {
			b = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		return append(drawHead(t, major, uint64(len(b))), b...)
	}
	if rapid.Bool().Draw(t, "whole") {
		return piece()
	}
	s := []byte{major<<5 | indefinite}
	for range rapid.IntRange(0, 3).Draw(t, "chunks") {
		s = append(s, piece()...)
	}
	return append(s, 0xff)
}

// Every well-formed item is passed over, just to its end, and nothing shorter is
// taken for one.
func TestSkipPassesOverItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := item(t, 4)
		s := scanner{body: append(bytes.Clone(b), 0x00)}
		if err := s.skip(); err != nil || s.at != len(b) {
			t.Fatalf("skip over %x stands at %d of %d: %v", b, s.at, len(b), err)
		}
		checkSkip(t, b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")])
	})
}

// Of bytes that were changed, skip says what another decoder says, but for texts
// that are not UTF-8.
func TestSkipAgreesWithAnotherDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := item(t, 4)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.OneOf(
				rapid.SampledFrom([]byte{0x1c, 0x1f, 0x5f, 0x7f, 0x9f, 0xbf, 0xc1, 0xdf, 0xf8, 0xff}),
				rapid.Byte()).Draw(t, "byte")
		}
		checkSkip(t, b)
	})
}

// Strings have to be UTF-8 chunk by chunk (RFC 8949, section 3.2.3), but only
// those that are text.
func TestSkipChecksText(t *testing.T) {
	tests := []struct {
		name string
		body []byte
		want string
	}{
		{"bytes", []byte{0x41, 0xff}, ""},
		{"text", []byte{0x62, 0xc3, 0xa9}, ""},
		{"bad text", []byte{0x61, 0xff}, notUTF8},
		{"a surrogate", []byte{0x63, 0xed, 0xa0, 0x80}, notUTF8},
		{"bad text as a map's key", []byte{0xa1, 0x61, 0xff, 0x00}, notUTF8},
		{"bad text behind a tag", []byte{0xc0, 0x61, 0xff}, notUTF8},
		{"chunks", []byte{0x7f, 0x61, 'a', 0x62, 0xc3, 0xa9, 0xff}, ""},
		{"a character over two chunks", []byte{0x7f, 0x61, 0xc3, 0x61, 0xa9, 0xff}, notUTF8},
		{"a chunk of bytes in a text", []byte{0x7f, 0x41, 'a', 0xff}, "a string's chunk of another kind"},
		{"an indefinite chunk", []byte{0x5f, 0x5f, 0xff, 0xff}, "a string's chunk of another kind"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := scanner{body: test.body}
			err := s.skip()
			if e, ok := errors.AsType[*DecodeError](err); test.want != "" && (!ok || e.Reason != test.want) {
				t.Errorf("skip over %x: %v, want %q", test.body, err, test.want)
			}
			if test.want == "" && (err != nil || s.left() > 0) {
				t.Errorf("skip over %x stands at %d: %v", test.body, s.at, err)
			}
		})
	}
}

// Items of known length and tags nest without limit, those of indefinite length
// as deep as maxOpen says, and all of them end.
func TestSkipNests(t *testing.T) {
	nested := func(opening []byte, n int, rest ...byte) []byte {
		return append(bytes.Repeat(opening, n), rest...)
	}
	tests := []struct {
		name string
		body []byte
		ok   bool
	}{
		{"a million arrays", nested([]byte{0x81}, 1_000_000, 0xf6), true},
		{"a million tags", nested([]byte{0xc1}, 1_000_000, 0xf6), true},
		{"a million maps", nested([]byte{0xa1, 0x00}, 1_000_000, 0xf6), true},
		{"as many open arrays as may be", append(nested([]byte{0x9f}, maxOpen), nested([]byte{0xff}, maxOpen)...), true},
		{"one more", append(nested([]byte{0x9f}, maxOpen+1), nested([]byte{0xff}, maxOpen+1)...), false},
		{"arrays that never end", nested([]byte{0x9f}, maxOpen), false},
		{"a map that ends behind a key", []byte{0xbf, 0x00, 0xff}, false},
		// Counts that would be none if they were doubled or summed up in 64 bits.
		{"a map of 2^63 pairs", []byte{0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0}, false},
		{"one item of two, which has 2^64-1", []byte{0x82, 0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, false},
		{"a break in an array of known length", []byte{0x81, 0xff}, false},
		{"a break behind a tag", []byte{0x9f, 0xc1, 0xff}, false},
		{"a break alone", []byte{0xff}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := scanner{body: test.body}
			if err := s.skip(); (err == nil) != test.ok {
				t.Errorf("skip over %d bytes: %v", len(test.body), err)
			}
		})
	}
}

// appendHead writes the shortest head there is, headSize foretells its length,
// and next reads it back.
func TestHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]uint64{24, 1 << 8, 1 << 16, 1 << 32}).Draw(t, "limit")
		arg := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(limit-1, limit+1)).Draw(t, "arg")
		major := rapid.SampledFrom([]byte{
			majorUint, majorNegint, majorBytes, majorText, majorArray, majorMap, majorTag,
		}).Draw(t, "major")
		b := appendHead(nil, major, arg)
		want, err := cbor.Marshal(arg)
		if err != nil {
			t.Fatal(err)
		}
		want[0] |= major << 5
		if !bytes.Equal(b, want) || headSize(arg) != len(want) {
			t.Fatalf("head of %d = %x (size %d), want %x", arg, b, headSize(arg), want)
		}
		s := scanner{body: b}
		if h, err := s.next(); err != nil || h.major != major || h.arg != arg || s.left() > 0 {
			t.Fatalf("next on %x = %+v, %v", b, h, err)
		}
	})
}

// FuzzSkip holds skip to what another decoder says of any bytes.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		"\x00", "\x38\x64", "\x5f\x41a\xff", "\x7f\x61a\xff", "\x61\xff", "\x9f\x01\x82\x02\x03\x9f\x04\xff\xff",
		"\xbf\x61a\x01\xff", "\xa1\x9f\xff\xbf\xff", "\xc1\xc1\x00", "\xd8\x20\x61a", "\xf8\x20", "\xf8\x10", "\xf9\x7e\x00",
		"\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "\x1c", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkSkip(t, b) })
}
