package ui

import (
	"net"
	"strings"
	"testing"
)

// Without a display that answers, the person is told how to do without.
func TestHasDisplay(t *testing.T) {
	// A display of our own, at a number that no real one has.
	l, err := net.Listen("unix", "@/tmp/.X11-unix/X64123")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, test := range []struct {
		display, wayland string
		want             string // in the error; empty if there is none
	}{
		{"", "", "DISPLAY is not set"},
		{":64123", "", ""},
		{":64123.0", "", ""},
		{"unix:64123", "", ""},
		{":64124", "", "does not answer"},
		{"127.0.0.1:59535", "", "does not answer"}, // TCP port 65535
		{"nonsense", "", "makes no sense"},
		{":-1", "", "makes no sense"},
		{"", "wayland-0", ""},
	} {
		t.Setenv("DISPLAY", test.display)
		t.Setenv("WAYLAND_DISPLAY", test.wayland)
		err := HasDisplay()
		switch {
		case test.want == "" && err != nil:
			t.Errorf("DISPLAY=%q: %v", test.display, err)
		case test.want != "" && err == nil:
			t.Errorf("DISPLAY=%q is taken for a display", test.display)
		case err != nil && (!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "hearth serve")):
			t.Errorf("DISPLAY=%q: %v", test.display, err)
		}
	}
}
