package access

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The key is made once, for its owner's eyes only, and is the same ever after.
func TestIdentityIsKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "identity.pem")
	first, err := OpenIdentity(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := OpenIdentity(path)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Key.Equal(second.Key) || first.RelayID() != second.RelayID() {
		t.Error("the second start has another key")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want just the key", entries, err)
	}
}

// The id is the SHA-256 of the public key's own bytes, not of some encoding.
func TestRelayID(t *testing.T) {
	// The known public key of an all-zero seed, hashed by another implementation.
	const want = "139e3940e64b5491722088d9a0d741628fc826e09475d341a780acde3c4b8070"
	id := Identity{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	if got := id.RelayID(); got != want {
		t.Errorf("id %s, want %s", got, want)
	}
}

// A key that cannot be used is an error that names the file, which stays as it is.
func TestDamagedIdentity(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.pem")
	if _, err := OpenIdentity(whole); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty":         {},
		"cut":           good[:len(good)/2],
		"text":          []byte("not a key"),
		"twice":         append(append([]byte{}, good...), good...),
		"garbage below": append(append([]byte{}, good...), "garbage"...),
		"another kind":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"another block": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"not DER":       pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "identity.pem")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := OpenIdentity(path)
			if e, ok := errors.AsType[*IdentityError](err); !ok || e.Path != path {
				t.Errorf("error %v, want an *IdentityError", err)
			}
			if left, err := os.ReadFile(path); err != nil || string(left) != string(content) {
				t.Errorf("the file holds %q now (%v)", left, err)
			}
		})
	}
}

// What cannot be read is not replaced, and a folder that is missing is said.
func TestUnreachableIdentity(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenIdentity(dir); err == nil {
		t.Error("a folder is taken for a key")
	}
	if _, err := OpenIdentity(filepath.Join(dir, "none", "identity.pem")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}
