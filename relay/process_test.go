//go:build unix

package relay_test

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// process is a relay in a process of its own.
type process struct {
	dir     string // where its data is
	cmd     *exec.Cmd
	address string
}

// start runs a relay on a folder, under another program if one is given.
func start(t testing.TB, dir string, under ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := append(slices.Clone(under), self)
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Env = append(os.Environ(), serveIn+"="+dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that kill meets also what runs under another program
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{dir: dir, cmd: cmd}
	t.Cleanup(p.kill)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the relay did not start: %v", err)
	}
	p.address = strings.TrimSpace(address)
	return p
}

// kill ends the process at once, as a power cut would.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
}
