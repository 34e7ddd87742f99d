package ui

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// headlessHint ends every sentence about a missing display.
const headlessHint = "run `hearth serve` to use the relay without a window"

// displayPatience is how long a display on another machine may take to answer;
// one on this machine answers at once.
const displayPatience = 2 * time.Second

// HasDisplay says whether a window can be shown here. The error says why not,
// and what to do instead. Where the system always has a desktop it is nil.
func HasDisplay() error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	x := os.Getenv("DISPLAY")
	if os.Getenv("WAYLAND_DISPLAY") != "" && !builtForX() {
		return nil
	}
	if x == "" {
		return errors.New("there is no display to show a window on (DISPLAY is not set): " + headlessHint)
	}
	if err := reachX(x); err != nil {
		return fmt.Errorf("the display %s does not answer (%w): %s", x, err, headlessHint)
	}
	return nil
}

// builtForX says that the window toolkit was built for X11 alone, with the
// build tag that it has for that.
func builtForX() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return slices.Contains(strings.Split(s.Value, ","), "x11")
		}
	}
	return false
}

// reachX connects to an X display, named as in X(7) "DISPLAY NAMES": by a
// socket on this machine, or by TCP with the host before the colon.
func reachX(display string) error {
	host, number, ok := strings.Cut(display, ":")
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil {
		return errors.New("its name makes no sense")
	}
	if host != "" && host != "unix" {
		const xPort = 6000 // display 0; the others follow
		return dial("tcp", net.JoinHostPort(host, strconv.FormatUint(xPort+n, 10)))
	}
	socket := "/tmp/.X11-unix/X" + strconv.FormatUint(n, 10)
	if dial("unix", "@"+socket) == nil { // Linux has the abstract name as well
		return nil
	}
	return dial("unix", socket)
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, displayPatience)
	if err != nil {
		return err
	}
	return conn.Close()
}
