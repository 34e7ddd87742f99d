//go:build x11 && linux

package ui

/*
#cgo pkg-config: x11
#include <X11/Xlib.h>

extern void hearthDisplayLost(void);

static int hearthOnIOError(Display *display) {
	hearthDisplayLost();
	return 0; // Xlib ends the program now
}

static void hearthWatchDisplay(void) { XSetIOErrorHandler(hearthOnIOError); }
*/
import "C"

import "sync/atomic"

// displayLost is what is done when the display has gone.
var displayLost atomic.Pointer[func()]

// onDisplayLost has something done before Xlib ends the program because its
// display has gone, as at the end of a session: that asks nobody else.
func onDisplayLost(do func()) {
	displayLost.Store(&do)
	C.hearthWatchDisplay()
}

//export hearthDisplayLost
func hearthDisplayLost() { (*displayLost.Load())() }
