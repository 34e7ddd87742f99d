//go:build !headless

package main

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"hearth/relay/protocol"
)

// startService starts the program as a service on the data of a window.
func (p trayedProgram) startService(t *testing.T) (end func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), p.path, "serve", "--data", p.data)
	c.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		if t.Failed() {
			t.Logf("the service said:\n%s", &said)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "listening on ") {
		t.Fatalf("the service said %q, %v", line, err)
	}
	return func() {
		t.Helper()
		if err := errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()); err != nil {
			t.Fatalf("the service ended with %v\n%s", err, &said)
		}
	}
}

// TestAttach starts the window where a relay runs as a service: it shows that
// relay, also after a restart, a second start shows the window, and neither
// closing nor quitting it ends the service.
func TestAttach(t *testing.T) {
	p := newTrayedProgram(t, `{"name": "Shelf", "port": 0}`)
	endService := p.startService(t)
	panel := newPanelTray(t, p.bus)
	end := p.start(t)
	item := panel.item()
	const well, quit = "Shelf: running for this machine only", "Quit (the relay goes on)"
	says := func(state string) func() bool {
		return func() bool {
			ids, disabled := item.menu()
			return slices.Contains(disabled, state) && ids[quit] != 0
		}
	}
	eventually(t, "the tray tells of the service", says(well))
	p.wantVisible(t, true, "the window shows")

	// What a client writes to the service shows in the window.
	before := p.desktop.picture(t)
	eventually(t, "the window is drawn and rests", func() bool {
		last := before
		before = p.desktop.picture(t)
		return differ(last, before) == 0 && differ(before, image.NewRGBA(before.Bounds())) > 0
	})
	first, err := readRunFile(p.data)
	if err != nil || first == nil || first.Window {
		t.Fatalf("the service tells %+v, %v", first, err)
	}
	body := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries([]byte("hello"))}.Append(nil)
	response, err := http.Post(first.URL+"/v1/streams/notes/entries", protocol.MediaType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	response.Body.Close()
	eventually(t, "the write shows", func() bool { return differ(before, p.desktop.picture(t)) > 500 })

	id, _, _ := strings.Cut(p.desktop.run(t, "xdotool", "search", "--onlyvisible", "--name", "^Hearth$"), "\n")
	p.desktop.run(t, "xdotool", "windowminimize", "--sync", id)
	if out, err := p.command(t).CombinedOutput(); err != nil {
		t.Errorf("a second start: %v\n%s", err, out)
	}
	p.wantVisible(t, true, "a second start shows the window")

	endService()
	eventually(t, "the window says that the service has gone", says("Shelf: needs you"))
	endService = p.startService(t)
	eventually(t, "the window finds the service again", says(well))
	second, err := readRunFile(p.data)
	if err != nil || second == nil || second.Token == first.Token {
		t.Fatalf("the service tells %+v, %v", second, err)
	}

	item.click(quit)
	end()
	if out, err := exec.CommandContext(t.Context(), p.path, "status", "--data", p.data).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("running since")) {
		t.Errorf("after the window: %v\n%s", err, out)
	}
	end = p.start(t)
	panel.item()
	p.closeWindow(t)
	end()
	if run, err := readRunFile(p.data); err != nil || run == nil || run.Token != second.Token {
		t.Errorf("closing the window reached the service: %+v, %v", run, err)
	}
	endService()
}

// A start with a flag that could have no effect on the service says so.
func TestAttachWithoutEffect(t *testing.T) {
	p := newTrayedProgram(t, `{"port": 0}`)
	endService := p.startService(t)
	c := p.command(t, "--name", "Other", "--no-open")
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.closeWindow(t)
	err := c.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != exitError || !strings.Contains(said.String(), "--name --open would have no effect") {
		t.Errorf("it ends with %v, and says:\n%s", err, &said)
	}
	endService()
}

// A person's service that systemd is to start at login is the relay, though the
// window comes first then: the window has it started, and shows it.
func TestLoginStartsService(t *testing.T) {
	p := newTrayedProgram(t, `{}`)
	p.data = filepath.Join(t.TempDir(), "hearth") // the one that is usual below
	if err := os.Mkdir(p.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.data, settingsName), []byte(`{"port": 0}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wants, tools := filepath.Join(p.runtime, "systemd", "user", "default.target.wants"), t.TempDir()
	// A systemd that starts a service by its name.
	starter := "#!/bin/sh\n[ \"$*\" = '--user start hearth.service' ] || exit 1\nexec \"$HEARTH_BIN\" serve >/dev/null 2>&1 &\n"
	if err := errors.Join(
		os.MkdirAll(wants, 0o700),
		os.Symlink("/usr/lib/systemd/user/hearth.service", filepath.Join(wants, "hearth.service")),
		os.WriteFile(filepath.Join(tools, "systemctl"), []byte(starter), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	c := p.command(t, "--minimized")
	c.Env = append(c.Env, "XDG_DATA_HOME="+filepath.Dir(p.data), "PATH="+tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	panel := newPanelTray(t, p.bus)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if run, err := readRunFile(p.data); err == nil && run != nil {
			_ = syscall.Kill(run.PID, syscall.SIGTERM)
			eventually(t, "the service lets go of the data", func() bool {
				lock := flock.New(filepath.Join(p.data, "hearth.lock"))
				free, err := lock.TryLock()
				return free && err == nil && lock.Close() == nil
			})
		}
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	panel.item().click("Quit (the relay goes on)")
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	run, err := readRunFile(p.data)
	if err != nil || run == nil || run.Window || run.PID == c.Process.Pid {
		t.Fatalf("the relay that runs is %+v, %v", run, err)
	}
	wantReach(t, run.URL, true)
}
