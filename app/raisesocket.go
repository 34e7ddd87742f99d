package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"hearth/relay/durable"
)

const (
	raiseName  = "window.sock"
	raisePlace = "window.path" // says where the socket lies if not beside it

	// maxSocketPath is the longest path of a socket that every system takes:
	// macOS has room for 104 bytes with the final zero, others for 108.
	maxSocketPath = 103
)

// raiseSocket is where the window of a data folder hears of a second start: in
// the folder, where only its owner gets. If that lies too deep for a socket, it is
// in a new folder of its own, under a name that nobody can guess and take
// before; a file in the data folder says where.
type raiseSocket struct {
	path string
	own  string // the folder of its own; empty if there is none
	note string // the file that says where; empty if there is none
}

// newRaiseSocket returns a free place for the socket. Whoever calls it is the one
// window of the data folder, so what is there already was left behind.
func newRaiseSocket(folder string) (*raiseSocket, error) {
	if left, err := raisePath(folder); err == nil {
		if err := removeFile(left); err != nil {
			return nil, err
		}
		if filepath.Dir(left) != folder {
			_ = os.Remove(filepath.Dir(left)) // it is gone as well, or not ours
		}
	}
	beside := filepath.Join(folder, raiseName)
	if len(beside) <= maxSocketPath {
		return &raiseSocket{path: beside}, nil
	}
	var failed error
	for _, shared := range []string{xdg.RuntimeDir, os.TempDir()} {
		own, err := os.MkdirTemp(shared, "hearth-") // with mode 0700
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		s := &raiseSocket{filepath.Join(own, raiseName), own, filepath.Join(folder, raisePlace)}
		if len(s.path) > maxSocketPath {
			failed = errors.Join(failed, fmt.Errorf("%s lies too deep for a socket", shared), os.Remove(own))
			continue
		}
		if err := durable.WriteFile(s.note, []byte(s.path+"\n")); err != nil {
			return nil, errors.Join(err, os.Remove(own))
		}
		return s, nil
	}
	return nil, failed
}

// remove removes the socket with what belongs to it.
func (s *raiseSocket) remove() error {
	err := removeFile(s.path)
	if s.own != "" {
		err = errors.Join(err, removeFile(s.note), os.Remove(s.own))
	}
	return err
}

// raisePath returns where the window of a data folder hears of a second start.
func raisePath(folder string) (string, error) {
	beside := filepath.Join(folder, raiseName)
	if len(beside) <= maxSocketPath {
		return beside, nil
	}
	note, err := os.ReadFile(filepath.Join(folder, raisePlace))
	if err != nil {
		return "", err
	}
	path := strings.TrimSpace(string(note))
	if filepath.Base(path) != raiseName || !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is no place for a socket: %w", path, fs.ErrInvalid)
	}
	return path, nil
}
