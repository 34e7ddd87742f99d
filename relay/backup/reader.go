package backup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filippo.io/age"

	"hearth/relay/archive"
	"hearth/relay/store"
)

// lockedMagic is how a file begins that age encrypted (age-encryption.org/v1).
const lockedMagic = "age-encryption.org/"

// Reader reads a backup.
type Reader struct {
	*archive.Reader
	Encrypted bool
	file      *os.File
}

// Contents is what a backup holds beside its entries.
type Contents struct {
	archive.Manifest
	Files   []archive.File
	Streams []store.Stream
}

// Entries returns how many entries the streams have.
func (c Contents) Entries() (n uint64) {
	for _, s := range c.Streams {
		n += s.Head
	}
	return n
}

// Bytes returns how many bytes they have.
func (c Contents) Bytes() (n uint64) {
	for _, s := range c.Streams {
		n += s.Bytes
	}
	return n
}

// Open opens a backup, with the identities of a file of age's if it is encrypted.
// The errors: *LockedError, *archive.DamagedError, those of the system. Close it
// after use.
func Open(path string, identities []byte) (*Reader, error) {
	if len(identities) == 0 {
		return open(path, nil)
	}
	keys, err := age.ParseIdentities(bytes.NewReader(identities))
	if err != nil {
		return nil, fmt.Errorf("the file with the secret key cannot be used: %w", err)
	}
	return open(path, keys...)
}

func open(path string, identities ...age.Identity) (_ *Reader, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	buffered := bufio.NewReaderSize(file, 256<<10)
	begins, err := buffered.Peek(len(lockedMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var in io.Reader = buffered
	if r.Encrypted = string(begins) == lockedMagic; r.Encrypted {
		if len(identities) == 0 || identities[0] == nil {
			return nil, &LockedError{Path: path}
		}
		if in, err = unlock(path, buffered, identities); err != nil {
			return nil, err
		}
	}
	r.Reader, err = archive.NewReader(in)
	return r, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// Prove reads all of the backup and says what it holds. Each record goes through
// each, which may be nil. The errors: *archive.DamagedError, those of each and of
// the system, the context's.
func (r *Reader) Prove(ctx context.Context, each func(archive.Record) error) (Contents, error) {
	c := Contents{Manifest: r.Manifest()}
	for {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err == nil && each != nil {
			err = each(record)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return Contents{}, err
		}
		switch {
		case record.File != nil:
			c.Files = append(c.Files, *record.File)
		case record.Stream != nil:
			c.Streams = append(c.Streams, *record.Stream)
		}
	}
}

// unlock decrypts.
func unlock(path string, in io.Reader, identities []age.Identity) (io.Reader, error) {
	text, err := age.Decrypt(in, identities...)
	if none, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, &LockedError{Path: path, Err: none}
	}
	if err != nil {
		return nil, damagedLock(0, err)
	}
	return &unlocked{in: text}, nil
}

// unlocked is what was encrypted.
type unlocked struct {
	in io.Reader
	at uint64
}

func (u *unlocked) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	u.at += uint64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damagedLock(u.at, err)
	}
	return n, err
}

// damagedLock makes damage of an error of age's that is none of the disk's.
func damagedLock(at uint64, err error) error {
	if _, disk := errors.AsType[*fs.PathError](err); disk {
		return err
	}
	return &archive.DamagedError{Reason: fmt.Sprintf("it cannot be decrypted behind byte %d of what it holds", at), Err: err}
}
