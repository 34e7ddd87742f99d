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

// linkHead is what is hashed before an entry's bytes: the link before it, its
// position, its epoch and its length.
const linkHead = len(Link{}) + 8 + 4 + 8

// shortEntry is the longest entry that is copied behind its head and hashed in
// one call, which for short ones costs half of feeding a hash twice.
const shortEntry = 1024

// Chain computes the links of consecutive entries ("The chain"). It is not
// safe for use by several goroutines.
type Chain struct {
	seq  uint64
	link Link
	long hash.Hash
	buf  [linkHead + shortEntry]byte
}

// NewChain returns a chain that stands at a position with its link.
func NewChain(seq uint64, link Link) *Chain {
	return &Chain{seq: seq, link: link}
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
	head := c.buf[:linkHead]
	copy(head, c.link[:])
	binary.BigEndian.PutUint64(head[32:], c.seq)
	binary.BigEndian.PutUint32(head[40:], epoch)
	binary.BigEndian.PutUint64(head[44:], uint64(len(data)))
	if len(data) <= shortEntry {
		n := copy(c.buf[linkHead:], data)
		c.link = sha256.Sum256(c.buf[:linkHead+n])
		return c.link
	}
	if c.long == nil {
		c.long = sha256.New()
	}
	c.long.Reset()
	c.long.Write(head)
	c.long.Write(data)
	c.long.Sum(c.link[:0])
	return c.link
}
