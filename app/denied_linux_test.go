package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that owns nothing (Debian Policy, section 9.2.2).
const nobody = 65534

// asOther prepares the program as it is run by somebody who may not read the data
// in a folder, whoever runs the test.
func asOther(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(programs, programName), args...)
	c.Dir = "/"
	if os.Geteuid() == 0 {
		if err := os.Chmod(programs, 0o755); err != nil {
			t.Fatal(err)
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return c
	}
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	return c
}

// Who asks for the relay of another user is told so, and what to do.
func TestDenied(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := openHome(t.Context(), testSettings(folder, keptSettings{Port: new(0)}), homeOptions{Logger: discard()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for command, want := range map[string][2]string{
		"status": {"is another user's", "as that user"},
		"serve":  {"permission denied", "run Hearth as the user whose data that is"},
	} {
		c := asOther(t, folder, command, "--data", folder)
		var said bytes.Buffer
		c.Stderr = &said
		err := c.Run()
		if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != exitError ||
			!strings.Contains(said.String(), want[0]) || !strings.Contains(said.String(), want[1]) {
			t.Errorf("%s ends with %v, and says:\n%s", command, err, &said)
		}
	}
}
