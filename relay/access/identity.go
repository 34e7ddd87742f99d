package access

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hearth/relay/durable"
)

// Identity is the key by which a relay is known.
type Identity struct {
	Key ed25519.PrivateKey
}

// RelayID returns the relay's id: the SHA-256 of its public key's 32 bytes, in
// lowercase hexadecimal.
func (i Identity) RelayID() string {
	public, ok := i.Key.Public().(ed25519.PublicKey)
	if !ok {
		panic("access: an Ed25519 key has an Ed25519 public key")
	}
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:])
}

// pemType is the type of a PEM block that holds a key in PKCS #8 (RFC 7468,
// section 10).
const pemType = "PRIVATE KEY"

// OpenIdentity reads the relay's key from a file, or makes a new one if there is
// no such file. A file that is there is never written to; if it cannot be used,
// the error is an *IdentityError. Only one process may do this at a time.
func OpenIdentity(path string) (Identity, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createIdentity(path)
	}
	if err != nil {
		return Identity{}, &IdentityError{path, err}
	}
	key, err := decodeKey(text)
	if err != nil {
		return Identity{}, &IdentityError{path, err}
	}
	return Identity{key}, nil
}

func decodeKey(text []byte) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemType || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("it is not one private key in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("it holds a key of another kind (%T) than Ed25519", parsed)
	}
	return key, nil
}

func createIdentity(path string) (Identity, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return Identity{}, fmt.Errorf("drawing the relay's key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Identity{}, fmt.Errorf("encoding the relay's key: %w", err)
	}
	if err := durable.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})); err != nil {
		return Identity{}, fmt.Errorf("keeping the relay's key: %w", err)
	}
	return Identity{key}, nil
}
