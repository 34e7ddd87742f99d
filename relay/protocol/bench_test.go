package protocol_test

import (
	"fmt"
	"testing"

	"hearth/relay/protocol"
)

func BenchmarkDecodeBatch(b *testing.B) {
	for _, c := range []struct{ entries, size int }{{1, 256}, {100, 256}, {1_000_000, 0}} {
		b.Run(fmt.Sprintf("%dx%dB", c.entries, c.size), func(b *testing.B) {
			data := make([][]byte, c.entries)
			for i := range data {
				data[i] = make([]byte, c.size)
			}
			body := protocol.Batch{
				Epoch: 1, Entries: protocol.NewEntries(data...), Stream: new(protocol.Identity),
			}.Append(nil)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := protocol.DecodeBatch(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBatchKey(b *testing.B) {
	batch := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, 256))}
	b.ReportAllocs()
	for b.Loop() {
		batch.Key()
	}
}

func BenchmarkChainNext(b *testing.B) {
	for _, size := range []int{256, 1024, 1025, 64 << 10} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			chain, data := protocol.NewChain(0, protocol.Link{}), make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				chain.Next(1, data)
			}
		})
	}
}

func BenchmarkEntryAppend(b *testing.B) {
	e := protocol.Entry{Seq: 70_000, Epoch: 1, Data: make([]byte, 256), EndsBatch: true}
	buf := make([]byte, 0, e.Size())
	b.SetBytes(int64(e.Size()))
	b.ReportAllocs()
	for b.Loop() {
		buf = e.Append(buf[:0])
	}
}

// BenchmarkDecodeEntry goes through a page of 10,000 entries.
func BenchmarkDecodeEntry(b *testing.B) {
	var page []byte
	for seq := range uint64(protocol.MaxPageEntries) {
		page = protocol.Entry{Seq: seq + 1, Epoch: 1, Data: make([]byte, 256)}.Append(page)
	}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		for rest := page; len(rest) > 0; {
			var err error
			if _, rest, err = protocol.DecodeEntry(rest); err != nil {
				b.Fatal(err)
			}
		}
	}
}
