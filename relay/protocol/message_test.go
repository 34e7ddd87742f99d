package protocol_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/protocol"
)

// Answers to a batch are written byte for byte as the known relay writes them.
func TestWrittenVectors(t *testing.T) {
	for _, v := range readVectors(t).Written {
		got := protocol.Encode(protocol.Written{
			Stream: protocol.Identity(v.Stream), Epoch: v.Epoch, First: v.First, Last: v.Last, Repeated: v.Repeated,
		})
		if !bytes.Equal(got, v.CBOR) {
			t.Errorf("Encode = %x, want %x", got, v.CBOR)
		}
	}
}

// Answers to a wait are, too.
func TestHeadsVectors(t *testing.T) {
	for _, v := range readVectors(t).Heads {
		heads := protocol.Heads{Heads: []protocol.Head{}}
		for _, h := range v.Heads {
			head := protocol.Head{Stream: protocol.Name(h.Stream), Head: h.Head}
			if h.ID != nil {
				id := protocol.Identity(h.ID)
				head.ID = &id
			}
			heads.Heads = append(heads.Heads, head)
		}
		if got := protocol.Encode(heads); !bytes.Equal(got, v.CBOR) {
			t.Errorf("Encode(%+v) = %x, want %x", heads, got, v.CBOR)
		}
	}
}

// An answer to a wait holds an array, also if nobody made one.
func TestHeadsAreNeverNull(t *testing.T) {
	if got, want := protocol.Encode(protocol.Heads{}), []byte{0xa1, 0x00, 0x80}; !bytes.Equal(got, want) {
		t.Errorf("Encode(Heads{}) = %x, want %x", got, want)
	}
}

// Refusals are, too, and their codes are all known here.
func TestProblemVectors(t *testing.T) {
	for _, v := range readVectors(t).Problem {
		got := protocol.Encode(protocol.Problem{
			Code: protocol.Code(v.Code), Message: v.Message, Head: v.Head, Epoch: v.Epoch, Limit: v.Limit, Retry: v.Retry,
		})
		if !bytes.Equal(got, v.CBOR) {
			t.Errorf("Encode(%s) = %x, want %x", v.Code, got, v.CBOR)
		}
	}
}

// Limits are, too, and ours are those of the known relay.
func TestLimitsVectors(t *testing.T) {
	for _, v := range readVectors(t).Limits {
		got := protocol.Encode(protocol.Limits{
			Write: v.Write, Body: protocol.MaxBody, Entry: v.Entry, Quota: v.Quota, Used: v.Used, Rate: v.Rate,
			PageEntries: protocol.DefaultPageEntries, PageEntriesMax: protocol.MaxPageEntries,
			PageBytes: protocol.MaxPageData, WaitMax: uint64(protocol.MaxWait.Seconds()), Watches: protocol.MaxWatches,
		})
		if !bytes.Equal(got, v.CBOR) {
			t.Errorf("Encode = %x, want %x", got, v.CBOR)
		}
	}
}

// Pages are, too, and their entries are read back.
func TestPageVectors(t *testing.T) {
	for _, v := range readVectors(t).Page {
		page := protocol.AppendPage(nil, protocol.Identity(v.Stream), v.Epoch, v.Head, len(v.Entries))
		start := len(page)
		var want []protocol.Entry
		for _, e := range v.Entries {
			entry := protocol.Entry{
				Seq: e.Seq, Epoch: e.Epoch, Link: protocol.Link(e.Hash), Data: e.Data, EndsBatch: e.EndsBatch,
			}
			want, page = append(want, entry), entry.Append(page)
		}
		if !bytes.Equal(page, v.CBOR) {
			t.Errorf("page = %x, want %x", page, v.CBOR)
		}
		if diff := cmp.Diff(want, walk(t, v.CBOR[start:])); diff != "" {
			t.Errorf("entries of %x (-want +got):\n%s", v.CBOR, diff)
		}
	}
}

// A stream that a known client wrote gets the links and the page that the known
// relay gave it.
func TestStreamVector(t *testing.T) {
	v := readVectors(t).Stream
	stream := protocol.Identity(v.Stream)
	chain := protocol.NewChain(0, protocol.Genesis(stream))
	var epoch uint32
	var entries []protocol.Entry
	for _, batch := range v.Batches {
		b, err := protocol.DecodeBatch(batch.CBOR)
		if err != nil {
			t.Fatal(err)
		}
		epoch = b.Epoch
		for data := range b.Entries.All() {
			link := chain.Next(b.Epoch, data)
			entries = append(entries, protocol.Entry{Seq: chain.Seq(), Epoch: b.Epoch, Link: link, Data: data})
		}
		entries[len(entries)-1].EndsBatch = true
	}
	for i, e := range entries {
		if !bytes.Equal(e.Link[:], v.Links[i]) {
			t.Errorf("link of entry %d = %s, want %x", e.Seq, e.Link, v.Links[i])
		}
	}
	page := protocol.AppendPage(nil, stream, epoch, chain.Seq(), len(entries))
	start := len(page)
	for _, e := range entries {
		page = e.Append(page)
	}
	if !bytes.Equal(page, v.Page) {
		t.Errorf("page = %x, want %x", page, v.Page)
	}
	if diff := cmp.Diff(entries, walk(t, v.Page[start:])); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// walk returns the entries that stand one after the other in b.
func walk(t *testing.T, b []byte) []protocol.Entry {
	t.Helper()
	var entries []protocol.Entry
	for len(b) > 0 {
		e, rest, err := protocol.DecodeEntry(b)
		if err != nil {
			t.Fatal(err)
		}
		entries, b = append(entries, e), rest
	}
	return entries
}
