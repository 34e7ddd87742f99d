package discovery

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// card is the real interface, as far as anybody can tell, of each machine.
const card = "hearth0"

// A lan is three machines on one network: network namespaces, each with a cable to a switch that is a namespace with a bridge. The
// addresses of a machine end in its number; home is 1, attic 2, guest 3.
type lan struct {
	hub                string
	home, attic, guest string
	homeSocket         string // the switch's end of the cable of home
}

var lans atomic.Int64

func newLAN(t *testing.T) lan {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need iproute2: ", err)
	}
	n := lans.Add(1)
	name := func(what string) string { return fmt.Sprintf("hearth-%s-%d-%d", what, os.Getpid(), n) }
	l := lan{hub: name("hub"), home: name("home"), attic: name("attic"), guest: name("guest")}
	newMachine(t, l.hub)
	ip(t, "-n", l.hub, "link", "add", "switch", "type", "bridge", "mcast_snooping", "0")
	ip(t, "-n", l.hub, "link", "set", "switch", "up")
	for i, machine := range []string{l.home, l.attic, l.guest} {
		newMachine(t, machine)
		if socket := l.connect(t, machine, card); machine == l.home {
			l.homeSocket = socket
		}
		ip(t, "-n", machine, "address", "add", fmt.Sprintf("10.77.0.%d/24", i+1), "dev", card)
		ip(t, "-n", machine, "address", "add", fmt.Sprintf("fd77::%d/64", i+1), "dev", card, "nodad")
		ip(t, "-n", machine, "link", "set", card, "up")
	}
	return l
}

// newMachine makes a machine without a network.
func newMachine(t *testing.T, name string) {
	t.Helper()
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); strings.Contains(string(out), "not permitted") {
		t.Skip("this root may not make network namespaces, as in most containers")
	} else if err != nil {
		t.Fatalf("ip netns add: %v: %s", err, out)
	}
	t.Cleanup(func() { ip(t, "netns", "del", name) })
	ip(t, "-n", name, "link", "set", "lo", "up")
}

var sockets atomic.Int64 // of all switches

// connect gives a machine a card with a cable to the switch, and returns the name of the switch's end.
func (l lan) connect(t *testing.T, machine, card string) (socket string) {
	t.Helper()
	socket = fmt.Sprintf("socket%d", sockets.Add(1))
	ip(t, "link", "add", socket, "netns", l.hub, "type", "veth", "peer", "name", card, "netns", machine)
	ip(t, "-n", l.hub, "link", "set", socket, "master", "switch", "up")
	return socket
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// A machine is a program that runs in a namespace and prints what it knows.
type machine struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	changes chan struct{}
	stop    func()
	killed  atomic.Bool

	mu    sync.Mutex
	known []sighting
}

// start runs a program until the end of the test or its stop: its input is closed, and it has to end well by itself.
func start(t *testing.T, ns string, env []string, command ...string) *machine {
	t.Helper()
	m := &machine{changes: make(chan struct{}, 1)}
	m.cmd = exec.Command("ip", append([]string{"netns", "exec", ns}, command...)...)
	m.cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), env...) // else each end takes a second
	m.cmd.Stderr = t.Output()
	m.cmd.WaitDelay = time.Second // should something that it started outlive it
	var err error
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var known []sighting
			if err := json.Unmarshal(lines.Bytes(), &known); err != nil {
				t.Errorf("%s: %v", lines.Text(), err)
			}
			m.mu.Lock()
			m.known = known
			m.mu.Unlock()
			pulse(m.changes)
		}
	}()
	m.stop = sync.OnceFunc(func() {
		m.in.Close()
		kill := time.AfterFunc(patience, func() { m.cmd.Process.Kill() })
		defer kill.Stop()
		<-read
		if err := m.cmd.Wait(); err != nil && !m.killed.Load() {
			t.Errorf("%s: %v", strings.Join(command, " "), err)
		}
	})
	t.Cleanup(m.stop)
	return m
}

// kill ends the machine like a power cut: nothing of it is said any more.
func (m *machine) kill() {
	m.killed.Store(true)
	_ = m.cmd.Process.Kill() // it may have ended by itself
	m.stop()
}

func (m *machine) sees() []sighting {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// say gives an announcer its service.
func (m *machine) say(t *testing.T, s Service) {
	t.Helper()
	if err := json.NewEncoder(m.in).Encode(s); err != nil {
		t.Fatal(err)
	}
}

// waits until the machine knows just that.
func (m *machine) waits(t *testing.T, what string, want ...sighting) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s: last seen %+v", what, m.sees())
		}
	})
	since := time.Now()
	eventually(t, m.changes, what, func() bool { return cmp.Equal(want, m.sees()) || len(want)+len(m.sees()) == 0 })
	t.Logf("%s after %v", what, time.Since(since).Round(time.Millisecond))
}

// role runs the test binary as something on a machine.
func role(t *testing.T, ns, what string, o Options) *machine {
	t.Helper()
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, ns, []string{roleEnv + "=" + what, optionsEnv + "=" + string(options)}, os.Args[0])
}

func announcer(t *testing.T, ns string, s Service, o Options) *machine {
	t.Helper()
	m := role(t, ns, "announce", o)
	m.say(t, s)
	return m
}

func browser(t *testing.T, ns string) *machine {
	t.Helper()
	return role(t, ns, "browse", Options{})
}
