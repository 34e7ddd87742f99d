package protocol_test

import (
	"testing"

	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// Whatever bytes there are, an entry is passed over just where it can be read,
// and by as many bytes.
func TestSkipEntryLikeDecodeEntry(t *testing.T) {
	numbers := rapid.SampledFrom([]uint64{0, 1, 23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, 1<<64 - 1})
	rapid.Check(t, func(t *rapid.T) {
		e := protocol.Entry{
			Seq:       numbers.Draw(t, "seq"),
			Epoch:     uint32(numbers.Draw(t, "epoch")),
			Data:      make([]byte, rapid.SampledFrom([]int{0, 1, 23, 24, 255, 256, 70_000}).Draw(t, "size")),
			EndsBatch: rapid.Bool().Draw(t, "ends"),
		}
		b := e.Append(nil)
		heads := min(len(b), 64)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			b[rapid.IntRange(0, heads-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		switch rapid.IntRange(0, 3).Draw(t, "end") {
		case 0:
			b = b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
		case 1:
			b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "behind")...)
		}
		want, rest, wantErr := protocol.DecodeEntry(b)
		got, err := protocol.SkipEntry(b)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("passed over with %v, read with %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if expected := (protocol.Passed{Seq: want.Seq, Data: len(want.Data), Size: len(b) - len(rest)}); got != expected {
			t.Fatalf("passed over %+v, read %+v", got, expected)
		}
	})
}
