package discovery

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// Promise: independent resolvers on other machines see name, host, port, TXT and addresses, over IPv4 and IPv6; see new addresses in
// place of the old ones, a new name in place of the old one, and the goodbye.
func TestJudgesSeeIt(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	seen := newJury(t, l)
	home := announcer(t, l.home, hearth, Options{})
	seen.waits(t, "announced", asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1"))

	ip(t, "-n", l.home, "address", "del", "10.77.0.1/24", "dev", card)
	ip(t, "-n", l.home, "address", "add", "10.77.0.9/24", "dev", card)
	ip(t, "-n", l.home, "address", "add", "fd77::9/64", "dev", card, "nodad")
	ip(t, "-n", l.home, "address", "del", "fd77::1/64", "dev", card)
	seen.waits(t, "at its new addresses", asSeen(hearth, hearth.Name, "10.77.0.9", "fd77::9"))

	renamed := hearth
	renamed.Name = "Sommerhaus"
	home.say(t, renamed)
	seen.waits(t, "by its new name", asSeen(hearth, "Sommerhaus", "10.77.0.9", "fd77::9"))

	home.stop()
	seen.waits(t, "gone after its goodbye")
}

// Promise: the host name resolves by itself long after the announcements, as addresses live for two minutes only.
func TestHostResolves(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	home := announcer(t, l.home, hearth, Options{})
	home.waits(t, "announced", announced(hearth.Name, "10.77.0.1", "fd77::1"))
	host := HostName(hearth.ID) + "."
	resolved := sighting{Host: host, Addresses: []string{"10.77.0.1", "fd77::1"}}
	zeroconf(t, l.guest, "10.77.0.3", "resolve", host).waits(t, "resolved over IPv4", resolved)
	zeroconf(t, l.attic, "fd77::2", "resolve", host).waits(t, "resolved over IPv6", resolved)
}

// Promise: started while no link is up, it appears when the link comes, also after the cable was out, and after the card was off.
func TestLinkComes(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	ip(t, "-n", l.home, "link", "set", card, "down")
	home := announcer(t, l.home, hearth, Options{})
	seen := newJury(t, l)
	unused := func(why string) sighting { return sighting{Host: card, TXT: map[string]string{"unused": why}} }
	home.waits(t, "no link", unused("it is switched off"))
	seen.waits(t, "nothing without a link")
	on := func() {
		ip(t, "-n", l.home, "link", "set", card, "up")
		ip(t, "-n", l.home, "address", "replace", "fd77::1/64", "dev", card, "nodad") // the system forgets it with the link
	}
	ours := asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1")
	on()
	seen.waits(t, "the link came", ours)

	ip(t, "-n", l.hub, "link", "set", l.homeSocket, "down")
	home.waits(t, "the cable is out", unused("it is not connected"))
	ip(t, "-n", l.hub, "link", "set", l.homeSocket, "up")
	home.waits(t, "the cable is in", announced(hearth.Name, "10.77.0.1", "fd77::1"))

	ip(t, "-n", l.home, "link", "set", card, "down")
	home.waits(t, "the card is off", unused("it is switched off"))
	on()
	home.waits(t, "the card is on", announced(hearth.Name, "10.77.0.1", "fd77::1"))
	seen.waits(t, "still there", ours)
	home.stop()
	seen.waits(t, "gone after its goodbye")
}

// Promise: a name that a foreign program has is not taken; foreign services are found with all their data, seen to go, and told of as
// stale when they do not answer any more.
func TestForeignServices(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	hearth := hearth
	hearth.Name = "Käthe's Haus" // the judge takes a dot for the end of a label
	foreign := func(ttl string) *machine {
		return zeroconf(t, l.guest, "10.77.0.3,fd77::3", "announce", judgedType, hearth.Name, ttl)
	}
	first := foreign("120")
	theirs := sighting{
		Instance: hearth.Name, Host: "judge.local.", Port: 2451, Addresses: []string{"10.77.0.3", "fd77::3"},
		TXT: map[string]string{"v": "1", "name": hearth.Name},
	}
	found := browser(t, l.attic)
	found.waits(t, "found", theirs)
	home := announcer(t, l.home, hearth, Options{})
	ours := asSeen(hearth, hearth.Name+" (2)", "10.77.0.1", "fd77::1")
	found.waits(t, "both", theirs, ours)
	first.stop()
	found.waits(t, "the foreign one is gone", ours)
	home.stop()
	found.waits(t, "all are gone")

	second := foreign("4") // it has to be asked after three seconds already
	found.waits(t, "found again", theirs)
	second.kill()
	theirs.Stale = true
	found.waits(t, "silent", theirs)
}

// Promise: who died without a word shows as stale to everybody who looks, and is as before once it is back.
func TestDeathIsSeen(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	home := announcer(t, l.home, hearth, Options{})
	other := hearth
	other.Name, other.ID = "Attic", "fedcba9876543210"
	announcer(t, l.attic, other, Options{})
	looking := []*machine{browser(t, l.guest), browser(t, l.attic)}
	ours, theirs := asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1"), asSeen(other, other.Name, "10.77.0.2", "fd77::2")
	for _, b := range looking {
		b.waits(t, "both", theirs, ours)
	}
	home.kill()
	ours.Stale = true
	for _, b := range looking {
		b.waits(t, "one is silent", theirs, ours)
	}
	announcer(t, l.home, hearth, Options{})
	ours.Stale = false
	for _, b := range looking {
		b.waits(t, "back", theirs, ours)
	}
}

// Promise: what a browser found on a network is gone soon after the machine left it without hearing a goodbye, and back with it.
func TestBrowserFollowsTheNetwork(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	announcer(t, l.home, hearth, Options{})
	found := browser(t, l.guest)
	ours := asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1")
	found.waits(t, "found", ours)
	ip(t, "-n", l.guest, "link", "set", card, "down")
	found.waits(t, "forgotten")
	ip(t, "-n", l.guest, "link", "set", card, "up")
	found.waits(t, "found again", ours)
}

// Promise: with two networks each one hears its own address only, and with IPv4 or IPv6 alone it works too.
func TestEachNetworkItsOwnAddresses(t *testing.T) {
	t.Parallel()
	one, two := newLAN(t), newLAN(t)
	for _, machine := range []string{one.home, one.attic} {
		ip(t, "-n", machine, "-6", "address", "flush", "dev", card)
	}
	two.connect(t, one.home, "hearth1")
	ip(t, "-n", one.home, "address", "add", "fd77::7/64", "dev", "hearth1", "nodad")
	ip(t, "-n", one.home, "link", "set", "hearth1", "up")
	ip(t, "-n", two.attic, "-4", "address", "flush", "dev", card)

	announcer(t, one.home, hearth, Options{})
	browser(t, one.guest).waits(t, "the first network", asSeen(hearth, hearth.Name, "10.77.0.1"))
	browser(t, two.guest).waits(t, "the second network", asSeen(hearth, hearth.Name, "fd77::7"))
	only4 := asSeen(hearth, hearth.Name, "10.77.0.1")
	only4.Over = []string{"IPv4"}
	avahi(t, one.attic).waits(t, "IPv4, to avahi", only4)
	only6 := asSeen(hearth, hearth.Name, "fd77::7")
	only6.Over = []string{"IPv6"}
	avahi(t, two.attic).waits(t, "IPv6, to avahi", only6)
	zeroconf(t, two.guest, "fd77::3", "watch", judgedType).waits(t, "IPv6, to zeroconf", asSeen(hearth, hearth.Name, "fd77::7"))
}

// Promise: two cards in one network are not taken for two services, and when one of them goes its address does too.
func TestTwoCardsInOneNetwork(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	l.connect(t, l.home, "hearth1")
	ip(t, "-n", l.home, "address", "add", "10.77.0.8/24", "dev", "hearth1")
	ip(t, "-n", l.home, "link", "set", "hearth1", "addrgenmode", "none", "up")
	found := browser(t, l.guest)
	home := announcer(t, l.home, hearth, Options{})
	second := announced(hearth.Name, "10.77.0.8")
	second.Host = "hearth1"
	home.waits(t, "announced on both", announced(hearth.Name, "10.77.0.1", "fd77::1"), second)
	ip(t, "-n", l.home, "link", "set", card, "down")
	found.waits(t, "on one", asSeen(hearth, hearth.Name, "10.77.0.8"))
	home.waits(t, "still by its name", second, sighting{Host: card, TXT: map[string]string{"unused": "it is switched off"}})
}

// Promise: networks of containers hear nothing, and real ones nothing of them, unless they are named.
func TestContainersAreLeftOut(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	container := l.home + "-box"
	newMachine(t, container)
	ip(t, "-n", l.home, "link", "add", "docker0", "type", "bridge", "mcast_snooping", "0")
	ip(t, "-n", l.home, "link", "add", "veth1", "type", "veth", "peer", "name", card, "netns", container)
	ip(t, "-n", l.home, "link", "set", "veth1", "master", "docker0", "up")
	ip(t, "-n", container, "address", "add", "172.17.0.2/16", "dev", card)
	ip(t, "-n", container, "link", "set", card, "up")
	ip(t, "-n", l.home, "address", "add", "172.17.0.1/16", "dev", "docker0")
	ip(t, "-n", l.home, "link", "set", "docker0", "addrgenmode", "none", "up")

	seen, within := newJury(t, l), browser(t, container)
	home := announcer(t, l.home, hearth, Options{})
	boxed := map[string]string{"unused": "it leads to containers"}
	home.waits(t, "announced", announced(hearth.Name, "10.77.0.1", "fd77::1"), sighting{Host: "docker0", TXT: boxed}, sighting{Host: "veth1", TXT: boxed})
	seen.waits(t, "announced", asSeen(hearth, hearth.Name, "10.77.0.1", "fd77::1"))
	if known := within.sees(); len(known) > 0 {
		t.Errorf("the container sees %+v", known)
	}
	home.stop()
	seen.waits(t, "gone")

	announcer(t, l.home, hearth, Options{Interfaces: []string{"docker0"}})
	within.waits(t, "named", asSeen(hearth, hearth.Name, "172.17.0.1"))
	if known := seen.zeroconf.sees(); len(known) > 0 {
		t.Errorf("the other network sees %+v", known)
	}
}

// Promise: addresses given are announced in place of the interface's own, one that is listened at alone, and each change takes back
// what is no longer true.
func TestAddressesOfTheService(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	seen := newJury(t, l)
	s := hearth
	s.Addresses = []netip.Addr{netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::7")}
	home := announcer(t, l.home, s, Options{})
	seen.waits(t, "given", asSeen(hearth, hearth.Name, "192.0.2.7", "2001:db8::7"))

	s.Addresses, s.At = nil, netip.MustParseAddr("10.77.0.1")
	home.say(t, s)
	seen.waits(t, "listened at", asSeen(hearth, hearth.Name, "10.77.0.1"))

	s.At = netip.MustParseAddr("10.77.0.99")
	home.say(t, s)
	seen.waits(t, "nowhere")
	home.waits(t, "why", sighting{Host: card, TXT: map[string]string{"unused": "nothing listens at its addresses"}})

	s.At = netip.IPv4Unspecified()
	home.say(t, s)
	seen.waits(t, "at every address of IPv4", asSeen(hearth, hearth.Name, "10.77.0.1"))
}

// Promise: fifty restarts, some before it was announced and some with another name, leave no ghost.
func TestRestarts(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	seen := newJury(t, l)
	s := hearth
	for i := range 50 {
		s.Name = fmt.Sprintf("Haus %d", i/10)
		home := announcer(t, l.home, s, Options{})
		if i%3 == 0 {
			home.waits(t, "announced", announced(s.Name, "10.77.0.1", "fd77::1"))
		} else {
			time.Sleep(rand.N(800 * time.Millisecond)) // about as long as it takes
		}
		home.stop()
	}
	home := announcer(t, l.home, s, Options{})
	seen.waits(t, "one", asSeen(hearth, s.Name, "10.77.0.1", "fd77::1"))
	home.stop()
	seen.waits(t, "none")
}

// Promise: a trial hears itself and others, and says of each interface why it does not work.
func TestTrial(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	announcer(t, l.attic, hearth, Options{}).waits(t, "announced", announced(hearth.Name, "10.77.0.2", "fd77::2"))
	trial := role(t, l.home, "try", Options{})
	deadline := time.Now().Add(patience)
	for ; len(trial.sees()) == 0 || len(trial.sees()[0].Addresses) < 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("heard %+v", trial.sees())
		}
	}
	if got := trial.sees(); len(got) != 1 || got[0].Host != card || got[0].TXT != nil {
		t.Errorf("got %+v", got)
	}
	failing := func(why string) sighting {
		return sighting{Host: card, TXT: map[string]string{"error": why}}
	}
	ip(t, "-n", l.home, "-6", "address", "flush", "dev", card)
	ip(t, "netns", "exec", l.home, "sh", "-c", "echo 0 > /proc/sys/net/ipv4/igmp_max_memberships")
	trial.waits(t, "refused", failing("multicast does not work on hearth0: setsockopt: no buffer space available"))
	trial.stop()

	selfish := role(t, l.guest, "selfish", Options{})
	select {
	case <-selfish.changes:
	case <-time.After(patience):
		t.Fatal("the port is not taken")
	}
	role(t, l.guest, "try", Options{}).waits(t, "taken", failing("multicast does not work on hearth0: "+ErrPortTaken.Error()+"\n"+ErrPortTaken.Error()))
}
