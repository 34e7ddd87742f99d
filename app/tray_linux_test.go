//go:build !headless

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	itemName    = "org.kde.StatusNotifierItem"
	menuName    = "com.canonical.dbusmenu"
)

// newBus starts a session bus and returns its address. It ends with the test.
func newBus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("there is no dbus-daemon here; `make test` installs it")
	}
	said, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	bus := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=3", "--address=unix:dir="+t.TempDir())
	bus.ExtraFiles = []*os.File{told}
	if err := errors.Join(bus.Start(), told.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bus.Process.Kill()
		_ = bus.Wait()
	})
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus does not say its address: %v", err)
	}
	return strings.TrimSpace(address)
}

// panelTray is a desktop's tray, as far as programs on the bus notice it.
type panelTray struct {
	t     *testing.T
	conn  *dbus.Conn
	items chan dbus.Sender
}

// newPanelTray puts a tray on a bus; close takes it away again.
func newPanelTray(t *testing.T, address string) *panelTray {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	p := &panelTray{t, conn, make(chan dbus.Sender, 8)}
	const path = "/StatusNotifierWatcher"
	if err := conn.ExportMethodTable(map[string]any{"RegisterStatusNotifierItem": p.register}, path, watcherName); err != nil {
		t.Fatal(err)
	}
	if _, err := prop.Export(conn, path, prop.Map{watcherName: {"IsStatusNotifierHostRegistered": {Value: true}}}); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the tray's name: %v, %v", reply, err)
	}
	return p
}

func (p *panelTray) register(_ string, sender dbus.Sender) *dbus.Error {
	p.items <- sender
	return nil
}

func (p *panelTray) close() { p.conn.Close() }

// trayItem is what a program put into the tray.
type trayItem struct {
	t      *testing.T
	conn   *dbus.Conn
	sender string
}

// item waits for a program to come into the tray.
func (p *panelTray) item() *trayItem { return &trayItem{p.t, p.conn, string(<-p.items)} }

// property returns one of the item's properties, nil if it cannot be asked.
func (i *trayItem) property(name string) any {
	v, err := i.conn.Object(i.sender, "/StatusNotifierItem").GetProperty(itemName + "." + name)
	if err != nil {
		return nil
	}
	return v.Value()
}

// icon returns the points of the item's icon, nil if it has none yet.
func (i *trayItem) icon() []byte {
	pictures, _ := i.property("IconPixmap").([][]any)
	if len(pictures) != 1 || len(pictures[0]) != 3 { // width, height, points
		return nil
	}
	points, _ := pictures[0][2].([]byte)
	return points
}

// layout is an entry of a menu with those in it, as the bus has them.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// menu returns the ids of the menu's entries by their labels, and the labels of
// those that cannot be chosen.
func (i *trayItem) menu() (ids map[string]int32, disabled []string) {
	ids = make(map[string]int32)
	var revision uint32
	var top layout
	call := i.conn.Object(i.sender, "/StatusNotifierItem/menu").Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{})
	if call.Store(&revision, &top) != nil {
		return ids, nil // it is not there yet
	}
	for _, child := range top.Children {
		var entry layout
		if err := dbus.Store([]any{child.Value()}, &entry); err != nil {
			i.t.Fatal(err)
		}
		label, _ := entry.Properties["label"].Value().(string)
		ids[label] = entry.ID
		if enabled, ok := entry.Properties["enabled"].Value().(bool); ok && !enabled {
			disabled = append(disabled, label)
		}
	}
	return ids, disabled
}

// click chooses an entry of the menu once it is there.
func (i *trayItem) click(label string) {
	i.t.Helper()
	eventually(i.t, "the menu has "+label, func() bool { ids, _ := i.menu(); return ids[label] != 0 })
	ids, _ := i.menu()
	call := i.conn.Object(i.sender, "/StatusNotifierItem/menu").Call(menuName+".Event", 0, ids[label], "clicked", dbus.MakeVariant(0), uint32(0))
	if call.Err != nil {
		i.t.Fatal(call.Err)
	}
}

// trayedProgram is the program on a desktop with a session bus.
type trayedProgram struct {
	path    string
	desktop desktop
	bus     string
	data    string
	runtime string
}

func newTrayedProgram(t *testing.T, settings string) trayedProgram {
	t.Helper()
	p := trayedProgram{builtProgram(t), newDesktop(t), newBus(t), t.TempDir(), t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.data, settingsName), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// command prepares a start of the program.
func (p trayedProgram) command(t *testing.T, args ...string) *exec.Cmd {
	c := p.desktop.command(t, p.path, append([]string{"--data", p.data}, args...)...)
	c.Env = append(c.Env, "DBUS_SESSION_BUS_ADDRESS="+p.bus, "XDG_RUNTIME_DIR="+p.runtime, "XDG_CONFIG_HOME="+p.runtime)
	return c
}

// start starts the program; its end is awaited by the function that is returned.
func (p trayedProgram) start(t *testing.T, args ...string) (end func()) {
	t.Helper()
	c := p.command(t, args...)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
			t.Logf("the program said:\n%s", &said)
		}
	})
	return func() {
		t.Helper()
		if err := c.Wait(); err != nil {
			t.Fatalf("the program ended with %v\n%s", err, &said)
		}
	}
}

