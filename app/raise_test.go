package main

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A second start reaches the first window, also through a socket in a folder
// that is too deep for one, and through one where a window died before.
func TestRaise(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"shallow": t.TempDir(), "deep": deep} {
		t.Run(name, func(t *testing.T) {
			if err := raise(folder); err == nil {
				t.Fatal("a window answers where there is none")
			}
			leaveSocket(t, raisePath(folder))
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
			select {
			case <-r.Raised():
			case <-time.After(patience):
				t.Error("the window does not hear of it")
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(raisePath(folder)); !os.IsNotExist(err) {
				t.Errorf("the socket is left behind: %v", err)
			}
		})
	}
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
		conn, err := net.Dial("unix", raisePath(folder))
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

// leaveSocket leaves a socket behind that nobody listens to.
func leaveSocket(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSocket == 0 {
		t.Fatalf("there is no socket: %v", err)
	}
}
