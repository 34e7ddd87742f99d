package access

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// ownerPrefix makes an owner's token recognisable, to people and to programs
// that look for secrets where none should be.
const ownerPrefix = "hearth_owner_"

// NewOwnerToken draws a new token for the owner.
func NewOwnerToken() string {
	var secret [32]byte // 256 bits: guessing is hopeless without any limit on tries
	rand.Read(secret[:])
	return ownerPrefix + hex.EncodeToString(secret[:])
}

// isOwner says whether the value of an Authorization header is the owner's
// token (RFC 6750, section 2.1).
func (d *Door) isOwner(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	return strings.EqualFold(scheme, "Bearer") && d.isOwnerToken(token)
}

// isOwnerToken says whether a token is the owner's.
func (d *Door) isOwnerToken(token string) bool {
	return d.OwnerToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(d.OwnerToken)) == 1
}
