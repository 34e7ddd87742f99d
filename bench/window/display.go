package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The display's size holds the window at the size that it has at first.
const (
	screenWidth, screenHeight = 1280, 800
	pixelBytes                = 4
)

// display is an X server without a screen, with a window manager. Its pixels lie
// in a file, where they are seen without asking the server.
type display struct {
	number  string
	started []*exec.Cmd
	pixels  []byte // as they are now, row by row
	mapped  []byte
}

func newDisplay(ctx context.Context, folder string) (_ *display, err error) {
	d := &display{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer told.Close()
	// The server picks a free number, and tells it once it takes clients.
	server := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp", "-fbdir", folder,
		"-screen", "0", fmt.Sprintf("%dx%dx24", screenWidth, screenHeight), "+extension", "GLX")
	server.ExtraFiles = []*os.File{tell}
	if err := errors.Join(d.start(server), tell.Close()); err != nil {
		return nil, err
	}
	if d.number, err = bufio.NewReader(told).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the display does not start: %w", err)
	}
	d.number = ":" + strings.TrimSpace(d.number)
	manager := exec.CommandContext(ctx, "openbox")
	manager.Env = d.environment()
	if err := d.start(manager); err != nil {
		return nil, err
	}
	err = d.open(filepath.Join(folder, "Xvfb_screen0"))
	return d, err
}

func (d *display) start(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	d.started = append(d.started, c)
	return nil
}

// open maps the pixels. The file begins as one of xwd does: 32-bit words, the
// first of which is the length of the header and the twentieth the number of
// colours, 12 bytes each, that come before the pixels.
func (d *display) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	d.mapped, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	const words = 20
	if len(d.mapped) < 4*words {
		return errors.New("the display's file has no header")
	}
	begin := int(binary.BigEndian.Uint32(d.mapped)) + 12*int(binary.BigEndian.Uint32(d.mapped[4*(words-1):]))
	if len(d.mapped) < begin+screenWidth*screenHeight*pixelBytes {
		return errors.New("the display's file is shorter than its screen")
	}
	d.pixels = d.mapped[begin:][:screenWidth*screenHeight*pixelBytes]
	return nil
}

// environment is what clients of the display are started with.
func (d *display) environment() []string {
	return append(os.Environ(), "DISPLAY="+d.number, "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=disabled:", "FYNE_THEME=light")
}

// input does with xdotool what a person would with mouse and keys.
func (d *display) input(ctx context.Context, line string) error {
	c := exec.CommandContext(ctx, "xdotool", strings.Fields(line)...)
	c.Env = d.environment()
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("xdotool %s: %w: %s", line, err, said)
	}
	return nil
}

// window waits for the program's window.
func (d *display) window(ctx context.Context) error {
	return d.input(ctx, "search --sync --onlyvisible --name ^Hearth$")
}

func (d *display) close() {
	for _, c := range d.started {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if d.mapped != nil {
		_ = syscall.Munmap(d.mapped)
	}
}

// look is how often the pixels are looked at: often enough for frames of 17 ms,
// seldom enough to leave the processor to the program.
const look = time.Millisecond

// rowsSeen is one row of so many that are looked at for a change; letters are higher.
const rowsSeen = 6

// watch calls changed at first and whenever the pixels have changed, until the
// context is done.
func (d *display) watch(ctx context.Context, changed func(at time.Time)) {
	const stride = screenWidth * pixelBytes
	seed := maphash.MakeSeed()
	var last uint64
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for first := true; ; first = false {
		var h maphash.Hash
		h.SetSeed(seed)
		for y := 0; y < len(d.pixels); y += rowsSeen * stride {
			_, _ = h.Write(d.pixels[y : y+stride])
		}
		sum := h.Sum64()
		if first || sum != last {
			changed(time.Now())
		}
		last = sum
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}
