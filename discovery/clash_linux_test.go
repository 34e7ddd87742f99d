package discovery

import (
	"cmp"
	"slices"
	"syscall"
	"testing"
	"time"
)

// Promise: a machine that wakes up on another network announces itself there as if it had just come, and gives way to who has its
// name there.
func TestWakesUpElsewhere(t *testing.T) {
	t.Parallel()
	l, elsewhere := newLAN(t), newLAN(t)
	other := hearth
	other.ID = "fedcba9876543210"
	announcer(t, elsewhere.attic, other, Options{}).waits(t, "the other one", announced(hearth.Name, "10.77.0.2", "fd77::2"))
	home := announcer(t, l.home, hearth, Options{})
	home.waits(t, "announced", announced(hearth.Name, "10.77.0.1", "fd77::1"))

	if err := home.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ip(t, "-n", elsewhere.hub, "link", "del", elsewhere.homeSocket)
	ip(t, "-n", l.hub, "link", "set", l.homeSocket, "netns", elsewhere.hub)
	ip(t, "-n", elsewhere.hub, "link", "set", l.homeSocket, "master", "switch", "up")
	time.Sleep(lookEvery + jump + time.Second)
	if err := home.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	home.waits(t, "announced elsewhere", announced(hearth.Name+" (2)", "10.77.0.1", "fd77::1"))
	zeroconf(t, elsewhere.guest, "10.77.0.3", "watch", judgedType).waits(t, "both",
		asSeen(other, hearth.Name, "10.77.0.2", "fd77::2"), asSeen(hearth, hearth.Name+" (2)", "10.77.0.1", "fd77::1"))
}

// Promise: two that start with one name show as two, both with all their data; the goodbye of one leaves the other there, and that of
// the renamed one is as whole.
func TestNameClash(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	seen := jury{zeroconf(t, l.guest, "10.77.0.3,fd77::3", "watch", judgedType), avahi(t, l.guest)}
	other := hearth
	other.ID = "fedcba9876543210"
	first, second := announcer(t, l.home, hearth, Options{}), announcer(t, l.attic, other, Options{})
	name := func(m *machine) (instance string) {
		eventually(t, m.changes, "announced", func() bool {
			known := m.sees()
			if len(known) == 1 {
				instance = known[0].Instance
			}
			return instance != ""
		})
		return instance
	}
	ours := asSeen(hearth, name(first), "10.77.0.1", "fd77::1")
	theirs := asSeen(other, name(second), "10.77.0.2", "fd77::2")
	both := []sighting{ours, theirs}
	slices.SortFunc(both, func(a, b sighting) int { return cmp.Compare(a.Instance, b.Instance) })
	if both[0].Instance != hearth.Name || both[1].Instance != hearth.Name+" (2)" {
		t.Errorf("announced as %q and %q", both[0].Instance, both[1].Instance)
	}
	seen.waits(t, "both", both...)
	first.stop()
	seen.waits(t, "one", theirs)
	second.stop()
	seen.waits(t, "none")
}

// Promise: when two networks become one, and each has a service of that name, one of them gives way and both show.
func TestNetworksBecomeOne(t *testing.T) {
	t.Parallel()
	one, two := newLAN(t), newLAN(t)
	other := hearth
	other.ID = "fedcba9876543210"
	first, second := announcer(t, one.home, hearth, Options{}), announcer(t, two.attic, other, Options{})
	first.waits(t, "the first", announced(hearth.Name, "10.77.0.1", "fd77::1"))
	second.waits(t, "the second", announced(hearth.Name, "10.77.0.2", "fd77::2"))
	ip(t, "link", "add", "cable", "netns", one.hub, "type", "veth", "peer", "name", "cable", "netns", two.hub)
	for _, hub := range []string{one.hub, two.hub} {
		ip(t, "-n", hub, "link", "set", "cable", "master", "switch", "up")
	}
	seen := zeroconf(t, one.guest, "10.77.0.3,fd77::3", "watch", judgedType)
	seen.waits(t, "both", asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1"), asSeen(other, hearth.Name+" (2)", "10.77.0.2", "fd77::2"))
	second.stop()
	seen.waits(t, "one", asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1"))
}
