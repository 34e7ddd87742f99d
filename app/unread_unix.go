//go:build unix

package main

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// whenUnread has gone called once nobody is left who reads what is written to f, if
// that is a pipe: without this, who only writes now and then would notice late. Call
// stop after use.
func whenUnread(f *os.File, gone func()) (stop func()) {
	stopped, stopping, err := os.Pipe()
	if err != nil {
		return func() {} // the next write notices as well
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		defer stopped.Close()
		// Only errors are waited for: that the reader of a pipe has gone is one.
		fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(stopped.Fd())}}
		for {
			_, err := unix.Poll(fds, -1)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if fds[0].Revents != 0 {
				gone()
			}
			return
		}
	})
	return sync.OnceFunc(func() {
		_ = stopping.Close() // which is what stops it
		watching.Wait()
	})
}
