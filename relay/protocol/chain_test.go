package protocol_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// Chains begin as the known relay's do.
func TestGenesisVectors(t *testing.T) {
	for _, v := range readVectors(t).Genesis {
		if got := protocol.Genesis(protocol.Identity(v.Stream)); !bytes.Equal(got[:], v.Link) {
			t.Errorf("Genesis(%x) = %s, want %x", v.Stream, got, v.Link)
		}
	}
}

// Links are those of the known relay, up to the last position there is.
func TestLinkVectors(t *testing.T) {
	v := readVectors(t)
	for _, l := range v.Link {
		data := []byte(v.Long)
		if l.Data != "long" {
			var err error
			if data, err = hex.DecodeString(l.Data); err != nil {
				t.Fatal(err)
			}
		}
		chain := protocol.NewChain(l.Seq-1, protocol.Link(l.Previous))
		if got := chain.Next(l.Epoch, data); !bytes.Equal(got[:], l.Link) {
			t.Errorf("link of entry %d (%d bytes) = %s, want %x", l.Seq, len(data), got, l.Link)
		}
		if chain.Seq() != l.Seq || chain.Link() != protocol.Link(l.Link) {
			t.Errorf("after entry %d the chain stands at %d with %s", l.Seq, chain.Seq(), chain.Link())
		}
	}
}

// A chain gives every entry the link that the contract's formula gives,
// whatever lengths follow each other.
func TestChainIsTheFormula(t *testing.T) {
	formula := func(previous protocol.Link, seq uint64, epoch uint32, data []byte) protocol.Link {
		var b bytes.Buffer
		b.Write(previous[:])
		binary.Write(&b, binary.BigEndian, seq)
		binary.Write(&b, binary.BigEndian, epoch)
		binary.Write(&b, binary.BigEndian, uint64(len(data)))
		b.Write(data)
		return sha256.Sum256(b.Bytes())
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := identity.Draw(t, "stream")
		want := protocol.Link(sha256.Sum256(append([]byte("efema/chain/v1/genesis"), stream[:]...)))
		if got := protocol.Genesis(stream); got != want {
			t.Fatalf("Genesis = %s, want %s", got, want)
		}
		seq := number.Draw(t, "seq")
		chain := protocol.NewChain(seq, want)
		for range rapid.IntRange(1, 20).Draw(t, "entries") {
			epoch, data := uint32(number.Draw(t, "epoch")), data.Draw(t, "data")
			seq++
			want = formula(want, seq, epoch, data)
			if got := chain.Next(epoch, data); got != want || chain.Link() != want || chain.Seq() != seq {
				t.Fatalf("link of entry %d (%d bytes) = %s, want %s", seq, len(data), got, want)
			}
		}
	})
}

// A chain that was moved goes on as one that began there.
func TestChainMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq, previous := number.Draw(t, "seq"), link.Draw(t, "link")
		epoch, data := uint32(number.Draw(t, "epoch")), data.Draw(t, "data")
		moved := protocol.NewChain(1, protocol.Link{})
		moved.Next(2, []byte("elsewhere"))
		moved.Move(seq, previous)
		began := protocol.NewChain(seq, previous)
		if moved.Next(epoch, data) != began.Next(epoch, data) || moved.Seq() != began.Seq() || moved.Link() != began.Link() {
			t.Fatalf("moved, the chain stands at %d with %s, want %d with %s",
				moved.Seq(), moved.Link(), began.Seq(), began.Link())
		}
	})
}