// visible says whether the program's window can be seen.
func (p trayedProgram) visible(t *testing.T) bool {
	out, err := p.desktop.command(t, "xdotool", "search", "--onlyvisible", "--name", "^Hearth$").Output()
	return err == nil && len(bytes.TrimSpace(out)) > 0
}

func (p trayedProgram) wantVisible(t *testing.T, want bool, when string) {
	t.Helper()
	eventually(t, when, func() bool { return p.visible(t) == want })
}

// closeWindow closes the window as a person does.
func (p trayedProgram) closeWindow(t *testing.T) {
	t.Helper()
	id, _, _ := strings.Cut(p.desktop.run(t, "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Hearth$"), "\n")
	p.desktop.closeWindow(t, id)
}

// TestTray starts the program hidden in a real session with a tray: it shows
// when asked in its menu, hides when closed, tells by its icon and menu how the
// relay is, and never stays hidden where no tray is left.
func TestTray(t *testing.T) {
	p := newTrayedProgram(t, `{"name": "Shelf", "port": 0, "open": true, "tray": true}`)
	panel := newPanelTray(t, p.bus)
	end := p.start(t, "--minimized")
	item := panel.item()
	eventually(t, "the menu says how the relay is", func() bool {
		ids, disabled := item.menu()
		return slices.Contains(disabled, "Shelf: open to this network") && ids["Open Hearth"] != 0 && ids["Quit Hearth"] != 0
	})
	if p.visible(t) {
		t.Error("the window shows though it was to start hidden")
	}
	eventually(t, "the tray's title is the program's name", func() bool { return item.property("Title") == "Hearth" })

	// Closing the network acts at once, and shows.
	var opened []byte
	eventually(t, "the tray has an icon", func() bool { opened = item.icon(); return opened != nil })
	item.click("Close to this network")
	eventually(t, "the relay is for this machine only", func() bool {
		run, err := readRunFile(p.data)
		ids, _ := item.menu()
		return err == nil && run != nil && !run.Open && ids["Shelf: running for this machine only"] != 0
	})
	eventually(t, "the icon changes", func() bool { now := item.icon(); return now != nil && !bytes.Equal(now, opened) })

	// A hidden start of what runs already stays hidden, a plain one shows it.
	if out, err := p.command(t, "--minimized").CombinedOutput(); err != nil {
		t.Errorf("a second hidden start: %v\n%s", err, out)
	}
	if p.visible(t) {
		t.Error("a second hidden start shows the window")
	}
	if out, err := p.command(t).CombinedOutput(); err != nil {
		t.Errorf("a second start: %v\n%s", err, out)
	}
	p.wantVisible(t, true, "a second start shows the window")
	p.closeWindow(t)
	p.wantVisible(t, false, "closing hides the window")
	item.click("Open Hearth")
	p.wantVisible(t, true, "the menu shows the window")
	p.closeWindow(t)
	p.wantVisible(t, false, "closing hides the window again")

	panel.close()
	p.wantVisible(t, true, "the window shows when the tray has gone")
	p.closeWindow(t)
	end()
}

// A tray that comes later than the program, as at login, is found; the program
// ends from its menu.
func TestTrayComesLater(t *testing.T) {
	p := newTrayedProgram(t, `{"port": 0, "tray": true}`)
	end := p.start(t, "--minimized")
	eventually(t, "the relay runs", func() bool {
		run, err := readRunFile(p.data)
		return err == nil && run != nil
	})
	panel := newPanelTray(t, p.bus)
	panel.item().click("Quit Hearth")
	end()
}

// A start that fails shows why in a window, for whoever sees nothing else.
func TestFailureIsShown(t *testing.T) {
	p := newTrayedProgram(t, `{}`)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := p.command(t, "--listen", taken.Addr().String())
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.closeWindow(t)
	err = c.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != exitError {
		t.Errorf("it ends with %v", err)
	}
	if strings.Count(said.String(), "is in use by") != 1 {
		t.Errorf("it says:\n%s", &said)
	}
}

// Where there is no session bus, none is started for nobody.
func TestNoBus(t *testing.T) {
	p := newTrayedProgram(t, `{"port": 0}`)
	buses := filepath.Join(t.TempDir(), "started")
	fake := t.TempDir()
	launcher := "#!/bin/sh\ntouch " + buses + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(fake, "dbus-launch"), []byte(launcher), 0o700); err != nil {
		t.Fatal(err)
	}
	p.bus = ""
	t.Setenv("PATH", fake+":"+os.Getenv("PATH"))
	end := p.start(t, "--minimized")
	p.wantVisible(t, true, "the window shows at once")
	p.closeWindow(t)
	end()
	if _, err := os.Stat(buses); err == nil {
		t.Error("a session bus was started")
	}
}

// Whatever ends a session ends the program as it should: everything is in one
// file.
func TestSessionEnds(t *testing.T) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup, which the program respects
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sent := range signals {
		p := newTrayedProgram(t, `{"port": 0}`)
		newPanelTray(t, p.bus)
		c := p.command(t, "--minimized")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the relay runs", func() bool {
			run, err := readRunFile(p.data)
			return err == nil && run != nil
		})
		if err := errors.Join(c.Process.Signal(sent), c.Wait()); err != nil {
			t.Errorf("%v: %v", sent, err)
		}
		for _, name := range []string{"hearth.db-wal", runName} {
			if _, err := os.Stat(filepath.Join(p.data, name)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v: %s is left: %v", sent, name, err)
			}
		}
	}
}
