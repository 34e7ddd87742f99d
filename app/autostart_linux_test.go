package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/console"
)

// testAutostart is the start at login of a program in a place of its own.
func testAutostart(t *testing.T, program string, args ...string) *autostart {
	t.Helper()
	path := filepath.Join(t.TempDir(), "autostart", "hearth.desktop")
	return &autostart{desktopEntry{path}, append([]string{program, "--minimized"}, args...)}
}

// There is one entry; it follows the program when that moves, and goes when it
// is switched off.
func TestAutostart(t *testing.T) {
	a := testAutostart(t, "/opt/hearth")
	path := a.entry.(desktopEntry).path
	want := func(on bool, command ...string) {
		t.Helper()
		if got := a.value(); got.Value != on || (got.Origin == console.OriginFile) != on {
			t.Errorf("it says %+v", got)
		}
		got, err := a.entry.read()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(command, got); diff != "" {
			t.Error(diff)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	do(a.repair())
	want(false)
	do(a.set(false))
	want(false)
	do(a.set(true))
	do(a.set(true))
	want(true, "/opt/hearth", "--minimized")
	a.command[0] = `/home/u/Pro"grams/100% $new\hearth`
	do(a.repair())
	want(true, a.command...)

	// What the desktop's own tools switch off stays off.
	data, err := os.ReadFile(path)
	do(err)
	do(os.WriteFile(path, append(data, "X-GNOME-Autostart-enabled=false\n"...), 0o600))
	do(a.repair())
	want(false)
	do(a.set(true))
	want(true, a.command...)

	// The entry of a relay on other data is not ours to repair.
	other := &autostart{a.entry, []string{"/opt/hearth", "--minimized", "--data", "/srv/hearth"}}
	do(other.repair())
	want(true, a.command...)
	if other.value().Value {
		t.Error("the relay on other data says that it starts at login")
	}
	do(a.set(false))
	want(false)
}

// The entry is where desktops look for it, and starts this program hidden, on
// the data that it runs on.
func TestAutostartPlace(t *testing.T) {
	config := t.TempDir()
	t.Cleanup(xdg.Reload) // once the variable is as it was
	t.Setenv("XDG_CONFIG_HOME", config)
	xdg.Reload()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for usual, want := range map[bool][]string{
		true:  {program, "--minimized"},
		false: {program, "--minimized", "--data", "/srv/hearth"},
	} {
		a, err := newAutostart("/srv/hearth", usual)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.set(true); err != nil {
			t.Fatal(err)
		}
		got, err := desktopEntry{filepath.Join(config, "autostart", "hearth.desktop")}.read()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// A command comes back from the entry as it went in.
func TestExecKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.SliceOfN(rapid.StringMatching("[a-z \\\\\"`$%=/\\n\\t]{1,12}"), 1, 4).Draw(t, "command")
		line := joinExec(command)
		if strings.ContainsAny(line, "\n\t\r") {
			t.Fatalf("%q is more than a line", line)
		}
		if diff := cmp.Diff(command, splitExec(line)); diff != "" {
			t.Fatal(line, diff)
		}
	})
}
