package discovery

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	// roleEnv makes the test binary an announcer or a browser instead of a test run.
	roleEnv = "HEARTH_DISCOVERY_ROLE"
	// pythonEnv names a Python that has the zeroconf package.
	pythonEnv = "HEARTH_PYTHON"
	testType  = "_hearthtest._tcp"
	card      = "hearth0" // the real interface, as far as anybody can tell, in each namespace
)

// play is what the test binary does as a machine in a namespace: each line of its input is a service to announce, and each line of
// its output what it knows now. It ends with its input.
func play() int {
	out := json.NewEncoder(os.Stdout)
	lines := make(chan Service)
	go func() {
		defer close(lines)
		for in := json.NewDecoder(os.Stdin); ; {
			var s Service
			if in.Decode(&s) != nil {
				return
			}
			lines <- s
		}
	}()
	o := Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if os.Getenv(roleEnv) == "browse" {
		b, err := Browse(context.Background(), testType, o)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer b.Close()
		for {
			var known []sighting
			for _, f := range b.Found() {
				known = append(known, sighting{f.Instance, f.Host + ".", f.Port, texts(f.Addresses), f.TXT})
			}
			_ = out.Encode(known)
			select {
			case <-b.Changes():
			case <-lines:
				return 0
			}
		}
	}
	a := Announce(<-lines, o)
	for {
		var known []sighting
		for _, n := range a.Status().Announced {
			known = append(known, sighting{Instance: n.Instance, Host: n.Interface, Addresses: texts(n.Addresses)})
		}
		_ = out.Encode(known)
		select {
		case <-a.Changes():
		case s, more := <-lines:
			if !more {
				if err := a.Close(); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return 1
				}
				return 0
			}
			a.Update(s)
		}
	}
}

// A sighting is one service as one side sees it.
type sighting struct {
	Instance  string            `json:"instance"`
	Host      string            `json:"host"`
	Port      int               `json:"port"`
	Addresses []string          `json:"addresses"`
	TXT       map[string]string `json:"txt"`
}

func texts[T fmt.Stringer](all []T) (out []string) {
	for _, a := range all {
		out = append(out, a.String())
	}
	slices.Sort(out)
	return out
}

// A lan is two machines with a cable between them: two network namespaces joined by a pair of virtual interfaces.
type lan struct{ home, guest string }

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
	l := lan{home: fmt.Sprintf("hearth-home-%d-%d", os.Getpid(), n), guest: fmt.Sprintf("hearth-guest-%d-%d", os.Getpid(), n)}
	for _, ns := range []string{l.home, l.guest} {
		if out, err := exec.Command("ip", "netns", "add", ns).CombinedOutput(); strings.Contains(string(out), "not permitted") {
			t.Skip("this root may not make network namespaces, as in most containers")
		} else if err != nil {
			t.Fatalf("ip netns add: %v: %s", err, out)
		}
		t.Cleanup(func() { ip(t, "netns", "del", ns) })
		ip(t, "-n", ns, "link", "set", "lo", "up")
	}
	ip(t, "link", "add", card, "netns", l.home, "type", "veth", "peer", "name", card, "netns", l.guest)
	ip(t, "-n", l.home, "address", "add", "10.77.0.1/24", "dev", card)
	ip(t, "-n", l.guest, "address", "add", "10.77.0.2/24", "dev", card)
	ip(t, "-n", l.guest, "link", "set", card, "up")
	ip(t, "-n", l.home, "link", "set", card, "up")
	return l
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

	mu    sync.Mutex
	known []sighting
}

// start runs a program until the end of the test or its stop: its input is closed, and it has to end well by itself.
func start(t *testing.T, ns string, env string, command ...string) *machine {
	t.Helper()
	m := &machine{changes: make(chan struct{}, 1)}
	m.cmd = exec.Command("ip", append([]string{"netns", "exec", ns}, command...)...)
	m.cmd.Env = append(os.Environ(), env)
	m.cmd.Stderr = t.Output()
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
		if err := m.cmd.Wait(); err != nil {
			t.Errorf("%s: %v", strings.Join(command, " "), err)
		}
	})
	t.Cleanup(m.stop)
	return m
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
	eventually(t, m.changes, what, func() bool { return cmp.Equal(want, m.sees()) || len(want)+len(m.sees()) == 0 })
}

func announcer(t *testing.T, ns string, s Service) *machine {
	t.Helper()
	m := start(t, ns, roleEnv+"=announce", os.Args[0])
	m.say(t, s)
	return m
}

func browser(t *testing.T, ns string) *machine {
	t.Helper()
	return start(t, ns, roleEnv+"=browse", os.Args[0])
}

// guestAddress is where the judge listens: the other end of the lan from the
// machine that is judged.
const guestAddress = "10.77.0.2"

// judge is python-zeroconf on another machine.
func judge(t *testing.T, ns, what string, args ...string) *machine {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		t.Skip(pythonEnv + " does not name a Python with the package zeroconf; make test does")
	}
	return start(t, ns, "PYTHONUNBUFFERED=1", slices.Concat([]string{python, "testdata/judge.py", what, guestAddress}, args)...)
}
