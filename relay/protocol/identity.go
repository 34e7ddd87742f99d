package protocol

import "encoding/hex"

// Identity is what makes a stream the same one under its name: 16 random bytes,
// drawn when its first batch arrives.
type Identity [16]byte

// String returns the identity in lowercase hexadecimal.
func (i Identity) String() string { return hex.EncodeToString(i[:]) }

// Link is an entry's place in its stream's chain, a SHA-256.
type Link [32]byte

// String returns the link in lowercase hexadecimal.
func (l Link) String() string { return hex.EncodeToString(l[:]) }
