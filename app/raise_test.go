package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A second start reaches the first window, also through a socket of a folder that
// is too deep for one, and where a window died before. Nothing is left behind
// but the lock.
func TestRaise(t *testing.T) {
	for name, folder := range map[string]string{"shallow": t.TempDir(), "deep": deepFolder(t)} {
		t.Run(name, func(t *testing.T) {
			if err := raise(folder); err == nil {
				t.Fatal("a window answers where there is none")
			}
			left := dieWithWindow(t, folder)
			if err := raise(folder); err == nil {
				t.Fatal("a window answers that has died")
			}
			r, err := hearRaises(folder)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := raise(folder); err != nil {
					t.Error(err)
				}
			}
			wantPulse(t, r.Raised())
			if _, err := hearRaises(folder); !errors.Is(err, errWindowOpen) {
				t.Errorf("a second window: %v", err)
			}
			path := r.socket.path
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			for _, p := range []string{left, path, filepath.Join(folder, raisePlace)} {
				if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left behind: %v", p, err)
				}
			}
		})
	}
}

// A socket that does not fit into its data folder lies where nobody else gets,
// under a name that nobody can take beforehand; whoever takes that of the last
// time is not listened to.
func TestRaiseSquatted(t *testing.T) {
	folder := deepFolder(t)
	first, err := hearRaises(folder)
	if err != nil {
		t.Fatal(err)
	}
	before := first.socket.own
	if info, err := os.Stat(before); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder: %v, %v", info, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(before, 0o777); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(before)
	squatter, err := net.Listen("unix", filepath.Join(before, raiseName))
	if err != nil {
		t.Fatal(err)
	}
	defer squatter.Close()
	if err := raise(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a window: %v", err)
	}
	second, err := hearRaises(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if second.socket.own == before {
		t.Error("the name can be known before")
	}
	if err := raise(folder); err != nil {
		t.Error(err)
	}
	wantPulse(t, second.Raised())
}

// deepFolder makes a folder that is too deep for a socket.
func deepFolder(t *testing.T) string {
	t.Helper()
	deep := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	return deep
}

// Whatever else is said to the window raises nothing, and keeps nobody out.
func TestRaiseStranger(t *testing.T) {
	folder := t.TempDir()
	r, err := hearRaises(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, word := range []string{"hide\n", "shower\n"} {
		conn, err := net.Dial("unix", r.socket.path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(word)); err != nil {
			t.Error(err)
		}
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%q is answered", word)
		}
		conn.Close()
	}
	select {
	case <-r.Raised():
		t.Error("the window was raised")
	default:
	}
	if err := raise(folder); err != nil {
		t.Error(err)
	}
}

// dieWithWindow leaves a window's socket behind, to which nobody listens, and
// returns where.
func dieWithWindow(t *testing.T, folder string) string {
	t.Helper()
	s, err := newRaiseSocket(folder)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return s.path
}
