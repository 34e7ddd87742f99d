package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
)

const (
	raiseName = "window.sock"
	raiseWord = "show\n"
	raiseDone = "shown\n"

	// maxSocketPath is the longest path of a socket that every system takes:
	// macOS has room for 104 bytes with the final zero, others for 108.
	maxSocketPath = 103

	// raisePatience is how long either side waits for the other's word. Both
	// are on one machine and have nothing else to do.
	raisePatience = 2 * time.Second
)

// raisePath is where the window of a data folder hears of a second start:
// in the folder, where only its owner gets, or if that lies too deep in the
// folder for such things, under a name made from the folder's.
func raisePath(folder string) string {
	path := filepath.Join(folder, raiseName)
	if len(path) <= maxSocketPath {
		return path
	}
	sum := sha256.Sum256([]byte(folder))
	name := fmt.Sprintf("hearth-%x.sock", sum[:8])
	path = filepath.Join(xdg.RuntimeDir, name)
	if info, err := os.Stat(xdg.RuntimeDir); err == nil && info.IsDir() && len(path) <= maxSocketPath {
		return path
	}
	return filepath.Join(os.TempDir(), name)
}

// raiser hears of second starts.
type raiser struct {
	listener net.Listener
	raised   chan struct{}
	done     chan struct{}
}

// hearRaises begins to hear. Whoever calls it holds the data folder, so a
// socket that is there already was left behind.
func hearRaises(folder string) (*raiser, error) {
	path := raisePath(folder)
	if err := removeFile(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	r := &raiser{l, make(chan struct{}, 1), make(chan struct{})}
	go r.run()
	return r, nil
}

// Raised gets a value for one or more second starts.
func (r *raiser) Raised() <-chan struct{} { return r.raised }

// Close ends the hearing and removes the socket.
func (r *raiser) Close() error {
	err := r.listener.Close()
	<-r.done
	return err
}

func (r *raiser) run() {
	defer close(r.done)
	for {
		conn, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of file descriptors, most likely: that passes.
			time.Sleep(raisePatience)
			continue
		}
		r.hear(conn)
	}
}

// hear takes one word. One caller at a time: they are quick or cut off.
func (r *raiser) hear(conn net.Conn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(raisePatience)) != nil {
		return
	}
	word := make([]byte, len(raiseWord))
	if _, err := io.ReadFull(conn, word); err != nil || string(word) != raiseWord {
		return
	}
	select {
	case r.raised <- struct{}{}:
	default:
	}
	// Should the caller be gone, the window is raised all the same.
	_, _ = io.WriteString(conn, raiseDone)
}

// raise asks the window that runs on a data folder to show itself.
func raise(folder string) error {
	conn, err := net.DialTimeout("unix", raisePath(folder), raisePatience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(raisePatience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, raiseWord); err != nil {
		return err
	}
	answer, err := bufio.NewReader(io.LimitReader(conn, int64(len(raiseDone)))).ReadString('\n')
	if err != nil {
		return err
	}
	if answer != raiseDone {
		return fmt.Errorf("the window answered %q", answer)
	}
	return nil
}
