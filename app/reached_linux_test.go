package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The relay is told to be where other machines reach it and nowhere else: not on
// networks of containers or through tunnels, unless its owner names them, and,
// however its machine's addresses change, never where it was before.
func TestReachedAt(t *testing.T) {
	t.Parallel()
	home, _ := machines(t)
	ip(t, "-n", home, "address", "add", "fd78::1/64", "dev", card, "nodad")
	for i, unreal := range []string{"docker0", "tun0"} {
		ip(t, "-n", home, "link", "add", unreal, "type", "veth", "peer", "name", "veth-"+unreal)
		ip(t, "-n", home, "link", "set", "veth-"+unreal, "up")
		ip(t, "-n", home, "address", "add", fmt.Sprintf("172.17.%d.1/24", i), "dev", unreal)
		ip(t, "-n", home, "link", "set", unreal, "addrgenmode", "none", "up")
	}
	folder := t.TempDir()
	relay := serve(t, home, folder, "--open", "--listen", ":0")
	relay.isAt(t, homeAddr, "[fd78::1]", "127.0.0.1")

	ip(t, "-n", home, "address", "del", homeAddr+"/24", "dev", card)
	ip(t, "-n", home, "address", "add", "10.78.0.9/24", "dev", card)
	ip(t, "-n", home, "address", "del", "fd78::1/64", "dev", card)
	relay.isAt(t, "10.78.0.9", "127.0.0.1")
	if told := status(t, home, folder); !strings.Contains(told, "http://10.78.0.9:") || strings.Contains(told, homeAddr) || strings.Contains(told, "172.17.") {
		t.Errorf("the status is %s", told)
	}
	ip(t, "-n", home, "link", "set", card, "down")
	relay.isAt(t, "127.0.0.1")
	ip(t, "-n", home, "link", "set", card, "up")
	relay.isAt(t, "10.78.0.9", "127.0.0.1")
	relay.stop(t)

	relay = serve(t, home, folder, "--open", "--listen", ":0", "--interface", "docker0")
	relay.isAt(t, "172.17.0.1", "127.0.0.1")
	relay.stop(t)
	relay = serve(t, home, folder, "--open", "--listen", ":0", "--advertise-address", otherAddr)
	relay.isAt(t, otherAddr, "127.0.0.1")
	relay.stop(t)
}

// Two relays of one name show as two, each by the name that it had before
// however they are started anew, until its owner gives it another one.
func TestOneNameTwice(t *testing.T) {
	t.Parallel()
	home, guest := machines(t)
	first, second := t.TempDir(), t.TempDir()
	start := func(machine, folder, name string) *served {
		return serve(t, machine, folder, "--open", "--listen", ":0", "--name", name)
	}
	one := start(home, first, "Küche")
	one.isFound(t, "Küche")
	two := start(guest, second, "Küche")
	one.isFound(t, "Küche", "Küche (2)")
	if told := status(t, guest, second); !strings.Contains(told, "Küche (2)") {
		t.Errorf("the status is %s", told)
	}
	if told := status(t, home, first); strings.Contains(told, "(2)") {
		t.Errorf("the status of the other one is %s", told)
	}
	one.stop(t)
	one.isFound(t, "Küche (2)")
	two.stop(t)
	one.isFound(t)

	two = start(guest, second, "Küche")
	one.isFound(t, "Küche (2)")
	one = start(home, first, "Küche")
	one.isFound(t, "Küche", "Küche (2)")
	two.stop(t)
	two = start(guest, second, "Flur")
	one.isFound(t, "Flur", "Küche")
	two.stop(t)
	one.stop(t)
	one.isFound(t)
}

// A relay of another maker is found whatever its name is made of; that it says
// nothing of keys is told as that.
func TestFoundOfAnotherMaker(t *testing.T) {
	t.Parallel()
	python := os.Getenv("HEARTH_PYTHON")
	if python == "" {
		t.Skip("HEARTH_PYTHON does not name a Python with the package zeroconf; make test does")
	}
	home, guest := machines(t)
	const name = `Oma's "Küche" \ 2`
	other := inside(home, python, "../discovery/testdata/judge.py", "announce", homeAddr, serviceType+".local.", name, "120")
	end, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	found := find(t, guest, 1)
	if len(found) != 1 || found[0].Name != name || found[0].NeedsKey != nil || !slices.Equal(found[0].URLs, []string{"http://" + homeAddr + ":2451"}) {
		t.Errorf("found %+v", found)
	}
	out, err := inside(guest, filepath.Join(programs, programName), "find").Output()
	if err != nil || !strings.Contains(string(out), name) || !strings.Contains(string(out), "not told") {
		t.Errorf("find prints %s, %v", out, err)
	}
	if err := end.Close(); err != nil {
		t.Error(err)
	}
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	if found := find(t, guest, 0); len(found) > 0 {
		t.Errorf("found after its goodbye: %+v", found)
	}
}

// served is "hearth serve" on a machine.
type served struct {
	machine, folder string
	command         *exec.Cmd
}

// serve starts a relay and waits until it serves.
func serve(t *testing.T, machine, folder string, args ...string) *served {
	t.Helper()
	s := &served{machine, folder, inside(machine, append([]string{filepath.Join(programs, programName), "serve", "--data", folder}, args...)...)}
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.command.ProcessState == nil {
			_ = s.command.Process.Kill() // it may have ended by now
			_ = s.command.Wait()
		}
	})
	if !bufio.NewScanner(stdout).Scan() {
		t.Fatal("it says nothing")
	}
	return s
}

func (s *served) stop(t *testing.T) {
	t.Helper()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Wait(); err != nil {
		t.Error(err)
	}
}

// isAt waits until the owner's commands are told these hosts and no others.
func (s *served) isAt(t *testing.T, hosts ...string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		run, err := readRunFile(s.folder)
		if err != nil || run == nil {
			t.Fatalf("it does not say that it runs: %v", err)
		}
		_, port, _ := strings.Cut(strings.TrimPrefix(run.URL, "http://"), ":")
		want := make([]string, 0, len(hosts))
		for _, host := range hosts {
			want = append(want, "http://"+host+":"+port)
		}
		if slices.Equal(run.URLs, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("reached at %v, not %v", run.URLs, want)
		}
	}
}

// isFound waits until a look around from the relay's machine finds just these.
func (s *served) isFound(t *testing.T, names ...string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		var is []string
		for _, f := range find(t, s.machine, len(names)) {
			is = append(is, f.Name)
		}
		if cmp.Equal(is, names) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("found %q, not %q", is, names)
		}
	}
}

// status is what "hearth status" prints on a machine.
func status(t *testing.T, machine, folder string) string {
	t.Helper()
	out, err := inside(machine, filepath.Join(programs, programName), "status", "--data", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
