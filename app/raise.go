package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay"
	"hearth/relay/durable"
)

const (
	raiseLock = "window.lock"
	raiseWord = "show\n"
	raiseDone = "shown\n"

	// raisePatience is how long either side waits for the other's word. Both
	// are on one machine and have nothing else to do.
	raisePatience = 2 * time.Second
)

// errWindowOpen says that a window is open on a data folder already.
var errWindowOpen = errors.New("another window of Hearth is open on this data")

// raiser is the one window of a data folder, and hears of second starts.
type raiser struct {
	lock     *flock.Flock
	socket   *raiseSocket
	listener net.Listener
	raised   chan struct{}
	done     chan struct{}
}

// hearRaises makes this process the one with the window of a data folder, which
// it makes if there is none, and begins to hear of second starts. The errors:
// errWindowOpen, *relay.FolderError, that of listening.
func hearRaises(folder string) (_ *raiser, err error) {
	if err := durable.MakeFolder(folder); err != nil {
		return nil, &relay.FolderError{Dir: folder, Err: err}
	}
	lock := flock.New(filepath.Join(folder, raiseLock), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, &relay.FolderError{Dir: folder, Err: err}
	}
	if !locked {
		return nil, errors.Join(errWindowOpen, lock.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("a second start cannot be heard: %w", err), lock.Close())
		}
	}()
	socket, err := newRaiseSocket(folder)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", socket.path)
	if err != nil {
		return nil, errors.Join(err, socket.remove())
	}
	r := &raiser{lock, socket, l, make(chan struct{}, 1), make(chan struct{})}
	go r.run()
	return r, nil
}

// Raised gets a value for one or more second starts.
func (r *raiser) Raised() <-chan struct{} { return r.raised }

// Close ends the hearing and removes the socket.
func (r *raiser) Close() error {
	err := r.listener.Close()
	<-r.done
	return errors.Join(err, r.socket.remove(), r.lock.Close())
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
	pulse(r.raised)
	// Should the caller be gone, the window is raised all the same.
	_, _ = io.WriteString(conn, raiseDone)
}

// raise asks the window that runs on a data folder to show itself.
func raise(folder string) error {
	path, err := raisePath(folder)
	if err != nil {
		return err
	}
	conn, err := net.DialTimeout("unix", path, raisePatience)
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
		return fmt.Errorf("the window answered %q", strings.TrimSpace(answer))
	}
	return nil
}
