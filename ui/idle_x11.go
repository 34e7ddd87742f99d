//go:build x11 && linux && !ci

package ui

/*
#cgo pkg-config: x11
#include <X11/Xlib.h>

static int hearthPending(void *display) { return XPending(display); }
static int hearthConnection(void *display) { return ConnectionNumber((Display *)display); }
*/
import "C"

import (
	"log/slog"
	"os"
	"syscall"
	"time"
	"unsafe"

	"fyne.io/fyne/v2"
	"github.com/go-gl/glfw/v3.4/glfw"
	"golang.org/x/sys/unix"
)

// begin lets the toolkit's loop rest from now on. It must be called before
// anything is asked for, and end after the loop has ended.
//
// An animation without an end is told of each turn, between the handling of
// events and the drawing. What it queues is done between turns.
func (i *idle) begin() (end func()) {
	i.called = make(chan struct{}, 1)
	var server *xServer
	turns := fyne.NewAnimation(time.Hour, func(float32) {
		i.turn()
		fyne.Do(i.rest)
	})
	turns.RepeatCount = fyne.AnimationRepeatForever
	fyne.CurrentApp().Lifecycle().SetOnStarted(func() { // the toolkit has connected
		var err error
		if server, err = watchServer(unsafe.Pointer(glfw.GetX11Display())); err != nil {
			slog.Warn("the window does not rest", "err", err)
			return
		}
		i.wait = server.wait
		turns.Start()
	})
	return func() {
		if server != nil {
			_ = server.connection.Close()
		}
	}
}

// xServer is the toolkit's connection to the display. It is waited for in Go,
// not by GLFW: a thread that waits in C keeps the runtime's monitor awake for
// 10 ms each time, which costs half of what resting saves.
type xServer struct {
	display    unsafe.Pointer
	connection *os.File
	sent       chan struct{} // holds a value if the server may have sent something
}

func watchServer(display unsafe.Pointer) (*xServer, error) {
	// A descriptor of our own: closing the file leaves Xlib's open.
	fd, err := unix.FcntlInt(uintptr(C.hearthConnection(display)), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	s := &xServer{display, os.NewFile(uintptr(fd), "display"), make(chan struct{}, 1)}
	connection, err := s.connection.SyscallConn()
	if err != nil {
		return nil, err
	}
	go s.watch(connection)
	return s, nil
}

// watch tells whenever something has come, which Xlib reads; it returns when the
// connection is closed.
func (s *xServer) watch(connection syscall.RawConn) {
	_ = connection.Read(func(uintptr) bool {
		select {
		case s.sent <- struct{}{}:
		default:
		}
		return false // there will be more
	})
}

// wait is what idle waits with.
func (s *xServer) wait(limit time.Duration, called <-chan struct{}) (event bool) {
	over := time.NewTimer(limit)
	defer over.Stop()
	for C.hearthPending(s.display) == 0 {
		select {
		case <-s.sent: // maybe no more than an answer
		case <-called:
			return false
		case <-over.C:
			return false
		}
	}
	return true
}
