package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// genesisTag starts the hash that every chain begins with ("The chain").
const genesisTag = "efema/chain/v1/genesis"

// Genesis returns the link at position 0 of a stream.
func Genesis(stream Identity) Link {
	return sha256.Sum256(append([]byte(genesisTag), stream[:]...))
}

// linkHead is the length of what is hashed before an entry's bytes: the link
// before it, its position, its epoch and its length.
const linkHead = len(Link{}) + 8 + 4 + 8

// Chain computes the links of consecutive entries ("The chain"). It is not
// safe for use by several goroutines.
type Chain struct {
	seq  uint64
	link Link
	hash hash.Hash
	head [linkHead]byte
}

// NewChain returns a chain that stands at a position with its link.
func NewChain(seq uint64, link Link) *Chain {
	return &Chain{seq: seq, link: link, hash: sha256.New()}
}

// Move puts the chain to another position with its link.
func (c *Chain) Move(seq uint64, link Link) { c.seq, c.link = seq, link }

// Seq returns the position that the chain stands at.
func (c *Chain) Seq() uint64 { return c.seq }

// Link returns the link at that position.
func (c *Chain) Link() Link { return c.link }

// Next moves on by one entry and returns its link.
func (c *Chain) Next(epoch uint32, data []byte) Link {
	c.seq++
	copy(c.head[:], c.link[:])
	binary.BigEndian.PutUint64(c.head[32:], c.seq)
	binary.BigEndian.PutUint32(c.head[40:], epoch)
	binary.BigEndian.PutUint64(c.head[44:], uint64(len(data)))
	c.hash.Reset()
	c.hash.Write(c.head[:])
	c.hash.Write(data)
	c.hash.Sum(c.link[:0])
	return c.link
}
