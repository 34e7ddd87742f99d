package discovery

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

const (
	// pythonEnv names a Python that has the zeroconf package.
	pythonEnv  = "HEARTH_PYTHON"
	judgedType = testType + "." + domain
)

var hearth = Service{Type: testType, Name: "Käthe's Haus 1.0", ID: "0123456789abcdef", Port: 2451, TXT: []string{"v=1", "name=Käthe's Haus 1.0"}}

// asSeen is how a service looks from another machine.
func asSeen(s Service, label string, addresses ...string) sighting {
	return sighting{
		Instance: label, Host: HostName(s.ID) + ".", Port: s.Port, Addresses: addresses,
		TXT: pairs(escaped(append([]string{"id=" + s.ID}, s.TXT...))),
	}
}

// announced is how the announcer itself sees that.
func announced(label string, addresses ...string) sighting {
	return sighting{Instance: label, Host: card, Addresses: addresses}
}

// zeroconf is python-zeroconf on a machine that has these addresses.
func zeroconf(t *testing.T, ns, addresses, what string, args ...string) *machine {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		t.Skip(pythonEnv + " does not name a Python with the package zeroconf; make test does")
	}
	return start(t, ns, []string{"PYTHONUNBUFFERED=1"}, slices.Concat([]string{python, "testdata/judge.py", what, addresses}, args)...)
}

// avahi is an avahi-daemon on a machine, asked by avahi-browse.
func avahi(t *testing.T, ns string) *machine {
	t.Helper()
	for _, program := range []string{"avahi-daemon", "avahi-browse", "dbus-daemon", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the second judge is not installed, as make test does it: ", err)
		}
	}
	return start(t, ns, nil, "python3", "testdata/avahi.py", card, testType)
}

// jury is both judges, on the two machines beside the one at home.
type jury struct{ zeroconf, avahi *machine }

func newJury(t *testing.T, l lan) jury {
	t.Helper()
	return jury{zeroconf(t, l.guest, "10.77.0.3,fd77::3", "watch", judgedType), avahi(t, l.attic)}
}

// waits until both judges know just that. Avahi tells one address, IPv4 where there is one, and has to hear of each service over
// both protocols.
func (j jury) waits(t *testing.T, what string, want ...sighting) {
	t.Helper()
	j.zeroconf.waits(t, what+", to zeroconf", want...)
	short := slices.Clone(want)
	for i := range short {
		short[i].Addresses = short[i].Addresses[:1]
		short[i].Over = []string{"IPv4", "IPv6"}
	}
	j.avahi.waits(t, what+", to avahi", short...)
}
