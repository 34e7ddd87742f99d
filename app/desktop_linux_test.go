//go:build !headless

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png" // of the screenshots
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/relay/protocol"
)

// windowProgram names the program with its window, which `make test` builds
// before: to compile it here once more would take minutes.
const windowProgram = "HEARTH_BIN"

// builtProgram returns the path of that program.
func builtProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv(windowProgram)
	if program == "" {
		t.Skip("the program with its window is not built; `make test` builds it and sets " + windowProgram)
	}
	return program
}

// desktop is an X server of its own with a window manager.
type desktop struct {
	display string
	server  *os.Process
}

// newDesktop starts one. It ends with the test.
func newDesktop(t *testing.T) desktop {
	t.Helper()
	for _, tool := range []string{"Xvfb", "openbox", "xdotool", "wmctrl", "import"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here; `make test` installs it", tool)
		}
	}
	ready, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	x := exec.CommandContext(t.Context(), "Xvfb", "-displayfd", "3", "-noreset", "-screen", "0", "1280x800x24", "+extension", "GLX", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{told}
	if err := errors.Join(x.Start(), told.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = x.Process.Kill()
		_ = x.Wait()
	})
	number, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		t.Fatalf("the X server does not say its number: %v", err)
	}
	d := desktop{":" + strings.TrimSpace(number), x.Process}
	manager := d.command(t, "openbox")
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = manager.Process.Kill()
		_ = manager.Wait()
	})
	return d
}

// command prepares a program that shows itself on the desktop.
func (d desktop) command(t *testing.T, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), "DISPLAY="+d.display, "WAYLAND_DISPLAY=", "FYNE_THEME=light")
	return c
}

// run runs a tool and returns what it prints.
func (d desktop) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := d.command(t, name, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}

// closeWindow has the window manager ask a window to close, as its button does: a
// key would get lost before the window has the focus.
func (d desktop) closeWindow(t *testing.T, id string) {
	t.Helper()
	d.run(t, "wmctrl", "-i", "-c", id)
}

// picture takes a screenshot.
func (d desktop) picture(t *testing.T) image.Image {
	t.Helper()
	shot, _, err := image.Decode(bytes.NewReader([]byte(d.run(t, "import", "-window", "root", "png:-"))))
	if err != nil {
		t.Fatal(err)
	}
	return shot
}

// differ counts the points in which two screenshots differ.
func differ(a, b image.Image) (n int) {
	bounds := a.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// TestDesktop starts the program as a person does, on a real display: its window
// shows, what a client writes shows in it, a second start raises it, and closing
// it ends the program with everything in one file.
func TestDesktop(t *testing.T) {
	program := builtProgram(t)
	d, data := newDesktop(t), filepath.Join(t.TempDir(), "data")
	args := []string{"--data", data, "--listen", "127.0.0.1:0"}
	var said bytes.Buffer
	window := d.command(t, program, args...)
	window.Stderr = &said
	if err := window.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if window.ProcessState == nil {
			_ = window.Process.Kill()
			_ = window.Wait()
			t.Logf("the program said:\n%s", &said)
		}
	})
	id := strings.TrimSpace(d.run(t, "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Hearth$"))
	id, _, _ = strings.Cut(id, "\n")
	var run *runFile
	eventually(t, "the relay says how it is reached", func() bool {
		var err error
		run, err = readRunFile(data)
		return err == nil && run != nil
	})
	// What the empty window looks like once it has come to rest.
	before := d.picture(t)
	eventually(t, "the window is drawn and rests", func() bool {
		last := before
		before = d.picture(t)
		return differ(last, before) == 0 && differ(before, image.NewRGBA(before.Bounds())) > 0
	})

	body := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries([]byte("hello"))}.Append(nil)
	response, err := http.Post(run.URL+"/v1/streams/notes/entries", protocol.MediaType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d", response.StatusCode)
	}
	// A row with a name, figures and a time takes more points than a cursor.
	eventually(t, "the stream shows", func() bool { return differ(before, d.picture(t)) > 500 })

	d.run(t, "xdotool", "windowminimize", "--sync", id)
	if out, err := d.command(t, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("a second start: %v\n%s", err, out)
	}
	d.run(t, "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Hearth$")

	d.closeWindow(t, id)
	if err := window.Wait(); err != nil {
		t.Fatalf("the program ended with %v\n%s", err, &said)
	}
	for _, name := range []string{"hearth.db-wal", "hearth.db-shm", "run.json"} {
		if _, err := os.Stat(filepath.Join(data, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// A display that goes, as at the end of a session, takes the relay down as it
// should go: with everything in one file.
func TestDisplayGoes(t *testing.T) {
	program := builtProgram(t)
	d, data := newDesktop(t), filepath.Join(t.TempDir(), "data")
	window := d.command(t, program, "--data", data, "--listen", "127.0.0.1:0")
	if err := window.Start(); err != nil {
		t.Fatal(err)
	}
	d.run(t, "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Hearth$")
	if err := d.server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := window.Wait(); err == nil {
		t.Error("the program says that all went well")
	}
	for _, name := range []string{"hearth.db-wal", "hearth.db-shm", runName, raiseName} {
		if _, err := os.Stat(filepath.Join(data, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// Without a display the program says so, and how to do without one.
func TestNoDisplay(t *testing.T) {
	program := builtProgram(t)
	for _, display := range []string{"", ":9999"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, program, "--data", filepath.Join(t.TempDir(), "data"))
		c.Env = append(os.Environ(), "DISPLAY="+display, "WAYLAND_DISPLAY=")
		out, err := c.CombinedOutput()
		if _, failed := errors.AsType[*exec.ExitError](err); !failed || !strings.Contains(string(out), "hearth serve") {
			t.Errorf("DISPLAY=%q: %v, %s", display, err, out)
		}
	}
}

// The program with a window in it serves without a display as well.
func TestServeNeedsNoDisplay(t *testing.T) {
	program := builtProgram(t)
	c := exec.CommandContext(t.Context(), program, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0")
	c.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on http://127.0.0.1:") {
		t.Errorf("it said %q, %v", line, err)
	}
	if err := errors.Join(c.Process.Signal(os.Interrupt), c.Wait()); err != nil {
		t.Error(fmt.Errorf("ending: %w", err))
	}
}
